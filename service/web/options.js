// A form for a ruleset's options, built from their JSON Schema.

import { el, field, select } from "./dom.js";
import { plain, t } from "./words.js";

/**
 * Returns `{node, values()}` for an options schema. `label(name)` and `shown(value)` are the words
 * for an option and for one of its values; `values` leaves out what stands at its default.
 */
export function form(schema, label, shown) {
  const controls = Object.entries(schema.properties).map(([name, kind]) => [name, kind, control(kind, shown)]);
  const node = el("div", { class: "options" }, controls.map(([name, kind, { node: part, many }]) =>
    many
      ? el("fieldset", { class: "field" }, el("legend", { class: "label", text: label(name) }), part, el("small", { text: kind.description }))
      : field(label(name), part, kind.description)));
  const values = () => {
    const found = {};
    for (const [name, kind, { value }] of controls) {
      const chosen = value();
      if (JSON.stringify(chosen) !== JSON.stringify(kind.default)) found[name] = chosen;
    }
    return found;
  };
  return { node, values };
}

function control(kind, shown) {
  const parts = kind.anyOf ?? [kind];
  const is = (part, type) => [part.type].flat().includes(type);
  const inner = parts.find((part) => part.type !== "null");
  if (is(inner, "boolean")) return yesOrNo(kind);
  if (is(inner, "array") && inner.items?.enum) return several(inner, shown);
  if (is(inner, "object")) return counts(inner);
  return oneOf(kind, parts.some((part) => is(part, "null")), shown);
}

function yesOrNo(kind) {
  const node = el("input", { type: "checkbox", checked: kind.default });
  return { node, value: () => node.checked };
}

/** One of the values that the schema's parts allow. */
function oneOf(kind, nullable, shown) {
  const values = (kind.anyOf ?? [kind]).flatMap((part) => {
    if (part.enum) return part.enum;
    if (part.type === "integer") return Array.from({ length: part.maximum - part.minimum + 1 }, (_, place) => part.minimum + place);
    return [];
  });
  const choices = values.map((value) => [JSON.stringify(value), shown(value)]);
  if (nullable) choices.unshift(["null", t("default")]);
  const node = select(choices, JSON.stringify(kind.default));
  return { node, value: () => JSON.parse(node.value) };
}

/** Any of some ids; none chosen is null. */
function several(kind, shown) {
  const boxes = kind.items.enum.map((id) => [id, el("input", { type: "checkbox" })]);
  const node = el("div", { class: "boxes" }, boxes.map(([id, box]) => el("label", {}, box, " ", shown(id))));
  return {
    node, many: true,
    value: () => {
      const chosen = boxes.filter(([, box]) => box.checked).map(([id]) => id);
      return chosen.length ? chosen : null;
    },
  };
}

/** How many of each id; all empty is null. */
function counts(kind) {
  const inputs = Object.entries(kind.properties).map(([id, number]) =>
    [id, el("input", { type: "number", min: number.minimum, max: number.maximum, inputmode: "numeric", "aria-label": plain(id) })]);
  const node = el("details", {}, el("summary", { text: t("choose") }),
    el("div", { class: "counts" }, inputs.map(([id, input]) => el("label", {}, `${plain(id)} `, input))));
  return {
    node, many: true,
    value: () => {
      const found = Object.fromEntries(inputs.filter(([, input]) => input.value !== "").map(([id, input]) => [id, Number(input.value)]));
      return Object.keys(found).length ? found : null;
    },
  };
}
