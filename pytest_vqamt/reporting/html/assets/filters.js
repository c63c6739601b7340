const BATCH = 24;
const OPTIONS = 300;

const form = byId("filters");
let chosen = { ...NONE };
let found = [];
let built = 0;

const matching = () => found.map(({ card }) => card);

function offer(name) {
  const select = form.elements[name];
  const counts = countsOf(name, chosen);
  const ordered = name === "relation" || name === "fact" || name === "change" ? [...counts] : [...counts].sort((one, other) => other[1] - one[1]);
  const offered = ordered.slice(0, OPTIONS);
  if (chosen[name] && !offered.some(([value]) => value === chosen[name])) offered.push([chosen[name], counts.get(chosen[name]) ?? 0]);
  select.replaceChildren(
    element("option", { value: "" }, "all"),
    ...offered.map(([value, count]) => {
      const total = totalOf(name, value, chosen);
      const of = total > count ? ` of ${total.toLocaleString("en")}` : "";
      return element("option", { value }, `${SHOWN[name]?.(value) ?? value} (${count.toLocaleString("en")}${of})`);
    }),
  );
  select.value = chosen[name];
  select.classList.toggle("set", Boolean(chosen[name]));
}

function say() {
  const all = counted(cards.length, "case");
  const of = found.length === cards.length ? all : `${found.length.toLocaleString("en")} of ${all}`;
  byId("shown").textContent = `${of}, ${built.toLocaleString("en")} shown`;
  const left = found.length - built;
  byId("csv").disabled = found.length === 0;
  byId("more").hidden = left === 0;
  byId("next").textContent = `Show ${Math.min(BATCH, left)} more`;
  byId("rest").textContent = `Show all ${found.length.toLocaleString("en")}`;
  byId("rest").hidden = left <= BATCH;
}

function build(many) {
  const made = document.createDocumentFragment();
  for (const { card } of found.slice(built, built + many)) made.append(cardOf(card));
  [...made.children].forEach((each, place) => (place < BATCH ? loadAll(each) : near.observe(each)));
  const first = made.firstElementChild;
  byId("cards").append(made);
  built = Math.min(found.length, built + many);
  say();
  return first;
}

function apply(next, keep = true) {
  chosen = { ...NONE, ...next };
  const order = Object.hasOwn(ORDERS, chosen.sort) ? chosen.sort : "";
  found = cards.filter((each) => fits(each, chosen)).sort(ORDERS[order][1]);
  form.elements.sort.value = order;
  built = 0;
  near.disconnect();
  byId("cards").replaceChildren();
  FACET_NAMES.forEach(offer);
  const text = form.elements.text;
  if (text.value.trim() !== chosen.text) text.value = chosen.text;
  text.classList.toggle("set", Boolean(chosen.text));
  if (found.length) build(BATCH);
  else byId("cards").append(element("p", { class: "nothing" }, "No case fits all of this."));
  say();
  if (keep) keepInAddress(chosen);
}

function follow(next) {
  apply(next);
  byId("violations").scrollIntoView();
}

// To a place on the page, without losing from the address what is chosen.
function goTo(id) {
  const target = byId(id);
  if (!target) return;
  target.querySelector(":scope > details")?.setAttribute("open", "");
  target.tabIndex = -1;
  target.focus();
}

function startFiltering() {
  form.hidden = false;
  const hasPictures = Object.keys(pictures).length > 0;
  for (const each of [byId("outlines"), form.querySelector(".key")]) each.hidden = !hasPictures;
  for (const name of FACET_NAMES) {
    const values = new Set(cards.flatMap((each) => [...each.values[name]]));
    const useful = name === "change" ? hasBaseline : name === "model" || name === "data" ? values.size > 1 : values.size > 0;
    form.elements[name].closest("label").hidden = !useful;
    form.elements[name].addEventListener("change", (event) => apply({ ...chosen, [name]: event.target.value }));
  }
  const hasMargin = embedded.cards.some((card) => card.margin !== null && card.margin !== undefined);
  const orders = Object.entries(ORDERS).filter(([name]) => name !== "sure" || hasMargin);
  form.elements.sort.append(...orders.map(([value, [shown]]) => element("option", { value }, shown)));
  form.elements.sort.addEventListener("change", (event) => apply({ ...chosen, sort: event.target.value }));
  byId("csv").addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([csvOf(matching())], { type: "text/csv;charset=utf-8" }));
    element("a", { href: url, download: "cases.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  });
  let waiting = 0;
  form.elements.text.addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => apply({ ...chosen, text: event.target.value.trim() }), 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    apply(NONE);
  });
  byId("outlines").addEventListener("click", (event) => {
    const without = document.body.classList.toggle("without-outlines");
    event.target.setAttribute("aria-pressed", String(!without));
  });
  for (const [id, many] of [["next", BATCH], ["rest", Infinity]]) {
    byId(id).addEventListener("click", () => {
      const first = build(many);
      if (byId("more").hidden) first?.querySelector("a")?.focus();
    });
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const next = chosenIn(link.getAttribute("href"));
    if (next) follow(next);
    else goTo(link.getAttribute("href").slice(1));
  });
  addEventListener("hashchange", () => {
    const next = chosenIn(location.hash);
    if (next) follow(next);
  });
  const first = chosenIn(location.hash);
  apply(first ?? NONE, false);
  if (first) byId("violations").scrollIntoView();
}
