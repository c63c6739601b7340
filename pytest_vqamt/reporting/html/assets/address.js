const NONE = Object.freeze(Object.fromEntries([...FACET_NAMES, "text", "sort"].map((name) => [name, ""])));

// What a link or the address of the page chooses, null where it names a place on the page or nothing at all.
function chosenIn(hash) {
  if (!hash.includes("=")) return null;
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  return Object.fromEntries(Object.keys(NONE).map((name) => [name, given.get(name) ?? ""]));
}

function addressOf(chosen) {
  const set = Object.entries(chosen).filter(([, value]) => value);
  return set.length ? `#${new URLSearchParams(set)}` : "#";
}

function keepInAddress(chosen) {
  try {
    history.replaceState(null, "", addressOf(chosen));
  } catch {
    // a page within a page has no address of its own
  }
}
