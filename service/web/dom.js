// Making elements. Texts go in as text, never as markup.

/**
 * Returns an element. `props`: `class`, `text`, `on` (listeners by event), `data` (data-… values);
 * properties such as `value` or `disabled` are set as such, anything else becomes an attribute.
 * Children are nodes or texts; null and false are left out.
 */
export function el(name, props = {}, ...children) {
  return filled(document.createElement(name), props, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** Returns an SVG element; see `el`. */
export function svg(name, props = {}, ...children) {
  return filled(document.createElementNS(SVG, name), props, children);
}

const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "open", "hidden", "min", "max"]);

function filled(node, props, children) {
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") node.setAttribute("class", value);
    else if (key === "text") node.textContent = value;
    else if (key === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (key === "data") Object.assign(node.dataset, value);
    else if (PROPERTIES.has(key) && node instanceof HTMLElement) node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Returns a button that does something; a promise's failure goes to `failed`. */
export function button(text, act, props = {}) {
  return el("button", { type: "button", ...props, on: { click: act } }, text);
}

/** Puts children into an element in place of what it held. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Returns a labelled field: the text above, the control, a hint below. */
export function field(label, control, hint) {
  return el("label", { class: "field" }, el("span", { class: "label", text: label }), control,
    hint ? el("small", { text: hint }) : null);
}

/** Returns a select with `[value, text]` choices. */
export function select(choices, chosen, props = {}) {
  return el("select", props, choices.map(([value, text]) =>
    el("option", { value: String(value), selected: String(value) === String(chosen), text })));
}

/** Returns a seat's round mark with its number: colours are never alone. */
export function disc(seat) {
  return el("span", { class: `disc seat-${seat}`, "aria-hidden": "true", text: seat });
}

/** Tells a text to screen readers. */
export function announce(text) {
  document.getElementById("announced").textContent = text;
}

/** Asks a question in a dialog; resolves to whether it was agreed to. */
export function confirmed(question, yes, no) {
  return new Promise((resolve) => {
    const close = (answer) => () => { dialog.close(); resolve(answer); };
    const dialog = el("dialog", { class: "ask", on: { cancel: () => resolve(false), close: () => dialog.remove() } },
      el("p", { text: question }),
      el("div", { class: "row end" },
        button(no, close(false), { class: "quiet" }), button(yes, close(true), { class: "danger" })));
    document.body.append(dialog);
    dialog.showModal();
  });
}

const PRESSED = "button, a, summary, #picture";
const AFTER = 40; // ms: a finger's click comes a little after it has left
const LONGEST = 1500; // ms that a press may hold anything up

let press = Promise.resolve();

/** Makes `released` know of presses. */
export function watchPresses() {
  document.addEventListener("pointerdown", (event) => {
    if (!event.composedPath().some((node) => node instanceof Element && node.matches(PRESSED))) return;
    press = new Promise((resolve) => {
      const up = () => setTimeout(resolve, AFTER);
      for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, up, { once: true, capture: true });
      setTimeout(resolve, LONGEST);
    });
  }, true);
}

/**
 * Resolves when nothing is being pressed. A button that is exchanged for another one between press
 * and release is never clicked: wait for this before anything is drawn that nobody asked for.
 */
export function released() {
  return press;
}

/** Puts children into an element if they are others than before: `facts` says what they follow from. */
export function refill(node, facts, children) {
  const told = JSON.stringify(facts);
  if (node.facts === told) return;
  node.facts = told;
  fill(node, ...children());
}
