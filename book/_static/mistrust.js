/* The interactive figures of the book.

Each figure stands in the page as `figure[data-mistrust=KIND]`: a static form that is complete, and inline JSON. This
script makes it answer to pointer and keys. A classic script without requests: it works from file://. Where anything
is amiss, the static form stays as it is. */
(function () {
  "use strict";

  function make(tag, attributes, text) {
    const element = document.createElement(tag);
    for (const name of Object.keys(attributes || {})) element.setAttribute(name, attributes[name]);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function thumb(index, data) {
    const span = make("span", { class: "mt-thumb", role: "img", "aria-label": (data.labels || [])[index] || "" });
    span.style.setProperty("--c", index % data.columns);
    span.style.setProperty("--r", Math.floor(index / data.columns));
    return span;
  }

  /* The panel beneath a figure: what is shown now, in words (announced), then its pictures. */
  function panel(figure, hint) {
    const box = make("div", { class: "mt-panel" });
    const said = make("p", { class: "mt-said", role: "status", "aria-live": "polite", "aria-atomic": "true" }, hint);
    const shown = make("div", { class: "mt-images" });
    box.append(said, shown);
    figure.querySelector(".mt-body").append(box);
    return {
      say: function (text, pictures) {
        if (said.textContent !== text) said.textContent = text;
        shown.replaceChildren(...(pictures || []));
      },
    };
  }

  /* One tab stop for many items; arrow keys move it in rows of `width`, Home and End to the ends of a row, with
     Control to the first and the last. Width 0 is a ring: both arrows go round. `show(index)` is called for the item
     that is pointed at or reached. */
  function rove(items, width, start, show) {
    let at = start;
    let shown = -1;

    function present(index) {
      if (index === shown) return;
      if (shown >= 0) items[shown].classList.remove("mt-now");
      items[index].classList.add("mt-now");
      shown = index;
      show(index);
    }

    function go(index) {
      items[at].setAttribute("tabindex", "-1");
      at = index;
      items[at].setAttribute("tabindex", "0");
      items[at].focus();
    }

    function round(event) {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Enter: 0, " ": 0 }[event.key];
      if (step !== undefined) return (at + step + items.length) % items.length;
      return { Home: 0, End: items.length - 1 }[event.key] ?? -1;
    }

    function next(event) {
      if (width === 0) return round(event);
      const row = at - (at % width);
      const end = Math.min(row + width, items.length) - 1;
      switch (event.key) {
        case "ArrowRight": return Math.min(at + 1, end);
        case "ArrowLeft": return Math.max(at - 1, row);
        case "ArrowDown": return at + width < items.length ? at + width : at;
        case "ArrowUp": return at - width >= 0 ? at - width : at;
        case "Home": return event.ctrlKey ? 0 : row;
        case "End": return event.ctrlKey ? items.length - 1 : end;
        case "Enter": case " ": return at;
        default: return -1;
      }
    }

    items.forEach(function (item, index) {
      item.setAttribute("tabindex", index === at ? "0" : "-1");
      item.addEventListener("pointerenter", function (event) { if (event.pointerType === "mouse") present(index); });
      item.addEventListener("click", function () { go(index); present(index); });
      item.addEventListener("focus", function () { present(index); });
      item.addEventListener("keydown", function (event) {
        if (event.altKey || event.metaKey) return;
        const index = next(event);
        if (index < 0) return;
        // Arrows would scroll the page, and the theme turns pages with left and right.
        event.preventDefault();
        event.stopPropagation();
        if (index === at) present(at); else go(index);
      });
    });
  }

  function describe(element, figure) {
    element.setAttribute("aria-labelledby", figure.id + "-title");
    element.setAttribute("aria-describedby", figure.id + "-alt");
    element.removeAttribute("aria-label");
  }

  function grid(figure, data) {
    const table = figure.querySelector(".mt-body table");
    const cells = Array.from(table.querySelectorAll("tbody td"));
    const below = panel(figure, "Point at a cell, or reach the figure by Tab and move with the arrow keys.");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-readonly", "true");
    describe(table, figure);
    cells.forEach(function (cell) { cell.setAttribute("role", "gridcell"); });
    const first = cells.findIndex(function (cell) { return !cell.classList.contains("mt-empty"); });
    rove(cells, data.width, Math.max(first, 0), function (index) {
      const entry = data.cells[index];
      below.say(entry.say, entry.images.map(function (k) { return thumb(k, data); }));
    });
  }

  function bars(entries) {
    const list = make("div", { class: "mt-bars", "aria-hidden": "true" });
    entries.forEach(function (entry) {
      const bar = make("span", { class: "mt-share" });
      bar.style.setProperty("--v", entry[1]);
      list.append(make("span", {}, entry[0]), bar, make("span", {}, entry[2]));
    });
    return list;
  }

  function plane(figure, data) {
    const field = figure.querySelector(".mt-body .mt-plane");
    const tiles = Array.from(field.querySelectorAll(".mt-thumb"));
    const below = panel(figure, "Point at an image, or reach the figure by Tab and move with the arrow keys.");
    field.setAttribute("role", "grid");
    field.setAttribute("aria-readonly", "true");
    describe(field, figure);
    field.querySelectorAll(".mt-row").forEach(function (row) { row.setAttribute("role", "row"); });
    tiles.forEach(function (tile, index) {
      tile.setAttribute("role", "gridcell");
      tile.setAttribute("aria-label", data.cells[index].say);
    });
    rove(tiles, data.width, 0, function (index) {
      const entry = data.cells[index];
      const large = thumb(index, data);
      large.removeAttribute("role");
      large.removeAttribute("aria-label");
      below.say(entry.say, [large, bars(entry.bars)]);
    });
  }

  function polar(figure, data) {
    const picture = figure.querySelector(".mt-body svg");
    const spokes = Array.from(picture.querySelectorAll(".mt-spoke"));
    const below = panel(figure, "Point at a spoke, or reach the figure by Tab and move with the arrow keys.");
    picture.setAttribute("role", "radiogroup");
    describe(picture, figure);
    spokes.forEach(function (spoke, index) {
      spoke.setAttribute("role", "radio");
      spoke.setAttribute("aria-checked", "false");
      spoke.setAttribute("aria-label", data.cells[index].say);
    });
    rove(spokes, 0, 0, function (index) {
      spokes.forEach(function (spoke, k) { spoke.setAttribute("aria-checked", String(k === index)); });
      const entry = data.cells[index];
      below.say(entry.say, entry.images.map(function (k) { return thumb(k, data); }));
    });
  }

  function table(figure) {
    const board = figure.querySelector(".mt-body table");
    const body = board.tBodies[0];
    const heads = Array.from(board.tHead.rows[0].cells);
    const below = panel(figure, "Press a column head to sort by it, once more to turn the order round.");
    describe(board, figure);

    function key(row, column, numeric) {
      const cell = row.cells[column];
      if (!cell.hasAttribute("data-key")) return null;
      return numeric ? Number(cell.getAttribute("data-key")) : cell.getAttribute("data-key");
    }

    function sort(column) {
      const head = heads[column];
      const numeric = head.getAttribute("data-sort") === "number";
      const before = head.getAttribute("aria-sort");
      // The largest number is what one looks for first; words begin with A.
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const order = before === first ? other : first;
      heads.forEach(function (one) { one.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const rows = Array.from(body.rows);
      rows.sort(function (a, b) {
        const left = key(a, column, numeric), right = key(b, column, numeric);
        if (left === null || right === null) return (left === null) - (right === null);
        return sign * (numeric ? left - right : left.localeCompare(right));
      });
      body.replaceChildren(...rows);
      const name = head.textContent.trim();
      const words = numeric
        ? (order === "descending" ? "largest first" : "smallest first")
        : (order === "ascending" ? "A to Z" : "Z to A");
      const top = rows.length ? " First row: " + rows[0].cells[0].textContent.trim() + "." : "";
      below.say("Sorted by " + name + ", " + words + "." + top);
    }

    const buttons = heads.map(function (head, column) {
      const button = make("button", { type: "button", class: "mt-sort" }, head.textContent.trim());
      head.replaceChildren(button);
      button.addEventListener("click", function () { sort(column); });
      // Out from beneath the first column; not at a click, which would lose what it was aimed at.
      button.addEventListener("focus", function () {
        if (button.matches(":focus-visible")) button.scrollIntoView({ block: "nearest", inline: "nearest" });
      });
      return button;
    });
    buttons.forEach(function (button, column) {
      button.addEventListener("keydown", function (event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const next = buttons[column + step];
        if (next) next.focus();
      });
    });
  }

  function stepper(figure, data) {
    const series = Array.from(figure.querySelectorAll(".mt-body ol"));
    const controls = make("div", { class: "mt-controls", role: "group" });
    describe(controls, figure);
    const back = make("button", { type: "button" }, "Previous");
    const on = make("button", { type: "button" }, "Next");
    const said = make("span", { class: "mt-said", role: "status", "aria-live": "polite" });
    controls.append(back, said, on);
    figure.querySelector(".mt-body").prepend(controls);
    let steps = Array.from(series[0].children);
    let at = 0;

    function show(index, quiet) {
      at = Math.min(Math.max(index, 0), steps.length - 1);
      steps.forEach(function (step, k) { step.hidden = k !== at; });
      // aria-disabled, not disabled: the focus stays where it is at the ends.
      back.setAttribute("aria-disabled", String(at === 0));
      on.setAttribute("aria-disabled", String(at === steps.length - 1));
      const where = (data.name || "Step") + " " + (at + 1) + " of " + steps.length;
      said.textContent = quiet ? where : where + ": " + steps[at].querySelector(".mt-step").textContent;
    }

    /* Several series: a list chooses one, and the number of the step stays. */
    function several() {
      const bar = make("div", { class: "mt-controls mt-series" });
      const name = figure.id + "-series";
      const list = make("select", { id: name, autocomplete: "off", "aria-describedby": figure.id + "-alt" });
      data.series.forEach(function (words, k) { list.append(make("option", { value: String(k) }, words)); });
      bar.append(make("label", { for: name }, data.label), list);
      controls.before(bar);
      figure.querySelectorAll(".mt-body > .mt-words").forEach(function (words) { words.hidden = true; });

      function choose(quiet) {
        series.forEach(function (one, k) { one.hidden = k !== Number(list.value); });
        steps = Array.from(series[Number(list.value)].children);
        show(at, quiet);
      }

      list.addEventListener("change", function () { choose(false); });
      list.addEventListener("keydown", keepArrows);
      choose(true);
    }

    back.addEventListener("click", function () { show(at - 1); });
    on.addEventListener("click", function () { show(at + 1); });
    controls.addEventListener("keydown", function (event) {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: steps.length - 1 }[event.key];
      if (to === undefined || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      show(to);
    });
    if (series.length > 1) several(); else show(0, true);
  }

  /* A list answers to arrows by itself; the theme would turn the page with left and right. */
  function keepArrows(event) {
    if (event.key.startsWith("Arrow")) event.stopPropagation();
  }

  function choice(figure, data) {
    const options = Array.from(figure.querySelectorAll(".mt-body .mt-option"));
    const controls = make("div", { class: "mt-controls" });
    const name = figure.id + "-choice";
    // No autocomplete: after a reload the list and what is shown would disagree.
    const list = make("select", { id: name, autocomplete: "off", "aria-describedby": figure.id + "-alt" });
    const said = make("p", { class: "mt-said", role: "status", "aria-live": "polite", "aria-atomic": "true" });
    let group = list;
    options.forEach(function (option, index) {
      const words = data.groups[index];
      if (index === 0 || words !== data.groups[index - 1]) {
        group = words ? make("optgroup", { label: words }) : list;
        if (words) list.append(group);
      }
      const summary = option.querySelector("summary");
      group.append(make("option", { value: String(index) }, summary.textContent));
      summary.hidden = true;
      option.querySelector(".mt-words").hidden = true; // the status says them
      option.open = true;
    });
    controls.append(make("label", { for: name }, data.label), list);
    figure.querySelector(".mt-options").before(controls, said);

    function show() {
      const at = Number(list.value);
      options.forEach(function (option, index) { option.hidden = index !== at; });
      said.textContent = options[at].querySelector(".mt-words").textContent;
    }

    list.addEventListener("change", show);
    list.addEventListener("keydown", keepArrows);
    show();
  }

  const KINDS = { grid: grid, plane: plane, polar: polar, table: table, stepper: stepper, choice: choice };

  function start() {
    document.querySelectorAll("figure[data-mistrust]:not([data-ready])").forEach(function (figure) {
      const kind = KINDS[figure.getAttribute("data-mistrust")];
      const inline = figure.querySelector('script[type="application/json"]');
      if (!kind || !inline) return;
      try {
        kind(figure, JSON.parse(inline.textContent));
      } catch (error) {
        console.error("The figure " + figure.id + " stays as it is: " + error);
        return;
      }
      const still = figure.querySelector(".mt-static");
      if (still) still.hidden = true;
      figure.querySelector(".mt-body").hidden = false;
      figure.setAttribute("data-ready", "true");
    });
  }

  /* ---- formulas: one that is wider than its place scrolls, so that the keys must reach it; no other stops them ---- */

  function reach() {
    document.querySelectorAll("mjx-container[display]").forEach(function (box) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  }
  window.addEventListener("load", function () {
    const math = window.MathJax && window.MathJax.startup;
    if (math && math.promise) math.promise.then(reach);
  });
  window.addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);  // of a fold that was shut nothing is known

  /* ---- wide tables: the edge beyond which there is more fades, since few systems show a bar before one scrolls ---- */

  const WIDE = ".mt-scroll, .mistrust-scroll";
  // Heads of numbers stand upright where, lying, they would make a table wider than the page. All are measured before
  // any is changed: a change between two looks has the whole page laid out anew.
  function fit(boxes) {
    const tables = boxes.map(function (box) { return [box, box.querySelector(":scope > .mt-sortable")]; })
      .filter(function (one) { return one[1]; });
    tables.forEach(function (one) { one[1].classList.remove("mt-upright"); });
    tables.map(function (one) {
      const first = one[1].rows[0].cells[0].offsetWidth;
      return [one[1].scrollWidth > one[0].clientWidth + 1 && one[0].clientWidth > 0, first];
    }).forEach(function (found, i) {
      tables[i][1].classList.toggle("mt-upright", found[0]);
      // The first column stays in its place: what scrolls into view stops beside it.
      tables[i][0].style.scrollPaddingLeft = found[1] + "px";
    });
  }
  function more(box) { return box.scrollWidth - box.clientWidth - box.scrollLeft > 1; }
  function fadeAll() {
    const boxes = Array.from(document.querySelectorAll(WIDE));
    fit(boxes);
    boxes.map(more).forEach(function (yes, i) { boxes[i].classList.toggle("mt-more", yes); });
  }
  // Once a frame, however many folds open in it.
  let due = false;
  function soon() {
    if (due) return;
    due = true;
    window.requestAnimationFrame(function () {
      due = false;
      fadeAll();
    });
  }
  window.addEventListener("load", soon);
  window.addEventListener("resize", soon);
  document.addEventListener("toggle", soon, true);
  document.addEventListener("click", soon);  // a figure's own choices
  document.addEventListener("scroll", function (event) {
    if (event.target instanceof Element && event.target.matches(WIDE)) event.target.classList.toggle("mt-more", more(event.target));
  }, { capture: true, passive: true });

  // Paper shows what a click would: folded results, all choices of a figure, whole tables, and dark ink. Code and
  // solutions stay shut: a teacher hands the page out.
  const FOLDS = "article details:not([open], .above-input, .mt-words, .tag_solution *)";
  const shut = [];
  let theme = null;

  window.addEventListener("beforeprint", function () {
    document.querySelectorAll(FOLDS).forEach(function (fold) { shut.push([fold, "open"]); });
    document.querySelectorAll("article [hidden]:is(.mt-option, .mt-steps)").forEach(function (one) {
      shut.push([one, "hidden"]);
    });
    shut.forEach(function (one) { one[0][one[1]] = one[1] === "open"; });
    theme = document.documentElement.getAttribute("data-theme");
    document.documentElement.setAttribute("data-theme", "light");
  });
  window.addEventListener("afterprint", function () {
    shut.splice(0).forEach(function (one) { one[0][one[1]] = one[1] === "hidden"; });
    if (theme) document.documentElement.setAttribute("data-theme", theme);
  });

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
