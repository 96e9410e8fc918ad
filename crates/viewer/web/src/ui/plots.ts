// The third tab: running plots of what the steps report.
import type { Stats } from "../data/types";
import { digits, quantity } from "../math/format";
import type { State } from "../state";
import { h } from "./dom";
import { Plot, type PlotStyle } from "./plot";

const STAGES = ["detect", "local", "global", "delassus", "contact", "advance"];
const STAGE_COLORS = ["#7aa6c2", "#d08770", "#8fae7b", "#c9a55c", "#a888b5", "#8a90a6"];
/** Milliseconds between two drawings: reading needs no more. */
const PACE = 100;

interface Source {
  style: PlotStyle;
  /** Where it can be shown. */
  from: "live" | "recording" | "both";
  values(stats: Stats): (number | null)[];
}

const SOURCES: Source[] = [
  {
    from: "live",
    style: {
      title: "Time of a step",
      unit: "ms",
      names: STAGES,
      colors: STAGE_COLORS,
      stacked: true,
      format: (value) => digits(value),
    },
    values: (stats) => STAGES.map((stage) => stats.stages[stage] ?? 0),
  },
  {
    from: "live",
    style: {
      title: "Real-time factor",
      unit: "",
      names: ["factor"],
      colors: ["#4f83d6"],
      format: (value) => `${digits(value, 2)}×`,
    },
    values: (stats) => [stats.real_time_factor],
  },
  {
    from: "both",
    style: {
      title: "Contacts",
      unit: "",
      names: ["points", "sticking", "sliding"],
      colors: ["#8a90a6", "#1c9c8a", "#e8743b"],
      format: (value) => digits(value, 4),
    },
    values: (stats) => [stats.contacts, stats.sticking, stats.sliding],
  },
  {
    from: "live",
    style: {
      title: "Residual",
      unit: "",
      names: ["residual"],
      colors: ["#a888b5"],
      log: true,
      format: (value) => digits(value, 2),
    },
    values: (stats) => [stats.residual],
  },
  {
    from: "live",
    style: {
      title: "Energy",
      unit: "",
      names: ["kinetic", "elastic", "potential"],
      colors: ["#d08770", "#4f83d6", "#8fae7b"],
      format: (value) => quantity(value, "J", 3),
    },
    values: ({ energy }) => [energy.kinetic, energy.elastic, energy.potential],
  },
  {
    from: "recording",
    style: {
      title: "Contact force",
      unit: "",
      names: ["sum of sizes"],
      colors: ["#d6456b"],
      format: (value) => quantity(value, "N"),
    },
    values: ({ counted }) => [counted?.force ?? null],
  },
  {
    from: "recording",
    style: {
      title: "Stress",
      unit: "",
      names: ["highest"],
      colors: ["#4f83d6"],
      format: (value) => quantity(value, "Pa"),
    },
    values: ({ counted }) => [counted?.stress ?? null],
  },
];

export function plotsTab(state: State): HTMLElement {
  const box = h("div", { class: "plots" });
  let plots: { plot: Plot; source: Source }[] = [];
  let last = { step: -1, time: -1 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    timer = undefined;
    if (box.offsetParent !== null) for (const { plot } of plots) plot.draw();
  };
  const soon = () => {
    if (timer === undefined) timer = setTimeout(draw, PACE);
  };
  let generation = -1;
  state.scene.watch((scene) => {
    if (!scene || scene.generation === generation) return;
    generation = scene.generation;
    const live = state.mode.value !== "recording";
    plots = SOURCES.filter((source) => source.from === "both" || (source.from === "live") === live).map((source) => ({
      plot: new Plot(source.style),
      source,
    }));
    box.replaceChildren(...plots.map(({ plot }) => plot.element));
    last = { step: -1, time: -1 };
    soon();
  });
  state.stats.watch((stats) => {
    if (!stats || stats.step === last.step) return;
    // Going back in time starts the plots anew.
    if (stats.time < last.time) for (const { plot } of plots) plot.series.clear();
    last = { step: stats.step, time: stats.time };
    for (const { plot, source } of plots) plot.series.push(stats.time, source.values(stats));
    soon();
  });
  // A tab that becomes visible, or a panel of another width, draws anew.
  new ResizeObserver(soon).observe(box);
  return box;
}
