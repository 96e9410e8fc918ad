// The second tab: what is shown over the picture.
import type { Overlays, SurfaceColor } from "../overlays";
import type { State } from "../state";
import { h, toggle } from "./dom";
import { readNumber, textField } from "./field";

type Switch = { [K in keyof Overlays]: Overlays[K] extends boolean ? K : never }[keyof Overlays];

const SURFACES: [SurfaceColor, string][] = [
  ["none", "Plain"],
  ["stress", "Von Mises stress"],
  ["strain", "Strain"],
];

export function showTab(state: State): HTMLElement {
  return h(
    "div",
    {},
    section("Surface", surfaceChoice(state), rangeChoice(state)),
    section(
      "Contacts",
      overlay(state, "contacts", "Contact points", "C"),
      overlay(state, "forces", "Forces as arrows", "A"),
      arrowLength(state),
      overlay(state, "states", "Colours of sticking and sliding", "L"),
    ),
    section(
      "Bodies",
      overlay(state, "wireframe", "Wireframe", "W"),
      overlay(state, "pins", "Pins", "I"),
      overlay(state, "rest", "Shape at rest", "O"),
      overlay(state, "shadows", "Shadows", ""),
    ),
  );
}

function section(title: string, ...rows: HTMLElement[]): HTMLElement {
  return h("section", { class: "group" }, h("h3", {}, title), ...rows);
}

function overlay(state: State, name: Switch, label: string, key: string): HTMLElement {
  const changed = (on: boolean) => {
    if (name === "shadows") state.shadowsChosen = true;
    state.change({ [name]: on });
  };
  const { row, input } = toggle(label, changed, key);
  input.id = `show-${name}`;
  state.overlays.watch((overlays) => {
    input.checked = overlays[name];
  });
  return row;
}

function surfaceChoice(state: State): HTMLElement {
  const buttons = SURFACES.map(([value, label]) =>
    h(
      "button",
      { type: "button", role: "radio", id: `surface-${value}`, click: () => state.change({ surface: value }) },
      label,
    ),
  );
  state.overlays.watch(({ surface }) => {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-checked", String(SURFACES[i][0] === surface));
    });
  });
  return h("div", { class: "segments", role: "radiogroup", "aria-label": "Colour of the surface" }, ...buttons);
}

/** Automatic, or up to a number in Pa or as a strain. */
function rangeChoice(state: State): HTMLElement {
  const automatic = toggle("Automatic range", (on) =>
    state.change({ rangeTop: on ? null : (state.range.value?.[1] ?? 1) }),
  );
  const field = textField(
    { inputmode: "decimal", id: "range-top", "aria-label": "Upper end of the colours" },
    (text) => {
      const top = readNumber(text);
      if (top !== null && top > 0) state.change({ rangeTop: top });
      else field.show(String(state.overlays.value.rangeTop ?? ""));
    },
  );
  const unit = h("span", { class: "unit" });
  const fixed = h("label", { class: "inline" }, h("span", {}, "Up to"), field.input, unit);
  const box = h("div", {}, automatic.row, fixed);
  automatic.input.id = "range-auto";
  state.overlays.watch(({ surface, rangeTop }) => {
    box.hidden = surface === "none";
    automatic.input.checked = rangeTop === null;
    fixed.hidden = rangeTop === null;
    unit.textContent = surface === "stress" ? "Pa" : "";
    if (rangeTop !== null) field.show(String(rangeTop));
  });
  return box;
}

function arrowLength(state: State): HTMLElement {
  const slider = h("input", {
    type: "range",
    id: "force-length",
    min: -10,
    max: 10,
    "aria-label": "Length of the arrows",
    input: () => state.change({ forceLength: 10 ** (slider.valueAsNumber / 10) }),
  });
  const row = h("label", { class: "inline" }, h("span", {}, "Length"), slider);
  state.overlays.watch(({ forces, forceLength }) => {
    row.hidden = !forces;
    slider.value = String(Math.round(10 * Math.log10(forceLength)));
  });
  return row;
}
