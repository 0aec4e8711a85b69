"use strict";
// The search. A word becomes terms as in the program's search: content.stems has the words of the documents
// with their terms. Characters of scripts without spaces between words count in pairs.
const paired = String.raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}` +
  String.raw`\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]&&[\p{L}\p{M}]]`;
const isPaired = new RegExp(paired, "v");
const wordPattern = new RegExp(String.raw`${paired}+|[[\p{L}\p{M}\p{N}_]--${paired}]+(?:['’][\p{L}\p{M}]+)*`, "gv");
const stems = new Map(Object.entries(content.stems).flatMap(([terms, words]) =>
  words.split(" ").map(word => [word, [...terms.replace("+", "").split(" "), terms.startsWith("+") ? word : ""].filter(term => term !== "")])));

// termsOf returns the terms of a word, none for a stop word.
function termsOf(word) {
  const key = word.toLowerCase().replaceAll("’", "'");
  if (stems.has(key)) return stems.get(key);
  if (!isPaired.test(key)) return [key.normalize("NFKD").replace(/\p{M}/gu, "")];
  const letters = [...key];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, i) => letters[i] + letter);
}

const parser = new DOMParser();

// blocksOf returns the blocks of a document's text, with the line of the file on which each begins.
function blocksOf(d) {
  const texts = document.createTreeWalker(parser.parseFromString(d.html, "text/html").body, NodeFilter.SHOW_TEXT);
  const blocks = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const owner = node.parentElement.closest("[data-line]");
    if (blocks.length === 0 || blocks.at(-1).owner !== owner) {
      blocks.push({ owner, text: "", line: Number(owner?.dataset.line ?? blocks.at(-1)?.line ?? 1) });
    }
    blocks.at(-1).text += node.data;
  }
  return blocks.filter(block => block.text.trim() !== "");
}

