// `window.pliant`: what tests and scripts may read and do.
import type { Layout, Stats, ToServer, Vector } from "./data/types";
import type { Overlays } from "./overlays";
import type { Mode } from "./state";

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

/** Makes it known. It cannot be changed from outside. */
export function publish(api: Api): void {
  Object.defineProperty(window, "pliant", { value: Object.freeze(api), configurable: false, writable: false });
}
