const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

// Children that are texts become text nodes: nothing that a model said is ever read as markup.
function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

// A text that others wrote, whichever way it runs: what stands beside it keeps its place.
const foreign = (text) => element("bdi", {}, String(text));

// A long spec breaks behind its parts.
const named = (spec) => element("bdi", {}, ...spec.split(/(?<=[:/])/).flatMap((part) => [part, element("wbr")]));

const drawn = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

function button(text, attributes, pressed) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", () => pressed(made));
  return made;
}

// The glossary of the page explains the tags of its cards, too.
const meanings = new Map([...document.querySelectorAll("#glossary dt")].map((term) => [term.textContent, term.nextElementSibling.textContent]));

const tag = (text, kind = "") => element("span", { class: `tag ${kind}`.trim(), title: meanings.get(text) }, text);

const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
