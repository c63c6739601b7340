function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function commandsOf(card) {
  const options = [`--vqamt-model=${card.model}`, `--vqamt-data=${card.data}`, `--vqamt-replay=${card.id}`];
  return [`vqamt replay ${shellWord(card.id)}`, ["pytest", ...options.map(shellWord)].join(" ")];
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

function copyButton(name, text, code = null) {
  return button(name, code ? { "aria-label": `${name}: ${text}` } : {}, async (pressed) => {
    const source = code ?? element("pre", { class: "copied" }, text);
    if (!code) pressed.after(source);
    pressed.textContent = (await copied(text, source)) ? "Copied" : "Selected";
    if (!code && pressed.textContent === "Copied") source.remove();
    setTimeout(() => { pressed.textContent = name; }, 1500);
  });
}

function command(text) {
  const code = element("code", {}, text);
  return element("div", { class: "command" }, code, copyButton("Copy", text, code));
}

function labelsOf(card) {
  const relation = element("a", { href: addressOf({ relation: card.item }) }, foreign(card.item));
  return element(
    "div",
    { class: "labels" },
    element("h3", {}, relation),
    tag(shownVerdict(verdictOf(card)), verdictOf(card)),
    card.contrast ? tag("contrast violated", "unparsed") : null,
    changeOf(card) === "regressed" ? tag("held in the baseline", "regressed") : null,
    card.presumed ? tag("presumed") : null,
    element("span", { class: "of" }, named(card.model), " on ", named(card.data)),
  );
}

function pictureRow(card, shots) {
  const row = element("div", { class: "pictures" });
  for (const shot of shots) {
    const { edits, letter } = shot;
    const shown = shot.picture
      ? button("", { class: "picture", "aria-label": `Enlarge picture ${letter}: ${edits}` }, (pressed) => enlarge(card, letter, pressed))
      : element("span", { class: "of" }, "no picture here");
    if (shot.picture) shown.append(framed(shot, `scene ${card.scene}, ${edits}`));
    row.append(element("figure", {}, shown, element("figcaption", {}, `${letter}: ${edits}`)));
  }
  const pair = pairOf(shots);
  const made = element("div", { class: "shots" }, row);
  if (pair) {
    made.append(element("p", { class: "compare" }, button(`Compare ${pair[0].letter} and ${pair[1].letter}`, { "aria-label": `Compare ${pair[0].letter} and ${pair[1].letter} in one place` }, (pressed) => compareIn(card, pair, pressed))));
  }
  return made;
}

const lettersOf = (shots) => new Map(shots.map(({ digest, letter }) => [digest, letter]));

// The letters of pictures; four or more that follow each other, as in a film, are one range: "A to H", or "H to A".
function ranged(digests, letters) {
  const all = [...letters.keys()];
  const made = [];
  for (let at = 0, length; at < digests.length; at += length) {
    const place = all.indexOf(digests[at]);
    const ahead = (step) => {
      let found = 1;
      while (at + found < digests.length && digests[at + found] === all[place + step * found]) found += 1;
      return found;
    };
    length = Math.max(ahead(1), ahead(-1));
    if (length < 4) length = 1;
    const [first, last] = [digests[at], digests[at + length - 1]].map((digest) => letters.get(digest));
    made.push(length > 1 ? `${first} to ${last}` : first);
  }
  return made;
}

// A conversation has a line for each turn, with the letters of its pictures where they come.
function askedOf(query, letters) {
  const manner = query.manner ? ` (${query.manner})` : "";
  if (!query.turns) return `${query.text || "(to be described)"}${manner}`;
  const said = (parts) => {
    const words = [];
    let shown = [];
    const flush = () => { words.push(...ranged(shown, letters).map((letter) => `[${letter}]`)); shown = []; };
    for (const { picture, reply, text } of parts) {
      if (picture) { shown.push(picture); continue; }
      flush();
      words.push(reply === undefined ? text : `(its answer to text ${reply + 1})`);
    }
    flush();
    return words.join(" ");
  };
  const lines = query.turns.map(({ role, parts }) => `${query.turns.length > 1 ? `${role}: ` : ""}${said(parts)}`);
  return `${lines.join("\n")}${manner}`;
}

const shownIn = (query, letters) => ranged([...new Set(shownBy(query).map(({ picture }) => picture))], letters).join(" ");

const answerOf = (query) => (query.answer === null ? "no answer" : query.answer || "(nothing)");

function questions(card, shots) {
  const letters = lettersOf(shots);
  const rows = queriesOf(card).map((query, place) => {
    const differs = query.reading !== null && query.reading !== query.answer;
    return element(
      "tr",
      {},
      element("td", { class: "which" }, String(place + 1)),
      // The text of a conversation names its pictures where they come.
      element("td", { class: "which", title: "the picture" }, query.turns ? "" : letters.get(query.picture)),
      element("td", query.turns ? { class: "turns" } : {}, foreign(askedOf(query, letters))),
      element("td", { class: "said" }, foreign(answerOf(query)), differs ? element("span", { class: "read" }, ...(query.reading === "unparsed" ? [" not understood"] : [" read as ", foreign(query.reading)])) : null),
      ...card.others.map(({ answers }) => element("td", { class: "said other" }, place < answers.length ? foreign(answers[place] ?? "no answer") : "")),
    );
  });
  if (card.contrast) rows.at(-1).classList.add("contrast");
  const several = card.others.length > 0;
  const unseen = ["number", "picture", "text"].map((name) => element("th", { scope: "col" }, element("span", { class: "unseen" }, name)));
  const said = several
    ? [card, ...card.others].map(({ model, verdict }) => element("th", { scope: "col" }, named(model), " ", tag(shownVerdict(verdict), verdict)))
    : [element("th", { scope: "col" }, element("span", { class: "unseen" }, "answer"))];
  return element(
    "table",
    { class: "asked-of" },
    element("thead", several ? {} : { class: "unseen" }, element("tr", {}, ...unseen, ...said)),
    element("tbody", {}, ...rows),
  );
}

// Why the last answer should have been another than that to the same text about the picture of the case.
function contrastOf({ of, expected, reason, presumed }) {
  const found = reason.startsWith(expected) ? reason : `${expected}: ${reason}`;
  return element("p", {}, element("b", {}, "Contrast: "), `the last text is text ${of + 1} about another picture; `, foreign(found), presumed ? " (presumed)" : "");
}

// What a code span or a table cell of Markdown cannot hold is left out of it.
const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");

function markdownOf(card) {
  const models = [card, ...card.others];
  const letters = lettersOf(picturesOf(card));
  const lines = [
    `**${card.item}** on ${card.model}, ${card.data}: ${shownVerdict(verdictOf(card))}`,
    "",
    `| | picture | text | ${models.map(({ model }) => cell(model)).join(" | ")} |`,
    `| --- | --- | --- |${" --- |".repeat(models.length)}`,
    ...queriesOf(card).map((query, place) => {
      const answers = [answerOf(query), ...card.others.map((other) => (place < other.answers.length ? other.answers[place] ?? "no answer" : ""))];
      const shown = new Set(shownBy(query).map(({ picture, edits }) => `${letters.get(picture)}: ${cell(edits || "original")}`));
      return `| ${place + 1} | ${[...shown].join(", ")} | ${[askedOf(query, letters), ...answers].map(cell).join(" | ")} |`;
    }),
    "",
    ...(claims.has(card.item) ? [claims.get(card.item), ""] : []),
    `Expected: ${card.expected}`,
    ...(card.reason ? ["", `Found: ${card.reason}`] : []),
    "",
    `Scene ${card.scene}, \`${commandsOf(card)[0]}\``,
  ];
  return `${lines.join("\n")}\n`;
}

// The commands of a card are made when they are looked at.
const unfilled = new WeakMap();

function fill(details) {
  const card = unfilled.get(details);
  if (!card) return;
  unfilled.delete(details);
  const { expected, scene, id } = card;
  const facts = [...Object.entries({ expected, scene, ...card.facts }).map(([name, value]) => [name.replaceAll("_", " "), String(value)]), ["case", id]];
  details.append(
    element("dl", { class: "facts" }, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, foreign(name)), element("dd", {}, foreign(value))))),
    ...commandsOf(card).map(command),
    element("a", { href: addressOf({ text: card.id }) }, "Link to this case"),
    " ",
    copyButton("Copy as Markdown", markdownOf(card)),
  );
}

function cardOf(card) {
  const shots = picturesOf(card);
  const details = element("details", {}, element("summary", {}, "Facts, replay, copy"));
  unfilled.set(details, card);
  details.firstChild.addEventListener("click", () => fill(details));
  return element(
    "article",
    { class: "card", "aria-label": `${card.item}, case ${card.id}` },
    labelsOf(card),
    element(
      "div",
      { class: "case" },
      pictureRow(card, shots),
      element(
        "div",
        { class: card.others.length ? "said-of whole" : "said-of" },
        questions(card, shots),
        element("p", {}, foreign(claims.get(card.item) || `Expected: ${card.expected}`)),
        card.reason ? element("p", {}, element("b", {}, "Found: "), foreign(card.reason)) : null,
        card.contrast ? contrastOf(card.contrast) : null,
      ),
    ),
    details,
  );
}
