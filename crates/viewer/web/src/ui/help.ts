// The sheet of help: keys, mouse and touch.
import { h, iconButton } from "./dom";
import * as icons from "./icons";

const KEYS: [string, string][] = [
  ["Space", "Play or pause"],
  ["→ or .", "One step (with Shift: ten)"],
  ["←", "One frame back, in a recording"],
  ["R", "Start again"],
  ["F", "Fit the view"],
  ["V", "The view of the scene file"],
  ["C", "Contact points"],
  ["A", "Contact forces as arrows"],
  ["L", "Colours of sticking and sliding"],
  ["S", "Stress, strain, plain colours in turn"],
  ["W", "Wireframe"],
  ["I", "Pins"],
  ["O", "Shape at rest"],
  ["K", "Keep holds after letting go"],
  ["X", "Let go of everything"],
  ["P", "Fold the panel"],
  ["T", "Light or dark"],
  ["Esc", "Let go, close, dismiss"],
];

const POINTER: [string, string][] = [
  ["Drag a body", "Pulls the vertex under the pointer"],
  [
    "Shift while letting go",
    "The vertex stays held; drag its ball to move it, double-click or press long to remove it",
  ],
  ["Drag beside", "Turns the view"],
  ["Right button, two fingers", "Moves the view"],
  ["Wheel, pinch", "Nearer and farther"],
  ["Double-click beside", "Fits the view"],
  ["Several fingers on a body", "Hold several vertices"],
];

export interface Help {
  element: HTMLDialogElement;
  toggle(): void;
}

export function help(version: () => string): Help {
  const about = h("p", { class: "quiet" });
  const element = h(
    "dialog",
    { class: "sheet surface", "aria-label": "Help" },
    h(
      "header",
      {},
      h("h2", {}, "Help"),
      iconButton(icons.CLOSE, "Close", () => element.close(), "Esc"),
    ),
    h("h3", {}, "Mouse and touch"),
    rows(POINTER, false),
    h("h3", {}, "Keys"),
    rows(KEYS, true),
    about,
  );
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  return {
    element,
    toggle() {
      about.textContent = version();
      if (element.open) element.close();
      else element.showModal();
    },
  };
}

function rows(list: [string, string][], keys: boolean): HTMLElement {
  const items = list.flatMap(([what, does]) => [h("dt", {}, keys ? h("kbd", {}, what) : what), h("dd", {}, does)]);
  return h("dl", { class: keys ? "keys" : "pointers" }, ...items);
}
