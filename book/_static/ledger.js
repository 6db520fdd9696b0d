/* The filter of the ledger of claims: by paper, by verdict, by words. A classic script without requests: it works from
file://. Without it the page is whole, and the filter is not shown. */
(function () {
  "use strict";

  const form = document.getElementById("ledger-filter");
  const rows = Array.from(document.querySelectorAll("table.mt-ledger tbody tr"));
  if (!form || !rows.length) return;
  const said = form.querySelector(".mt-said");
  // Not `q`: Sphinx searches the whole book for what an address says so, on every page.
  const { paper, verdict, words: typed } = form.elements;

  /* Letters alone: small, without accents, one blank between words. */
  function plain(text) {
    return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/\s+/g, " ").trim();
  }

  const claims = rows.map(function (row) {
    return { row: row, paper: row.dataset.paper, verdict: row.dataset.verdict, text: plain(row.textContent) };
  });
  const parts = Array.from(document.querySelectorAll("table.mt-ledger")).map(function (table) {
    return { table: table, box: table.closest("section") || table };
  });
  parts.forEach(function (part) { part.whole = part.table.caption.textContent; });

  function matches(one, words, but) {
    return (but === "paper" || !paper.value || one.paper === paper.value) &&
      (but === "verdict" || !verdict.value || one.verdict === verdict.value) &&
      words.every(function (word) { return one.text.includes(word); });
  }

  /* How many claims each option would leave, with the other fields as they are. */
  function count(select, words) {
    Array.from(select.options).forEach(function (option) {
      option.dataset.label = option.dataset.label || option.textContent;
      const left = claims.filter(function (one) {
        return matches(one, words, select.name) && (!option.value || one[select.name] === option.value);
      });
      option.textContent = option.dataset.label + " (" + left.length + ")";
    });
  }

  let waiting = 0;
  function announce(text) {
    // Not at every letter: a screen reader would read each number.
    clearTimeout(waiting);
    waiting = setTimeout(function () { if (said.textContent !== text) said.textContent = text; }, 300);
  }

  /* What is chosen stands in the address, so that it can be sent to somebody. */
  function remember() {
    const chosen = new URLSearchParams();
    [paper, verdict, typed].forEach(function (field) {
      if (field.value.trim()) chosen.set(field.name, field.value.trim());
    });
    const query = chosen.toString();
    try {
      history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
    } catch (refused) { /* some browsers refuse it on file:// */ }
  }

  function show() {
    const words = plain(typed.value).split(" ").filter(Boolean);
    let left = 0;
    claims.forEach(function (one) {
      one.row.hidden = !matches(one, words);
      left += one.row.hidden ? 0 : 1;
    });
    parts.forEach(function (part) {
      const shown = part.table.querySelectorAll("tbody tr:not([hidden])").length;
      const all = part.table.tBodies[0].rows.length;
      part.box.hidden = shown === 0;
      part.table.caption.textContent = shown === all ? part.whole : part.whole.replace(/\d+ claims?$/, shown + " of $&");
    });
    [paper, verdict].forEach(function (select) { count(select, words); });
    announce(left === claims.length ? left + " claims" : left ? left + " of " + claims.length + " claims"
      : "No claim fits. Show all, or take fewer words.");
    remember();
  }

  function choose(wanted) {
    paper.value = wanted.paper || "";
    verdict.value = wanted.verdict || "";
    typed.value = wanted.words || "";
    // A value that is no option would leave the field empty.
    [paper, verdict].forEach(function (select) { if (select.selectedIndex < 0) select.selectedIndex = 0; });
    show();
  }

  /* What a link leads to is shown, be it a claim or a paper, whatever was looked for before. */
  function reveal(hash) {
    const row = document.getElementById(decodeURIComponent(hash.slice(1)));
    const was = row && row.closest("[hidden]");
    if (was) choose({});
    return was ? row : null;
  }

  form.addEventListener("input", show);
  form.addEventListener("reset", function (event) {
    event.preventDefault();
    choose({});
    typed.focus();
  });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    const first = claims.find(function (one) { return !one.row.hidden; });
    if (!first) return;
    first.row.scrollIntoView({ block: "center" });
    first.row.querySelector("th a").focus({ preventScroll: true });
  });
  typed.addEventListener("keydown", function (event) {
    if (event.key !== "Escape" || !typed.value) return;
    event.preventDefault();
    typed.value = "";
    show();
  });
  // A number in the table of counts shows just those claims; without this script it leads to their paper.
  document.querySelectorAll(".mt-tally a").forEach(function (link) {
    link.addEventListener("click", function () { choose(link.dataset); });
  });
  document.addEventListener("click", function (event) {
    const link = event.target.closest('a[href*="#"]');
    if (link && !link.closest(".mt-tally") && link.pathname === location.pathname) reveal(link.hash);
  });
  window.addEventListener("hashchange", function () {
    const row = reveal(location.hash);
    if (row) row.scrollIntoView();
  });

  form.hidden = false;
  choose(Object.fromEntries(new URLSearchParams(location.search)));
  reveal(location.hash);
  const first = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (first) first.scrollIntoView();
})();
