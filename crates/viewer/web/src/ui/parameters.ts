// The parameters of a scene: changing one starts the scene anew.
import type { Parameter, ParameterValue } from "../data/types";
import { digits } from "../math/format";
import { freshId, h } from "./dom";
import { readNumber, textField } from "./field";

export function parameterRows(
  parameters: Parameter[],
  changed: (name: string, value: ParameterValue) => void,
): HTMLElement | null {
  if (parameters.length === 0) return null;
  return h(
    "details",
    { class: "parameters", open: true },
    h("summary", {}, "Parameters ", h("span", { class: "tag" }, "restarts the scene")),
    ...parameters.map((parameter) => row(parameter, (value) => changed(parameter.name, value))),
  );
}

function row({ name, value }: Parameter, changed: (value: ParameterValue) => void): HTMLElement {
  const id = freshId("parameter");
  const input = field(id, name, value, changed);
  return h("div", { class: "parameter" }, h("label", { for: id }, name), input);
}

function field(id: string, name: string, value: ParameterValue, changed: (value: ParameterValue) => void) {
  if (typeof value === "boolean") {
    const box = h("input", {
      type: "checkbox",
      role: "switch",
      id,
      "data-parameter": name,
      change: () => changed(box.checked),
    });
    box.checked = value;
    return box;
  }
  const text = textField({ id, "data-parameter": name }, (typed) => {
    const number = readNumber(typed);
    // A text stays a text, even if it looks like a number.
    if (typeof value === "string") changed(typed);
    else if (number !== null) changed(number);
    else text.show(shown);
  });
  const shown = typeof value === "number" ? digits(value, 6) : value;
  text.show(shown);
  return text.input;
}
