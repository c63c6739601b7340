function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function commandsOf(card) {
  const options = [`--vqamt-model=${card.model}`, `--vqamt-data=${card.data}`, `--vqamt-replay=${card.id}`];
  return [`vqamt replay ${card.id}`, ["pytest", ...options.map(shellWord)].join(" ")];
}

async function copied(text, source) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // without leave to write, what is to be copied is at least selected
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}

function command(text) {
  const code = element("code", {}, text);
  const copy = button("Copy", { "aria-label": `Copy: ${text}` }, async (pressed) => {
    pressed.textContent = (await copied(text, code)) ? "Copied" : "Selected";
    setTimeout(() => { pressed.textContent = "Copy"; }, 1500);
  });
  return element("div", { class: "command" }, code, copy);
}

function labelsOf(card) {
  const relation = element("a", { href: addressOf({ relation: card.item }) }, foreign(card.item));
  return element(
    "div",
    { class: "labels" },
    element("h3", {}, relation),
    tag(verdictOf(card), verdictOf(card)),
    card.contrast ? tag("contrast violated", "unparsed") : null,
    changeOf(card) === "regressed" ? tag("held in the baseline", "regressed") : null,
    card.presumed ? tag("presumed") : null,
    element("span", { class: "of" }, foreign(card.model), " on ", foreign(card.data)),
  );
}

function pictureRow(card) {
  const row = element("div", { class: "pictures" });
  for (const shot of picturesOf(card)) {
    const { edits, number } = shot;
    const shown = shot.picture
      ? button("", { class: "picture", "aria-label": `Enlarge picture ${number}: ${edits}` }, (pressed) => enlarge(card, number, pressed))
      : element("span", { class: "of" }, "no picture here");
    if (shot.picture) shown.append(framed(shot, `scene ${card.scene}, ${edits}`));
    row.append(element("figure", {}, shown, element("figcaption", {}, `${number}: ${edits}`)));
  }
  return row;
}

const askedOf = (query) => `${query.text || "(to be described)"}${query.manner ? ` (${query.manner})` : ""}`;

const answerOf = (query) => (query.answer === null ? "no answer" : query.answer || "(nothing)");

function questions(card) {
  const numbers = new Map(picturesOf(card).map(({ digest, number }) => [digest, number]));
  const rows = queriesOf(card).map((query) => {
    const differs = query.reading !== null && query.reading !== query.answer;
    return element(
      "tr",
      {},
      element("td", { class: "which", title: "the picture" }, String(numbers.get(query.picture))),
      element("td", {}, foreign(askedOf(query))),
      element("td", { class: "said" }, foreign(answerOf(query)), differs ? element("span", { class: "read" }, " read as ", foreign(query.reading)) : null),
    );
  });
  if (card.contrast) rows.at(-1).classList.add("contrast");
  const head = ["picture", "text", "answer"].map((name) => element("th", { scope: "col" }, element("span", { class: "unseen" }, name)));
  return element("table", { class: "asked-of" }, element("thead", { class: "unseen" }, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

// Why the last answer should have been another than that to the same text about the picture of the case.
function contrastOf({ of, expected, reason, presumed }) {
  const found = reason.startsWith(expected) ? reason : `${expected}: ${reason}`;
  return element("p", {}, element("b", {}, "Contrast: "), `the last text is text ${of + 1} about another picture; `, foreign(found), presumed ? " (presumed)" : "");
}

function cardOf(card) {
  const facts = [["scene", card.scene], ...Object.entries(card.facts).map(([name, value]) => [name.replaceAll("_", " "), String(value)]), ["case", card.id]];
  return element(
    "article",
    { class: "card", "aria-label": `${card.item}, case ${card.id}` },
    labelsOf(card),
    element(
      "div",
      { class: "case" },
      pictureRow(card),
      element(
        "div",
        { class: "said-of" },
        questions(card),
        element("p", {}, element("b", {}, "Expected: "), foreign(card.expected)),
        card.reason ? element("p", {}, element("b", {}, "Found: "), foreign(card.reason)) : null,
        card.contrast ? contrastOf(card.contrast) : null,
      ),
    ),
    element("dl", { class: "facts" }, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, foreign(name)), element("dd", {}, foreign(value))))),
    element(
      "details",
      {},
      element("summary", {}, "Replay"),
      ...commandsOf(card).map(command),
      element("a", { href: addressOf({ text: card.id }) }, "Link to this case"),
    ),
  );
}
