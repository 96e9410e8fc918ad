// The bar at the bottom: play, step, reset, speed, time line of a recording, and the numbers one looks at most.
import type { Stats } from "../data/types";
import { clock, realTimeFactor } from "../math/format";
import type { Session } from "../session";
import type { State } from "../state";
import { h, icon, iconButton } from "./dom";
import * as icons from "./icons";
import { timelineBar } from "./timeline";

const SPEEDS: [string, number | null][] = [
  ["0.1×", 0.1],
  ["0.25×", 0.25],
  ["0.5×", 0.5],
  ["1×", 1],
  ["2×", 2],
  ["Max", null],
];

export function bar(state: State, session: () => Session | null, togglePanel: () => void): HTMLElement {
  const play = iconButton(icons.PLAY, "Play", () => playOrPause(state, session()), "Space");
  play.classList.add("primary");
  state.playing.watch((playing) => {
    play.replaceChildren(icon(playing ? icons.PAUSE : icons.PLAY, true));
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
    play.title = playing ? "Pause (Space)" : "Play (Space)";
  });
  const back = iconButton(icons.BACK, "One frame back", () => session()?.step(-1), "←");
  state.mode.watch((mode) => {
    back.hidden = mode !== "recording";
  });
  const panel = iconButton(icons.PANEL, "Side panel", togglePanel, "P");
  panel.id = "panel-toggle";
  return h(
    "div",
    { class: "bar surface", role: "toolbar", "aria-label": "Simulation" },
    iconButton(icons.RESET, "Start again", () => session()?.reset(), "R"),
    back,
    play,
    iconButton(icons.STEP, "One step", () => session()?.step(1), "→"),
    speedChooser(state, session),
    timelineBar(state, session),
    numbers(state),
    panel,
  );
}

export function playOrPause(state: State, session: Session | null): void {
  if (state.playing.value) session?.pause();
  else session?.play();
}

function speedChooser(state: State, session: () => Session | null): HTMLElement {
  const select = h("select", {
    id: "speed",
    "aria-label": "Speed",
    title: "Speed against real time; Max is as fast as possible",
    change: () => session()?.setSpeed(SPEEDS[select.selectedIndex][1]),
  });
  for (const [label] of SPEEDS) select.append(h("option", {}, label));
  state.speed.watch((speed) => {
    const known = SPEEDS.findIndex(([, factor]) => factor === speed);
    if (known >= 0) select.selectedIndex = known;
  });
  return select;
}

function numbers(state: State): HTMLElement {
  const time = h("output", { class: "time", title: "Simulated time" }, "0.00 s");
  const factor = number("real time", "Simulated seconds per second of the clock");
  const frames = number("fps", "Frames drawn per second");
  state.stats.watch((stats: Stats | null) => {
    time.textContent = clock(stats?.time ?? 0, state.scene.value?.layout.dt ?? 0.01);
    factor.value.textContent = realTimeFactor(stats?.real_time_factor ?? null);
  });
  state.mode.watch((mode) => {
    factor.box.hidden = mode === "recording";
  });
  state.framesPerSecond.watch((rate) => {
    frames.value.textContent = rate === null ? "–" : rate.toFixed(0);
  });
  return h("div", { class: "numbers" }, time, factor.box, frames.box);
}

function number(label: string, hint: string) {
  const value = h("b", {}, "–");
  return { value, box: h("span", { class: "number", title: hint }, value, ` ${label}`) };
}
