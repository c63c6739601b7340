const enlarged = byId("enlarged");
let gallery = [];
let place = 0;
let opener = null;

function enlarge(card, letter, pressed) {
  gallery = matching().flatMap((each) => picturesOf(each).filter(({ picture }) => picture).map((shown) => ({ card: each, ...shown })));
  place = gallery.findIndex((each) => each.card === card && each.letter === letter);
  opener = pressed;
  for (const id of ["previous", "following"]) byId(id).hidden = false;
  showEnlarged();
  enlarged.showModal();
}

function showEnlarged() {
  const { card, picture, edits, letter, digest, regions } = gallery[place];
  const frame = framed(gallery[place], `scene ${card.scene}, ${edits}`);
  const [image] = frame.children;
  image.addEventListener("load", () => {
    const factor = Math.min((innerWidth - 48) / picture.width, (innerHeight - 240) / picture.height, 6);
    image.style.width = `${Math.max(1, Math.floor(picture.width * factor))}px`;
  });
  for (const region of regions) {
    const label = element("span", { class: "labelled" }, region.kind === "edit" ? `edited: ${region.label}` : region.label);
    label.style.left = `${100 * Math.max(0, region.x)}%`;
    label.style.top = `${100 * Math.max(0, region.y)}%`;
    frame.append(label);
  }
  load(image);
  byId("enlarged-title").textContent = `${card.item}, picture ${letter}: ${edits}`;
  byId("enlarged-picture").replaceChildren(frame);
  const letters = lettersOf(picturesOf(card));
  const asked = queriesOf(card).filter((query) => shownBy(query).some((shown) => shown.picture === digest));
  byId("enlarged-text").replaceChildren(
    ...asked.map((query) => element("p", { class: "turns" }, foreign(askedOf(query, letters)), " ", element("b", {}, foreign(answerOf(query))))),
    element("p", { class: "of" }, `${place + 1} of ${gallery.length}`),
  );
}

// Both pictures in one place: the first to the left of the slider, the second to its right.
function compareIn(card, [before, after], pressed) {
  gallery = [];
  opener = pressed;
  const letters = lettersOf(picturesOf(card));
  const factor = Math.min((innerWidth - 48) / before.picture.width, (innerHeight - 260) / before.picture.height, 6);
  const frames = [before, after].map((shot) => {
    const frame = framed(shot, `scene ${card.scene}, ${shot.edits}`);
    frame.firstChild.style.width = `${Math.max(1, Math.floor(before.picture.width * factor))}px`;
    load(frame.firstChild);
    return frame;
  });
  const [under, over] = frames;
  over.classList.add("over");
  over.firstChild.style.height = "100%";
  const slider = element("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": `how much of picture ${before.letter} is seen` });
  const both = element("div", { class: "overlaid" }, under, over);
  const cut = () => {
    over.style.clipPath = `inset(0 0 0 ${slider.value}%)`;
    both.style.setProperty("--cut", `${slider.value}%`);
  };
  slider.addEventListener("input", cut);
  const flip = button("Flip", {}, () => {
    slider.value = slider.value > 50 ? 0 : 100;
    cut();
  });
  cut();
  byId("enlarged-title").textContent = `${card.item}, pictures ${before.letter} and ${after.letter}`;
  byId("enlarged-picture").replaceChildren(both);
  byId("enlarged-text").replaceChildren(
    element("p", { class: "slide" }, `${before.letter}: ${before.edits}`, slider, `${after.letter}: ${after.edits}`, flip),
    ...queriesOf(card).map((query) => element("p", { class: "turns" }, element("span", { class: "of", title: "the picture" }, `${shownIn(query, letters)}: `), foreign(askedOf(query, letters)), " ", element("b", {}, foreign(answerOf(query))))),
  );
  for (const id of ["previous", "following"]) byId(id).hidden = true;
  enlarged.showModal();
  slider.focus();
}

function goOn(step) {
  if (!gallery.length) return;
  place = (place + step + gallery.length) % gallery.length;
  showEnlarged();
}

function startEnlarging() {
  byId("previous").addEventListener("click", () => goOn(-1));
  byId("following").addEventListener("click", () => goOn(1));
  byId("close").addEventListener("click", () => enlarged.close());
  enlarged.addEventListener("click", (event) => { if (event.target === enlarged) enlarged.close(); });
  enlarged.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") goOn(-1);
    if (event.key === "ArrowRight") goOn(1);
  });
  enlarged.addEventListener("close", () => opener?.focus());
}
