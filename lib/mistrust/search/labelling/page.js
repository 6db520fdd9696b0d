/* One image at a time: right, wrong or unsure. */
(() => {
  const byId = (name) => document.getElementById(name);
  const data = JSON.parse(byId("data").textContent);
  const items = data.items;
  const { ANSWERS } = answersFile;
  const SIGNS = { right: "✓", wrong: "✗", unsure: "?" };
  const KEYS = { r: "right", w: "wrong", u: "unsure" };
  const SMALL = 200, LARGER = 12;  // images of at most so many pixels are enlarged at most so many times
  const KEPT = byId("kept").textContent;
  const SINGLE = "mistrust-labels-keys";  // of all lists: who cannot use single keys cannot anywhere
  const store = answersKept({ list: data.list, earlier: data.earlier, ids: items.map((item) => item.id), changed: standing });
  const { load } = store;
  let exported = true;
  let at = 0;       // items.length is the page after the last image
  let told = 0;
  let brief = false;  // whether the choices end with the next answer

  /* ---- keeping ---- */

  function keep(changes) {
    if (Object.keys(changes).length) exported = false;
    store.keep(changes);
  }

  /* Say where answers stand. */
  function standing(more = "") {
    byId("kept").textContent = store.keeps ? `${KEPT}${more}` : "Answers stand in this window alone, until you close it. Export them to hand them on.";
    byId("warning").textContent = "This browser does not keep answers (a private window, or its storage is full): export them before you close the page.";
    byId("warning").hidden = store.keeps;
  }

  /* ---- showing ---- */

  const say = (text) => { byId("status").textContent = text; };
  const count = (answer) => items.filter((item) => store.answers[item.id] === answer).length;

  function counts() {
    const answered = items.filter((item) => store.answers[item.id]).length;
    byId("progress").value = answered;
    byId("renew").disabled = !answered;
    const parts = ANSWERS.map((answer) => `${count(answer)} ${answer}`).join(", ");
    byId("counts").textContent = answered ? `${answered} of ${items.length}: ${parts}` : `0 of ${items.length} answered`;
    return answered;
  }

  function show(place, spoken = "") {
    at = Math.max(0, Math.min(place, items.length));
    const answered = counts();
    const ended = at === items.length;
    const inside = byId("card").contains(document.activeElement) || byId("end").contains(document.activeElement);
    byId("card").hidden = ended;
    byId("end").hidden = !ended;
    marks();
    store.remember(at);
    if (ended) {
      const rest = items.length - answered;
      byId("done").textContent = rest ? `The last image is behind you; ${rest} without an answer.` : `All ${items.length} images are answered.`;
      byId("told").textContent = `${count("wrong")} wrong, ${count("right")} right, ${count("unsure")} unsure. Export the answers below.`;
      byId("open").hidden = !rest;
      if (inside) byId("done").focus();
      byId("end").scrollIntoView({ block: "nearest" });
      say(`${spoken}${byId("done").textContent} ${byId("told").textContent}`);
      return;
    }
    const item = items[at], answer = store.answers[item.id];
    const image = byId("image");
    image.src = item.image;
    image.alt = `Image ${at + 1}: ${item.file}`;
    const small = Math.max(item.width, item.height) <= SMALL;
    image.classList.toggle("small", small);
    image.style.maxWidth = small ? `min(100%, ${LARGER * item.width}px)` : "";
    image.style.maxHeight = small ? `min(100%, ${LARGER * item.height}px)` : "";
    byId("place").textContent = `Image ${at + 1} of ${items.length}`;
    byId("file").textContent = item.file;
    byId("predicted").textContent = item.predicted;
    byId("confidence").textContent = `confidence ${item.confidence}`;
    byId("confidence").hidden = !byId("confident").checked;
    for (const button of document.querySelectorAll(".answers button")) {
      button.setAttribute("aria-pressed", String(button.dataset.answer === answer));
    }
    if (byId("back") === document.activeElement && at === 0) byId("next").focus();
    byId("back").disabled = at === 0;
    if (byId("clear") === document.activeElement && !answer) byId("question").focus();
    byId("clear").disabled = !answer;
    const before = answer ? ` You answered ${answer}.` : "";
    say(`${spoken}Image ${at + 1} of ${items.length}. The classifier says: ${item.predicted}.${before}`);
  }

  function marks() {
    const list = byId("list");
    if (!list.childElementCount) {
      items.forEach((item, i) => {
        const line = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.addEventListener("click", () => choose(i));
        line.append(button);
        list.append(line);
      });
    }
    items.forEach((item, i) => {
      const button = list.children[i].firstChild, answer = store.answers[item.id];
      button.className = answer || "";
      button.textContent = `${i + 1} ${answer ? SIGNS[answer] : "·"}`;
      button.setAttribute("aria-label", `Image ${i + 1}, ${answer || "no answer"}`);
      button.setAttribute("aria-current", String(i === at));
    });
  }

  /* Show an image that was chosen from the list, which may lie far below: all of the card, from its top. */
  function choose(place) {
    show(place);
    byId("question").focus({ preventScroll: true });
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    byId("card").scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
  }

  /* ---- answering ---- */

  function answer(word) {
    if (at === items.length) return;
    if (brief) dismiss();
    keep({ [items[at].id]: word });
    if (word) show(at + 1, `${word[0].toUpperCase()}${word.slice(1)}. `);
    else show(at, "Answer taken back. ");
  }

  function open() {
    const first = items.findIndex((item) => !store.answers[item.id]);
    show(first < 0 ? items.length : first);
    (first < 0 ? byId("done") : byId("question")).focus();
  }

  document.querySelector(".answers").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) answer(button.dataset.answer);
  });
  byId("clear").addEventListener("click", () => answer(""));
  byId("back").addEventListener("click", () => show(at - 1));
  byId("next").addEventListener("click", () => show(at + 1));
  byId("again").addEventListener("click", () => { show(items.length - 1); byId("question").focus(); });
  byId("open").addEventListener("click", open);
  byId("smooth").addEventListener("change", () => { byId("image").classList.toggle("sharp", !byId("smooth").checked); });
  byId("confident").addEventListener("change", () => { byId("confidence").hidden = !byId("confident").checked; });

  document.addEventListener("keydown", (event) => {
    if (!byId("keys").checked || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (KEYS[key] && event.repeat) return;  // a key held down answers one image, not the rest of the list
    if (KEYS[key]) answer(KEYS[key]);
    else if (key === "b" || key === "ArrowLeft") show(at - 1);
    else if (key === "n" || key === "ArrowRight") show(at + 1);
    else return;
    event.preventDefault();
  });

  window.addEventListener("storage", (event) => {
    if (!store.concerns(event.key)) return;
    clearTimeout(told);  // a file that is taken there changes many answers: told of once
    told = setTimeout(() => { load(); show(at, "Another window of this page changed the answers. "); }, 50);
  });
  window.addEventListener("beforeunload", (event) => {
    if (!store.keeps && !exported) event.preventDefault();
  });

  /* ---- handing on ---- */

  byId("export").addEventListener("click", () => {
    load();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([answersFile.written(items, data.method, store.answers)], { type: "text/csv;charset=utf-8" }));
    link.download = data.export;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    exported = true;
    byId("kept").textContent = `Exported as ${data.export} into the folder of your downloads: ${counts()} of ${items.length} answered.`;
    say(byId("kept").textContent);
  });

  function dismiss() {
    brief = false;
    byId("imported").hidden = byId("choices").hidden = true;
  }

  /* Tell what came of a file or of clearing, with buttons for what the person may choose next: [text, action] each.
     `home`: where the focus goes once nothing is left to choose; `passing`: until the next answer only. */
  function report(text, { wrong = false, choices = [], home = "import", passing = false } = {}) {
    brief = passing;
    byId("imported").textContent = text;
    byId("imported").hidden = false;
    byId("imported").classList.toggle("warn", wrong);
    byId("choices").hidden = !choices.length;
    byId("choices").replaceChildren(...choices.map(([label, action]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.addEventListener("click", () => {
        action();
        (byId("choices").querySelector("button") || byId(home)).focus();  // the button that was pressed is gone
      });
      return button;
    }));
    say(text);
  }

  /* Take answers; those that differ from the person's own wait for another yes. */
  function take(fits, file, left) {
    load();
    const fresh = byIds(), waiting = byIds();
    for (const [name, word] of fits) {
      if (store.answers[name] !== word) (store.answers[name] ? waiting : fresh)[name] = word;
    }
    keep(fresh);
    show(at);
    const differing = Object.keys(waiting).length;
    const rest = differing ? ` Where they differ from yours, yours are kept: ${differing}.` : "";
    report(`Answers taken from ${file}: ${Object.keys(fresh).length}.${left && ` Left out: ${left}`}${rest}`, {
      choices: differing ? [["Take the file's answers there", () => {
        keep(waiting);
        show(at);
        report(`Answers that now stand as in the file: ${differing}.`);
      }]] : [],
    });
  }

  byId("import").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    try {
      const found = answersFile.read(await file.arrayBuffer(), items);
      const left = answersFile.leftOut(found, items), n = found.fits.size;
      if (left && !n) throw new Error(`No answer in it fits this page: ${left}`);
      if (!left) take(found.fits, file.name, "");
      else {
        const all = n + found.elsewhere.length + found.differing.length;
        const unsaid = found.told ? "" : " The file does not tell what was predicted: only you know whether it was the same.";
        report(`${n} of ${all} answers in ${file.name} fit this page; nothing is taken yet. Left out: ${left}${unsaid}`, {
          choices: [
            [`Take ${n === 1 ? "this answer" : `these ${n} answers`}`, () => take(found.fits, file.name, left)],
            ["Take none", () => report(`Nothing was taken from ${file.name}.`)],
          ],
        });
      }
    } catch (error) {
      report(`${file.name} was not taken; nothing changed. ${error.message}`, { wrong: true });
    }
    event.target.value = "";
  });

  byId("renew").addEventListener("click", () => {
    load();
    const n = Object.keys(store.answers).length, these = n === 1 ? "1 answer" : `all ${n} answers`;
    report(`Clear ${these} on this page, so that somebody else can begin? Export first if anybody needs them.`, {
      choices: [
        [`Clear ${these}`, clearAll],
        ["Keep them", () => report("Nothing was cleared.")],
      ],
      home: "renew",
    });
  });

  function clearAll() {
    load();
    const before = store.answers, place = at;
    keep(Object.fromEntries(Object.keys(before).map((id) => [id, ""])));
    show(0);
    const back = () => {
      load();
      keep({ ...before, ...store.answers });
      show(place);
      report(`Answers that are back: ${Object.keys(before).length}.`);
    };
    report(`Answers cleared: ${Object.keys(before).length}. Until the next answer this can be undone.`, {
      choices: [["Undo", back]], home: "renew", passing: true,
    });
  }

  byId("keys").addEventListener("change", () => {
    try { localStorage.setItem(SINGLE, byId("keys").checked ? "on" : "off"); } catch { /* for this visit alone */ }
  });
  try { byId("keys").checked = localStorage.getItem(SINGLE) !== "off"; } catch { /* as the page has it */ }

  load();
  let start = store.place();
  const earlier = Number.isNaN(start) ? store.inherited() : {};  // once: who was here and took all back wants none
  keep(earlier);
  if (Number.isNaN(start)) start = items.findIndex((item) => !store.answers[item.id]);
  const here = Object.keys(store.answers).length;
  if (here && store.keeps) standing(` Kept here from before: ${here}. If somebody else gave them, export, then clear all answers.`);
  const came = Object.keys(earlier).length;
  show(start, came ? `Answers of a shorter list that this one begins with were taken: ${came}. ` : "");
})();
