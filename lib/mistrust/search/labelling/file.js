"use strict";
/* Answers as a file: written, and read again with all that does not belong to this page set apart. */
const answersFile = (() => {
  const ANSWERS = ["right", "wrong", "unsure"];
  const HEADS = ["rank", "id", "file", "predicted", "confidence", "method", "answer"];
  const PREDICTED = ["predicted", "prediction", "predictedclass", "class"];  // as the command line reads it
  const SOME = 3;  // examples of what is left out

  function quoted(value) {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function written(items, method, memory) {
    const lines = items.map((item) => ({ ...item, method, answer: memory[item.id] || "" }));
    return [HEADS, ...lines.map((line) => HEADS.map((head) => line[head]))].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
  }

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

  function decoded(bytes) {
    let text = "\0";
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);  // drops the mark that some programs begin with
    } catch { /* said below */ }
    if (text.includes("\0")) throw new Error("It is not UTF-8 text: save it as 'CSV UTF-8'.");  // a zero: UTF-16
    return text;
  }

  /* Answers of a file, in three: `fits` (id and answer), `elsewhere` (ids that are not on this page) and `differing`
     (told as text: an answer is about what was predicted, and these are about another prediction). Lines without an
     answer count nowhere. `told`: whether the file says what was predicted. Throws what is wrong with the file. */
  function read(bytes, items) {
    const rows = cells(decoded(bytes));
    const heads = (rows[0] || []).map((head) => head.trim().toLowerCase().replace(/[\s_-]+/g, ""));
    const id = heads.indexOf("id"), said = heads.indexOf("answer");
    const foretold = heads.indexOf(PREDICTED.find((name) => heads.includes(name)));
    if (id < 0 || said < 0) throw new Error(`It has no column "${id < 0 ? "id" : "answer"}".`);
    const known = new Map(items.map((item) => [item.id, item]));
    const seen = new Set(), fits = new Map(), elsewhere = [], differing = [];
    rows.slice(1).forEach((row) => {
      const [name, word, there] = [id, said, foretold].map((place) => (row[place] || "").trim());
      const answer = word.toLowerCase();
      if (seen.has(name)) throw new Error(`"${name}" stands in it twice.`);
      if (answer && !ANSWERS.includes(answer)) throw new Error(`"${name}" has the answer "${answer}"; expected right, wrong or unsure.`);
      seen.add(name);
      if (!answer) return;
      const here = known.get(name);
      if (!here) elsewhere.push(name);
      else if (there && there !== here.predicted.trim()) differing.push(`"${name}": "${there}" there, "${here.predicted}" here`);
      else fits.set(name, answer);
    });
    return { fits, elsewhere, differing, told: foretold >= 0 };
  }

  const some = (texts) => texts.slice(0, SOME).join(", ") + (texts.length > SOME ? ", ..." : "");
  const bare = (name) => name.replace(/\.\w+$/, "").replace(/^0+(?=\d)/, "");

  /* What is left out, and why; "" where nothing is. */
  function leftOut({ elsewhere, differing }, items) {
    const parts = [];
    if (elsewhere.length) parts.push(`${elsewhere.length} about images that are not on this page (${some(elsewhere.map((name) => `"${name}"`))})`);
    if (differing.length) parts.push(`${differing.length} about another prediction (${some(differing)})`);
    const name = elsewhere.find((one) => /^\d+$/.test(one)) || "";
    const whole = name && items.find((item) => /^0/.test(item.id) && bare(item.id) === bare(name));
    const hint = whole ? ` A spreadsheet drops leading zeros: "${whole.id}" is here. Import the column id there as text.` : "";
    return parts.length ? `${parts.join("; ")}.${hint}` : "";
  }

  return { ANSWERS, read, leftOut, written };
})();
