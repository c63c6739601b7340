// What was edited and what is asked about, over the picture; places are fractions of its width and height.
function outlines(regions) {
  const made = drawn("svg", { class: "regions", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const { kind, label, x, y, w, h } of regions) {
    const place = { x, y, width: w, height: h };
    made.append(
      drawn("rect", { class: "halo", ...place }),
      drawn("rect", { class: kind === "edit" ? "edit" : "asked", ...place }, drawn("title", {}, label)),
    );
  }
  return made;
}

// The addresses of images that are not loaded yet. Loading those of a thousand cards at once takes a second.
const unloaded = new WeakMap();

// Only pictures that stand in the page itself are shown: anything else would be a request.
function load(image) {
  const uri = unloaded.get(image);
  if (uri?.startsWith("data:image/")) image.src = uri;
  unloaded.delete(image);
}

const loadAll = (part) => part.querySelectorAll("img:not([src])").forEach(load);

const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      loadAll(target);
    }
  },
  { rootMargin: "200% 0px" },
);

function framed({ picture, regions }, alt) {
  const image = element("img", { alt, width: picture.width, height: picture.height, decoding: "async" });
  unloaded.set(image, picture.uri);
  return element("span", { class: "frame" }, image, outlines(regions));
}

// Pictures have letters and texts have numbers, so that "first" in an expectation is a text.
const letterOf = (place) => (place < 26 ? String.fromCharCode(65 + place) : `A${place - 25}`);

// The pictures of a case, each once, in the order of its queries, with all that is outlined on them.
function picturesOf(card) {
  const seen = new Map();
  for (const { picture: digest, edits, asked } of queriesOf(card).flatMap(shownBy)) {
    if (!seen.has(digest)) {
      const picture = pictures[digest] ?? null;
      seen.set(digest, { digest, edits: edits || "original", letter: letterOf(seen.size), picture, regions: picture ? [...picture.regions] : [] });
    }
    const { regions } = seen.get(digest);
    for (const region of asked) {
      if (!regions.some((other) => ["kind", "label", "x", "y", "w", "h"].every((key) => other[key] === region[key]))) regions.push(region);
    }
  }
  return [...seen.values()];
}

// Two pictures of a case that can lie on each other: the first, and the next of its shape, if of the same scene.
function pairOf(shots) {
  const [before, after] = shots.filter(({ picture }) => picture);
  const ratio = ({ picture }) => picture.width / picture.height;
  return after && !/^(contrast: )?scene /.test(after.edits) && Math.abs(ratio(before) - ratio(after)) < 0.02 ? [before, after] : null;
}
