// The legend over the picture: what the colours of surface and contacts mean.
import { colorAt } from "../math/colormap";
import { digits, quantity } from "../math/format";
import type { State } from "../state";
import { SLIDING, STICKING } from "../view/palette";
import { h } from "./dom";

export function legend(state: State): HTMLElement {
  const strip = h("canvas", { width: 256, height: 1, class: "strip", "aria-hidden": "true" });
  drawStrip(strip);
  const title = h("div", { class: "legend-title" });
  const ends = h("div", { class: "legend-ends" });
  const colors = h("div", { id: "legend-surface" }, title, strip, ends);
  const missing = h("p", { class: "quiet", id: "legend-missing" });
  const states = h(
    "div",
    { id: "legend-states", class: "legend-states" },
    dot(STICKING, "sticks"),
    dot(SLIDING, "slides"),
  );
  const element = h("div", { class: "legend surface", role: "note", "aria-label": "Legend" }, colors, missing, states);
  const refresh = () => {
    const { surface, contacts, forces, states: split } = state.overlays.value;
    const range = state.range.value;
    colors.hidden = surface === "none" || range === null;
    missing.hidden = surface === "none" || range !== null || state.mode.value !== "recording";
    missing.textContent = `This recording has no ${surface}.`;
    states.hidden = !(split && (contacts || forces));
    element.hidden = colors.hidden && states.hidden && missing.hidden;
    title.textContent = surface === "stress" ? "Von Mises stress" : "Equivalent strain";
    if (!range) return;
    const [low, high] = range;
    const texts = [low, (low + high) / 2, high].map((value) =>
      surface === "stress" ? quantity(value, "Pa") : `${digits(100 * value)} %`,
    );
    ends.replaceChildren(...texts.map((text) => h("span", {}, text)));
  };
  state.overlays.watch(refresh);
  state.range.watch(refresh);
  return element;
}

function dot(color: number, label: string): HTMLElement {
  const spot = h("i", { class: "dot" });
  spot.style.background = `#${color.toString(16).padStart(6, "0")}`;
  return h("span", {}, spot, label);
}

function drawStrip(canvas: HTMLCanvasElement): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  for (let x = 0; x < canvas.width; x++) {
    const [r, g, b] = colorAt(x / (canvas.width - 1)).map((part) => Math.round(255 * part));
    context.fillStyle = `rgb(${r} ${g} ${b})`;
    context.fillRect(x, 0, 1, 1);
  }
}
