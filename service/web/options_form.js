// A form for a ruleset's options, built from their JSON Schema.

import { el, field, select } from "./dom.js";
import { idAsWords, t } from "./words.js";

/**
 * Returns `{node, values()}` for an options schema. `label(name)` and `show(value)` return the
 * texts for an option and for one of its values; `values` leaves out options at their default.
 */
export function form(schema, label, show) {
  const controls = Object.entries(schema.properties).map(([name, kind]) => [name, kind, control(kind, show)]);
  const node = el("div", { class: "options" }, controls.map(([name, kind, { node: part, many }]) =>
    many
      ? el("fieldset", { class: "field" }, el("legend", { class: "label", text: label(name) }), part, el("small", { text: kind.description }))
      : field(label(name), part, kind.description)));
  const values = () => {
    const changed = {};
    for (const [name, kind, { value }] of controls) {
      const chosen = value();
      if (JSON.stringify(chosen) !== JSON.stringify(kind.default)) changed[name] = chosen;
    }
    return changed;
  };
  return { node, values };
}

function control(kind, show) {
  const parts = kind.anyOf ?? [kind];
  const is = (part, type) => [part.type].flat().includes(type);
  const inner = parts.find((part) => part.type !== "null");
  if (is(inner, "boolean")) return checkbox(kind);
  if (is(inner, "array") && inner.items?.enum) return checkboxes(inner, show);
  if (is(inner, "object")) return numberInputs(inner);
  return oneOf(kind, parts.some((part) => is(part, "null")), show);
}

function checkbox(kind) {
  const node = el("input", { type: "checkbox", checked: kind.default });
  return { node, value: () => node.checked };
}

/** Returns a control for one of the values that the schema's parts allow. */
function oneOf(kind, nullable, show) {
  const values = (kind.anyOf ?? [kind]).flatMap((part) => {
    if (part.enum) return part.enum;
    if (part.type === "integer") return Array.from({ length: part.maximum - part.minimum + 1 }, (_, place) => part.minimum + place);
    return [];
  });
  const choices = values.map((value) => [JSON.stringify(value), show(value)]);
  if (nullable) choices.unshift(["null", t("default")]);
  const node = select(choices, JSON.stringify(kind.default));
  return { node, value: () => JSON.parse(node.value) };
}

/** Returns a control for any number of ids; with none chosen its value is null. */
function checkboxes(kind, show) {
  const boxes = kind.items.enum.map((id) => [id, el("input", { type: "checkbox" })]);
  const node = el("div", { class: "boxes" }, boxes.map(([id, box]) => el("label", {}, box, " ", show(id))));
  return {
    node, many: true,
    value: () => {
      const chosen = boxes.filter(([, box]) => box.checked).map(([id]) => id);
      return chosen.length ? chosen : null;
    },
  };
}

/** Returns a control for a count of each id; with none filled in its value is null. */
function numberInputs(kind) {
  const inputs = Object.entries(kind.properties).map(([id, number]) =>
    [id, el("input", { type: "number", min: number.minimum, max: number.maximum, inputmode: "numeric", "aria-label": idAsWords(id) })]);
  const node = el("details", {}, el("summary", { text: t("choose") }),
    el("div", { class: "counts" }, inputs.map(([id, input]) => el("label", {}, `${idAsWords(id)} `, input))));
  return {
    node, many: true,
    value: () => {
      const counts = Object.fromEntries(inputs.filter(([, input]) => input.value !== "").map(([id, input]) => [id, Number(input.value)]));
      return Object.keys(counts).length ? counts : null;
    },
  };
}
