"use strict";
/* One image at a time: right, wrong or unsure. What is kept in the browser is the truth: each answer has a key of its
   own there, so that two windows of the page do not undo each other's work (a browser writes for each window when it
   gets to it: of a list under one key, the later write would take back an answer that its window had not seen). */
(() => {
  const byId = (name) => document.getElementById(name);
  const data = JSON.parse(byId("data").textContent);
  const items = data.items;
  const ANSWERS = ["right", "wrong", "unsure"];
  const SIGNS = { right: "✓", wrong: "✗", unsure: "?" };
  const KEYS = { r: "right", w: "wrong", u: "unsure" };
  const SMALL = 200, LARGER = 12;  // images of at most so many pixels are enlarged at most so many times
  const KEPT = byId("kept").textContent;
  const SINGLE = "mistrust-labels-keys";  // of all lists: who cannot use single keys cannot anywhere
  const KEY = `mistrust-labels-${data.list}`;
  const keyOf = (id) => `${KEY}/${id}`;
  const known = new Set(items.map((item) => item.id));
  let memory = {};  // what stands in the browser's store, with what could not be written over it
  const unwritten = new Map();  // id and answer, "" where one was taken back
  let keeps = true;
  let exported = true;
  let at = 0;       // items.length is the page after the last image
  let waiting = null;
  let told = 0;

  /* ---- keeping ---- */

  function load() {
    const found = {};
    try {
      for (const { id } of items) found[id] = localStorage.getItem(keyOf(id));
    } catch {
      lost();
    }
    memory = {};
    for (const [id, answer] of Object.entries({ ...found, ...Object.fromEntries(unwritten) })) {
      if (ANSWERS.includes(answer)) memory[id] = answer;
    }
  }

  function keep(changes) {
    for (const [id, answer] of Object.entries(changes)) unwritten.set(id, answer);
    if (Object.keys(changes).length) { exported = false; byId("kept").textContent = KEPT; }
    if (unwritten.size) write();
    load();
  }

  function write() {
    try {
      for (const [id, answer] of unwritten) {
        if (answer) localStorage.setItem(keyOf(id), answer);
        else localStorage.removeItem(keyOf(id));
        unwritten.delete(id);
      }
      keeps = true;
      byId("warning").hidden = true;
    } catch {
      lost();
    }
  }

  function lost() {
    keeps = false;
    warn("This browser does not keep answers (a private window, or its storage is full): export them before you close the page.");
  }

  /* The longest list that this one begins with, its budget being smaller, and of which answers are here: they are
     answers to the same images, foretold the same, in the same order. */
  function inherited() {
    const lists = new Map();
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const [, list, id] = /^mistrust-labels-([0-9a-f]{16})\/(.*)$/s.exec(localStorage.key(i)) || [];
        if (!list || !known.has(id)) continue;
        if (!lists.has(list)) lists.set(list, {});
        lists.get(list)[id] = localStorage.getItem(localStorage.key(i));
      }
    } catch { /* nothing is kept here */ }
    const found = lists.get(data.earlier.find((list) => lists.has(list))) || {};
    return Object.fromEntries(Object.entries(found).filter(([, answer]) => ANSWERS.includes(answer)));
  }

  function remember() {
    try { localStorage.setItem(`${KEY}-at`, String(at)); } catch { /* only the place is lost */ }
  }

  function warn(text) {
    byId("warning").textContent = text;
    byId("warning").hidden = false;
  }

  /* ---- showing ---- */

  const say = (text) => { byId("status").textContent = text; };
  const count = (answer) => items.filter((item) => memory[item.id] === answer).length;

  function counts() {
    const answered = items.filter((item) => memory[item.id]).length;
    byId("progress").value = answered;
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
    remember();
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
    const item = items[at], answer = memory[item.id];
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
        button.addEventListener("click", () => { show(i); byId("question").focus(); });
        line.append(button);
        list.append(line);
      });
    }
    items.forEach((item, i) => {
      const button = list.children[i].firstChild, answer = memory[item.id];
      button.className = answer || "";
      button.textContent = `${i + 1} ${answer ? SIGNS[answer] : "·"}`;
      button.setAttribute("aria-label", `Image ${i + 1}, ${answer || "no answer"}`);
      button.setAttribute("aria-current", String(i === at));
    });
  }

  /* ---- answering ---- */

  function answer(word) {
    if (at === items.length) return;
    keep({ [items[at].id]: word });
    if (word) show(at + 1, `${word[0].toUpperCase()}${word.slice(1)}. `);
    else show(at, "Answer taken back. ");
  }

  function open() {
    const first = items.findIndex((item) => !memory[item.id]);
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
    if (event.key !== null && !event.key.startsWith(keyOf(""))) return;  // no key: all was cleared
    clearTimeout(told);  // a file that is taken there changes many answers: told of once
    told = setTimeout(() => { load(); show(at, "Another window of this page changed the answers. "); }, 50);
  });
  window.addEventListener("beforeunload", (event) => {
    if (!keeps && !exported) event.preventDefault();
  });

  /* ---- handing on ---- */

  const HEADS = ["rank", "id", "file", "predicted", "confidence", "method", "answer"];

  function quoted(value) {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function written() {
    const lines = items.map((item) => ({ ...item, method: data.method, answer: memory[item.id] || "" }));
    return [HEADS, ...lines.map((line) => HEADS.map((head) => line[head]))].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
  }

  byId("export").addEventListener("click", () => {
    load();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([written()], { type: "text/csv;charset=utf-8" }));
    link.download = "answers.csv";
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    exported = true;
    byId("kept").textContent = `Exported as answers.csv into the folder of your downloads: ${counts()} of ${items.length} answered.`;
    say(byId("kept").textContent);
  });

  function cells(text) {
    const head = text.split(/\r?\n/, 1)[0];
    const separator = [",", ";", "\t"].reduce((a, b) => (head.split(b).length > head.split(a).length ? b : a));
    const rows = [];
    let row = [], cell = "", inside = false;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (inside) {
        if (c !== '"') cell += c;
        else if (text[i + 1] === '"') { cell += c; i++; }
        else inside = false;
      } else if (c === '"' && cell === "") inside = true;
      else if (c === separator) { row.push(cell); cell = ""; }
      else if (c === "\n") { row.push(cell); rows.push(row); row = []; cell = ""; }
      else if (c !== "\r") cell += c;
    }
    if (cell || row.length) { row.push(cell); rows.push(row); }
    return rows.filter((one) => one.some((text) => text.trim()));
  }

  function taken(text) {
    const rows = cells(text.replace(/^\uFEFF/, ""));
    const heads = (rows[0] || []).map((head) => head.trim().toLowerCase());
    const id = heads.indexOf("id"), said = heads.indexOf("answer");
    if (id < 0 || said < 0) throw new Error(`It has no column "${id < 0 ? "id" : "answer"}".`);
    const found = new Map(), unknown = [];
    rows.slice(1).forEach((row) => {
      const name = (row[id] || "").trim(), word = (row[said] || "").trim().toLowerCase();
      if (!known.has(name)) { unknown.push(name); return; }
      if (found.has(name)) throw new Error(`"${name}" stands in it twice.`);
      if (word && !ANSWERS.includes(word)) throw new Error(`"${name}" has the answer "${word}"; expected right, wrong or unsure.`);
      found.set(name, word);
    });
    if (unknown.length) {
      throw new Error(`Ids in it that are not on this page: ${unknown.length} (${unknown.slice(0, 3).map((name) => `"${name}"`).join(", ")}). It belongs to another list.`);
    }
    return found;
  }

  function report(text, wrong = false) {
    byId("imported").textContent = text;
    byId("imported").hidden = false;
    byId("imported").classList.toggle("warn", wrong);
    say(text);
  }

  byId("import").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    byId("conflicts").hidden = true;
    try {
      const found = taken(await file.text());
      load();
      const fresh = {};
      waiting = {};
      for (const [name, word] of found) {
        if (!word || memory[name] === word) continue;
        (memory[name] ? waiting : fresh)[name] = word;
      }
      keep(fresh);
      const differing = Object.keys(waiting).length;
      show(at);
      const rest = differing ? ` Where they differ from yours, yours are kept: ${differing}.` : "";
      report(`Answers taken from ${file.name}: ${Object.keys(fresh).length}.${rest}`);
      byId("conflicts").hidden = !differing;
    } catch (error) {
      report(`${file.name} was not taken; nothing changed. ${error.message}`, true);
    }
    event.target.value = "";
  });

  byId("theirs").addEventListener("click", () => {
    const differing = Object.keys(waiting).length;
    keep(waiting);
    byId("conflicts").hidden = true;
    byId("import").focus();
    show(at);
    report(`Answers that now stand as in the file: ${differing}.`);
  });

  byId("keys").addEventListener("change", () => {
    try { localStorage.setItem(SINGLE, byId("keys").checked ? "on" : "off"); } catch { /* for this visit alone */ }
  });
  try { byId("keys").checked = localStorage.getItem(SINGLE) !== "off"; } catch { /* as the page has it */ }

  load();
  let start = NaN;
  try { start = parseInt(localStorage.getItem(`${KEY}-at`), 10); } catch { /* from the beginning */ }
  const earlier = Number.isNaN(start) ? inherited() : {};  // once: who was here and took all back wants none
  keep(earlier);
  if (Number.isNaN(start)) start = items.findIndex((item) => !memory[item.id]);
  const came = Object.keys(earlier).length;
  show(start, came ? `Answers of a shorter list that this one begins with were taken: ${came}. ` : "");
})();