const ends = /(?<=[.!?…]["'”’)\]]*\s)|(?<=[。！？])/u;

// sentencesOf returns the sentences of a document with their lines and the headings above them. A line of
// code and a row of a table count as sentences.
function sentencesOf(d) {
  if (d.sentences) return d.sentences;
  d.sentences = [];
  const above = [];
  for (const { owner, text, line } of blocksOf(d)) {
    const depth = Number(/^H([1-6])$/.exec(owner?.tagName)?.[1] ?? 0);
    if (depth > 0) above.length = depth - 1;
    const isRow = ["TR", "THEAD"].includes(owner?.tagName);
    let at = line;
    for (const part of isRow ? [text] : text.split(owner?.tagName === "PRE" ? /(?<=\n)/ : ends)) {
      const sentence = part.replace(/\s+/g, " ").trim();
      if (sentence) d.sentences.push({ text: sentence, line: at, path: above.filter(Boolean).join(" › ") });
      at += part.split("\n").length - 1;
    }
    if (depth > 0) above[depth - 1] = text.replace(/\s+/g, " ").trim();
  }
  return d.sentences;
}

const textOf = d => sentencesOf(d).map(sentence => sentence.text).join(" ");

// The index: the documents that have a term, with its weight by BM25. A word of a title counts four times, a tag
// twice. Documents are listed before the index is made, and what was typed waits for it.
const postings = new Map();
let indexed = null;
const ready = () => indexed ??= makeIndex();

async function makeIndex() {
  for (const [i, d] of documents.entries()) {
    addToIndex(d);
    if (i % 40 === 39) await new Promise(next => setTimeout(next)); // the page answers in the meantime
  }
}

function addToIndex(d) {
  const counts = new Map();
  let length = 0;
  const values = d.fields.flatMap(field => field.values).join(" ");
  for (const [text, times] of [[d.title, 4], [d.tags.join(" "), 2], [textOf(d), 1], [values, 1]]) {
    for (const term of (text.match(wordPattern) ?? []).flatMap(termsOf)) {
      counts.set(term, (counts.get(term) ?? 0) + times);
      length++;
    }
  }
  for (const [term, n] of counts) {
    if (!postings.has(term)) postings.set(term, new Map());
    postings.get(term).set(d, 3 * n / (n + 0.5 + 1.5 * Math.min(4, length / 400)));
  }
}

// alternatives returns, for each term of a word, the terms that count as it: itself and, where the word may be the
// beginning of one, the terms of the words that begin with it.
function alternatives(word, isBeginning) {
  const terms = termsOf(word);
  if (!isBeginning || terms.length !== 1) return terms.map(term => [term]);
  const longer = [...stems].filter(([other]) => other.startsWith(word.toLowerCase())).flatMap(([, terms]) => terms);
  return [[...new Set([...terms, ...longer, ...[...postings.keys()].filter(term => term.startsWith(terms[0]))])]];
}

// rank returns the documents that have any of the alternatives, the best first: those with the most terms, and
// then those with the rarest. A beginning counts half, and so does a document that does not hold.
function rank(wanted) {
  const found = new Map();
  for (const alternatives of wanted) {
    const best = new Map();
    for (const [i, term] of alternatives.entries()) {
      const having = postings.get(term) ?? new Map();
      const rarity = Math.log(1 + documents.length / having.size) * (i === 0 ? 1 : 0.5);
      for (const [d, weight] of having) {
        best.set(d, Math.max(best.get(d) ?? 0, weight * rarity * (d.holds ? 1 : 0.5)));
        if (!found.has(d)) found.set(d, { d, terms: new Set(), n: 0, score: 0 });
        found.get(d).terms.add(term);
      }
    }
    for (const [d, score] of best) {
      found.get(d).n++;
      found.get(d).score += score;
    }
  }
  return [...found.values()].sort((a, b) => b.n - a.n || b.score - a.score);
}

// successorsFirst puts each document behind the one that replaces or amends it, which is added if it was not found.
function successorsFirst(ranked) {
  const found = new Map(ranked.map(one => [one.d, one]));
  const seen = new Set();
  return ranked.flatMap(one => {
    const chain = [];
    for (let d = one.d; d && !seen.has(d); d = byPath.get(d.by)) {
      seen.add(d);
      chain.push(found.get(d) ?? { ...chain.at(-1), d });
    }
    return chain.reverse();
  });
}

// search returns the documents that have the words, the best first, and the terms that they have: those with all
// words, of which the last may be a beginning; else those in which all may be; else those with any.
function search(words) {
  const typed = words.match(wordPattern) ?? [];
  const strict = typed.flatMap((word, i) => alternatives(word, i === typed.length - 1));
  const loose = typed.flatMap(word => alternatives(word, true));
  const ranked = [strict, loose].map(wanted => ({ all: rank(wanted), n: wanted.length }));
  const complete = ranked.map(({ all, n }) => all.filter(found => found.n === n)).find(list => list.length > 0);
  return successorsFirst(complete ?? ranked[1].all);
}

const has = (terms, word) => termsOf(word).some(term => terms.has(term));

// bestSentences returns the two sentences of a document that have the most terms, in the order of the file.
function bestSentences(d, terms) {
  const scored = sentencesOf(d).map(sentence => {
    sentence.terms ??= [...new Set((sentence.text.match(wordPattern) ?? []).flatMap(termsOf))];
    return { ...sentence, score: sentence.terms.filter(term => terms.has(term)).length };
  });
  return scored.filter(sentence => sentence.score > 0).sort((a, b) => b.score - a.score).slice(0, 2).sort((a, b) => a.line - b.line);
}

// marked returns a text of at most about 220 characters around the first of the terms, with the terms marked.
function marked(text, terms) {
  const places = [...text.matchAll(wordPattern)].filter(([word]) => has(terms, word));
  const first = places[0]?.index ?? 0;
  const start = text.length <= 220 ? 0 : Math.max(0, first - 120, text.lastIndexOf(" ", Math.max(0, first - 60)));
  const end = text.length <= start + 220 ? text.length : endOf(text, first + (places[0]?.[0].length ?? 0), start + 220);
  const parts = [start > 0 ? "…" : ""];
  let at = start;
  for (const { 0: word, index } of places) {
    if (index < at || index >= end) continue;
    parts.push(text.slice(at, index), element("mark", {}, text.slice(index, Math.min(index + word.length, end))));
    at = index + word.length;
  }
  parts.push(text.slice(at, Math.max(at, end)), end < text.length ? " …" : "");
  return parts;
}
