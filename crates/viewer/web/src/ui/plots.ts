// The third tab: running plots of what the steps report.
import type { Stats } from "../data/types";
import { digits, quantity } from "../math/format";
import type { State } from "../state";
import { h } from "./dom";
import { Plot, type PlotStyle } from "./plot";

const STAGES = ["detect", "local", "global", "delassus", "contact", "advance"];
/** Those of the report page, so that a stage has its colour everywhere. */
const STAGE_COLORS = ["#d65f38", "#0f7bb8", "#2b9e77", "#d79b1e", "#8a63ad", "#7b8794"];
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
      colors: ["#8a90a6", "#1c9c8a", "#f6c915"],
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
      colors: ["#b5179e"],
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

const PROBE_COLORS = ["#e26d4f", "#3a86b6", "#ecb042"];
const AXES = ["x", "y", "z"];

/** A plot for each probe of the scene; a vector has a curve for each axis. */
function probeSources(probes: { name: string; size: number; unit: string }[]): Source[] {
  return probes.map(({ name, size, unit }, i) => {
    return {
      from: "live",
      style: {
        title: name,
        unit,
        names: size === 1 ? ["value"] : AXES.slice(0, size),
        colors: PROBE_COLORS,
        format: (value) => digits(value, 4),
      },
      values: (stats) => Array.from({ length: size }, (_, k) => stats.probes?.[i]?.[k] ?? null),
    };
  });
}

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
    const probes = probeSources(scene.probes ?? []);
    const all = live ? [...probes, ...SOURCES] : SOURCES;
    plots = all
      .filter((source) => source.from === "both" || (source.from === "live") === live)
      .map((source) => ({
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
