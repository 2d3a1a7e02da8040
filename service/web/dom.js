// Making elements. Texts go in as text, never as markup.

/**
 * Returns an element. `props`: `class`, `text`, `on` (listeners by event), `data` (data-… values);
 * properties such as `value` or `disabled` are set as such, anything else becomes an attribute.
 * Children are nodes or texts; null and false are left out.
 */
export function el(name, props = {}, ...children) {
  return complete(document.createElement(name), props, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** Returns an SVG element; see `el`. */
export function svg(name, props = {}, ...children) {
  return complete(document.createElementNS(SVG, name), props, children);
}

const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "open", "hidden", "min", "max"]);

function complete(node, props, children) {
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

/** Returns a button that calls `act` when it is clicked. */
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

/** Returns a seat's round mark: its colour and its number, as colour alone does not do for everybody. */
export function disc(seat) {
  return el("span", { class: `disc seat-${seat}`, "aria-hidden": "true", text: seat });
}

/** Announces a text to screen readers. */
export function announce(text) {
  document.getElementById("announced").textContent = text;
}

/** Asks a yes-or-no question in a dialog; resolves to whether the answer was yes. */
export function confirm(question, yes, no) {
  return new Promise((resolve) => {
    const close = (answer) => () => { dialog.close(); resolve(answer); };
    const dialog = el("dialog", { class: "confirm", on: { cancel: () => resolve(false), close: () => dialog.remove() } },
      el("p", { text: question }),
      el("div", { class: "row end" },
        button(no, close(false), { class: "quiet" }), button(yes, close(true), { class: "danger" })));
    document.body.append(dialog);
    dialog.showModal();
  });
}

const PRESSED = "button, a, summary, #picture";
const CLICK_DELAY = 40; // ms: a touch's click comes a little after the finger has left
const LONGEST = 1500; // ms that a press may hold anything up

let press = Promise.resolve();

/** Starts tracking presses for `whenReleased`. */
export function trackPresses() {
  document.addEventListener("pointerdown", (event) => {
    if (!event.composedPath().some((node) => node instanceof Element && node.matches(PRESSED))) return;
    press = new Promise((resolve) => {
      const up = () => setTimeout(resolve, CLICK_DELAY);
      for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, up, { once: true, capture: true });
      setTimeout(resolve, LONGEST);
    });
  }, true);
}

/**
 * Resolves when nothing is being pressed. A button that is replaced between press and release is
 * never clicked: wait for this before redrawing anything that the user did not ask for.
 */
export function whenReleased() {
  return press;
}

/** Puts children into an element if `facts`, all that they depend on, have changed since the last call. */
export function fillIfChanged(node, facts, children) {
  const text = JSON.stringify(facts);
  if (node.facts === text) return;
  node.facts = text;
  fill(node, ...children());
}
