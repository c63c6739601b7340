const enlarged = byId("enlarged");
let gallery = [];
let place = 0;
let opener = null;

function enlarge(card, number, pressed) {
  gallery = matching().flatMap((each) => picturesOf(each).filter(({ picture }) => picture).map((shown) => ({ card: each, ...shown })));
  place = gallery.findIndex((each) => each.card === card && each.number === number);
  opener = pressed;
  showEnlarged();
  enlarged.showModal();
}

function showEnlarged() {
  const { card, picture, edits, number, digest, regions } = gallery[place];
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
  byId("enlarged-title").textContent = `${card.item}, picture ${number}: ${edits}`;
  byId("enlarged-picture").replaceChildren(frame);
  const asked = queriesOf(card).filter((query) => query.picture === digest);
  byId("enlarged-text").replaceChildren(
    ...asked.map((query) => element("p", {}, foreign(askedOf(query)), " ", element("b", {}, foreign(answerOf(query))))),
    element("p", { class: "of" }, `${place + 1} of ${gallery.length}`),
  );
}

function goOn(step) {
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
