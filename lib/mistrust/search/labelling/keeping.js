/* What the browser keeps. It is the truth: each answer has a key of its own there, so that two windows of the page do
   not undo each other's work (a browser writes for each window when it gets to it: of a list under one key, the later
   write would take back an answer that its window had not seen).

   `list` and `earlier`: keys of this list and of those that it begins with, longest first; `ids`: of its images;
   `changed`: is called when the browser keeps answers again, or no longer does. */
const byIds = () => Object.create(null);  // an id may be any text, "constructor" too, which any other object has
const answersKept = ({ list, earlier, ids, changed }) => {
  const { ANSWERS } = answersFile;
  const KEY = `mistrust-labels-${list}`;
  const keyOf = (id) => `${KEY}/${id}`;
  const known = new Set(ids);
  const unwritten = new Map();  // id and answer, "" where one was taken back
  const store = { answers: byIds(), keeps: true, load, keep, inherited, remember, place, concerns };

  function set(keeps) {
    store.keeps = keeps;
    changed();
  }

  /* `store.answers`: what stands in the browser, with what could not be written over it. */
  function load() {
    const found = byIds();
    try {
      for (const id of ids) found[id] = localStorage.getItem(keyOf(id));
    } catch {
      set(false);
    }
    store.answers = byIds();
    for (const [id, answer] of Object.entries({ ...found, ...Object.fromEntries(unwritten) })) {
      if (ANSWERS.includes(answer)) store.answers[id] = answer;
    }
  }

  function keep(changes) {
    for (const [id, answer] of Object.entries(changes)) unwritten.set(id, answer);
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
      set(true);
    } catch {
      set(false);
    }
  }

  /* The longest list that this one begins with, its budget being smaller, and of which answers are here: they are
     answers to the same images, foretold the same, in the same order. */
  function inherited() {
    const lists = new Map();
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const [, other, id] = /^mistrust-labels-([0-9a-f]{16})\/(.*)$/s.exec(localStorage.key(i)) || [];
        if (!other || !known.has(id)) continue;
        if (!lists.has(other)) lists.set(other, byIds());
        lists.get(other)[id] = localStorage.getItem(localStorage.key(i));
      }
    } catch { /* nothing is kept here */ }
    const found = lists.get(earlier.find((one) => lists.has(one))) || {};
    return Object.fromEntries(Object.entries(found).filter(([, answer]) => ANSWERS.includes(answer)));
  }

  function remember(at) {
    try { localStorage.setItem(`${KEY}-at`, String(at)); } catch { /* only the place is lost */ }
  }

  /* Where the person was; NaN where nobody was here. */
  function place() {
    try { return parseInt(localStorage.getItem(`${KEY}-at`), 10); } catch { return NaN; }
  }

  /* Whether a key of the browser's is an answer to this list; none stands for all. */
  function concerns(key) {
    return key === null || key.startsWith(keyOf(""));
  }

  return store;
};
