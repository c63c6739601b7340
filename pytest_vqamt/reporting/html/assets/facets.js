const embedded = JSON.parse(byId("cases").textContent);
const pictures = embedded.pictures;
const claims = new Map(Object.entries(embedded.claims ?? {}));
for (const card of embedded.cards) card.others ??= [];

// The queries of a case, and that of its contrast.
const queriesOf = (card) => {
  if (!card.contrast) return card.queries;
  const { query } = card.contrast;
  return [...card.queries, { ...query, edits: `contrast: ${query.edits || "original"}` }];
};

// What a query shows: its picture, or those of a conversation.
const shownBy = (query) => query.shown ?? [query];

const verdictOf = (card) => (card.waived ? "waived" : card.verdict);

const violates = (verdict) => verdict === "violated" || verdict === "unparsed";

function changeOf(card) {
  if (!card.before) return "new";
  if (card.waived) return "unknown";
  if (card.before === "holds") return violates(card.verdict) ? "regressed" : card.verdict === "holds" ? "unchanged" : "unknown";
  if (!violates(card.before)) return "unknown";
  return card.verdict === "holds" ? "fixed" : violates(card.verdict) ? "still" : "unknown";
}

const CHANGES = {
  regressed: "regressed: held before, not now",
  still: "violated before and now",
  fixed: "fixed: holds now, not before",
  unchanged: "holds before and now",
  new: "not in the baseline",
  unknown: "an error before or now, declined, flaky or waived",
};

const shownVerdict = (verdict) => (verdict === "unparsed" ? "unread" : verdict);

const SHOWN = {
  change: (value) => CHANGES[value] ?? value,
  verdict: shownVerdict,
  answer: shownVerdict,
};

const answersOf = (card) => card.queries.map((query) => query.reading ?? query.answer ?? "no answer");

function factsOf(card) {
  const facts = Object.entries(card.facts).map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`);
  return card.presumed ? ["presumed", ...facts] : facts;
}

// What cases can be chosen by; each gives the values that a card has.
const FACETS = {
  relation: (card) => [card.item],
  verdict: (card) => (card.contrast ? [verdictOf(card), "contrast violated"] : [verdictOf(card)]),
  change: (card) => [changeOf(card)],
  model: (card) => [card.model],
  data: (card) => [card.data],
  object: (card) => card.objects,
  answer: answersOf,
  fact: factsOf,
};
const FACET_NAMES = Object.keys(FACETS);

const cards = embedded.cards.map((card) => {
  const values = Object.fromEntries(FACET_NAMES.map((name) => [name, new Set(FACETS[name](card))]));
  const words = queriesOf(card).flatMap((query) => [query.text, query.answer, query.reading, query.edits]);
  const text = [card.id, card.item, card.scene, card.expected, card.reason, ...words, ...values.object, ...values.fact]
    .filter((each) => each)
    .join("\n")
    .toLowerCase();
  return { card, values, text };
});

const hasBaseline = embedded.cards.some((card) => card.before);

function fits(each, chosen, but = "") {
  return (
    FACET_NAMES.every((name) => name === but || !chosen[name] || each.values[name].has(chosen[name])) &&
    chosen.text.toLowerCase().split(/\s+/).every((word) => each.text.includes(word))
  );
}

// How many of the cases that fit everything else have each value of a facet.
function countsOf(name, chosen) {
  const counts = new Map();
  for (const each of cards) {
    if (!fits(each, chosen, name)) continue;
    for (const value of each.values[name]) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

// How many cases of the whole report have a value of a facet; 0 where the report does not count them.
function totalOf(name, value, chosen) {
  const wanted = { ...chosen, [name]: value };
  if (wanted.text || wanted.object || wanted.answer || wanted.fact || (wanted.verdict && wanted.change)) return 0;
  const fitting = (embedded.totals ?? []).filter((row) => ["relation", "model", "data"].every((each) => !wanted[each] || row[each] === wanted[each]));
  const countOf = (row) => (wanted.verdict ? row.verdict[wanted.verdict] : wanted.change ? row.change[wanted.change] : row.cases) ?? 0;
  return fitting.reduce((sum, row) => sum + countOf(row), 0);
}

const EXPORTED = ["id", "item", "model", "data", "scene", "verdict", "before", "expected", "reason"];

// What a spreadsheet would run as a formula gets an apostrophe, as in the files of `vqamt report --csv`.
const asCell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = /^['=+\-@\t\r\n|%]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

function csvOf(shown) {
  const most = Math.max(0, ...shown.map((card) => card.queries.length));
  const numbered = Array.from({ length: most }, (_, place) => ["text", "edits", "answer", "reading"].map((name) => `${name}_${place + 1}`)).flat();
  const rows = shown.map((card) => [
    ...EXPORTED.map((name) => (name === "verdict" ? verdictOf(card) : card[name])),
    ...Array.from({ length: most }, (_, place) => card.queries[place]).flatMap((query) => (query ? [query.text, query.edits, query.answer, query.reading] : ["", "", "", ""])),
  ]);
  const heads = [...EXPORTED.map((name) => ({ id: "case_id", item: "relation" })[name] ?? name), ...numbered];
  return `\ufeff${[heads, ...rows].map((row) => row.map(asCell).join(",")).join("\r\n")}\r\n`;
}

// The embedded order is that of use; each order sorts what is found so far, ties by use.
const by = (key) => (one, other) => {
  const [a, b] = [key(one.card), key(other.card)];
  return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
};
const ORDERS = {
  "": ["by use: gates and regressions first", () => 0],
  relation: ["by relation", by((card) => card.item)],
  scene: ["by scene", by((card) => card.scene)],
  sure: ["surest answers first", by((card) => -(card.margin ?? -1))],
  short: ["fewest questions first", by((card) => card.queries.length)],
};
