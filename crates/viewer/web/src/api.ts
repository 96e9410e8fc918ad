// `window.pliant`: what tests and scripts may read and do.
import type { Layout, Stats, ToServer, Vector } from "./data/types";
import type { Overlays } from "./overlays";
import type { Mode, State } from "./state";
import type { View } from "./view/view";

export interface Api {
  readonly generation: number;
  readonly mode: Mode;
  readonly step: number;
  readonly time: number;
  readonly playing: boolean;
  readonly stats: Stats | null;
  readonly layout: Layout | null;
  /** Texts of all errors since the page was opened. */
  readonly errors: readonly string[];
  readonly framesDrawn: number;
  readonly overlays: Overlays;
  /** Range of the colours on the surface, or null. */
  readonly range: [number, number] | null;
  /** Position of a shown vertex as drawn, in m. */
  vertex(index: number): Vector | null;
  /** Place of a shown vertex in CSS pixels, and whether a pointer there would grab it. */
  screen(index: number): [number, number, boolean] | null;
  send(message: ToServer): void;
}

declare global {
  interface Window {
    pliant: Api;
  }
}

/** What the page itself has to give for it. */
export interface ApiParts {
  view(): View | null;
  errors(): string[];
  framesDrawn(): number;
  vertex(index: number): Vector | null;
  screen(index: number): [number, number, boolean] | null;
  send(message: ToServer): void;
}

/** Makes it known. It cannot be changed from outside. */
export function publish(state: State, parts: ApiParts): void {
  const api: Api = {
    get generation() {
      return state.scene.value?.generation ?? -1;
    },
    get mode() {
      return state.mode.value;
    },
    get step() {
      return parts.view()?.frame?.step ?? -1;
    },
    get time() {
      return parts.view()?.frame?.time ?? 0;
    },
    get playing() {
      return state.playing.value;
    },
    get stats() {
      return state.stats.value;
    },
    get layout() {
      return state.scene.value?.layout ?? null;
    },
    get errors() {
      return [...parts.errors()];
    },
    get framesDrawn() {
      return parts.framesDrawn();
    },
    get overlays() {
      return state.overlays.value;
    },
    get range() {
      return parts.view()?.range ?? null;
    },
    vertex: parts.vertex,
    screen: parts.screen,
    send: parts.send,
  };
  Object.defineProperty(window, "pliant", { value: Object.freeze(api), configurable: false, writable: false });
}
