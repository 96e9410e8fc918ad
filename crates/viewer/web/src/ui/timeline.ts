// The time line of a recording: where one is, drag to go elsewhere, loop.
import { clock } from "../math/format";
import type { Session } from "../session";
import type { State } from "../state";
import { h, iconButton } from "./dom";
import * as icons from "./icons";

export function timelineBar(state: State, session: () => Session | null): HTMLElement {
  const slider = h("input", {
    type: "range",
    id: "timeline",
    min: 0,
    max: 1,
    step: 1,
    "aria-label": "Time line",
    input: () => session()?.seek(slider.valueAsNumber),
  });
  const end = h("span", { class: "number" });
  const loop = iconButton(icons.LOOP, "Loop", () => {
    state.changeTimeline({ loop: !state.timeline.value?.loop });
  });
  loop.id = "loop";
  const box = h("div", { class: "timeline" }, slider, end, loop);
  state.timeline.watch((timeline) => {
    box.hidden = timeline === null;
    if (!timeline) return;
    const { times, index } = timeline;
    slider.max = String(times.length - 1);
    slider.value = String(index);
    const dt = state.scene.value?.layout.dt ?? 0.01;
    slider.setAttribute("aria-valuetext", clock(times[index] ?? 0, dt));
    end.textContent = `${clock(times[times.length - 1] ?? 0, dt)}${timeline.complete ? "" : " …"}`;
    loop.setAttribute("aria-pressed", String(timeline.loop));
    box.classList.toggle("waiting", timeline.waiting);
  });
  return box;
}
