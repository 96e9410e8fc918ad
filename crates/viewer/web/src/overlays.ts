// What can be shown over the picture, and what of it the server has to send.
import type { ToServer } from "./data/types";

export type SurfaceColor = "none" | "stress" | "strain";

export interface Overlays {
  contacts: boolean;
  forces: boolean;
  /** Colours contacts by whether they stick or slide. */
  states: boolean;
  forceLength: number;
  surface: SurfaceColor;
  /** Upper end of the colours, or null for an automatic one. */
  rangeTop: number | null;
  wireframe: boolean;
  pins: boolean;
  rest: boolean;
  shadows: boolean;
}

export const NOTHING_SHOWN: Overlays = {
  contacts: false,
  forces: false,
  states: false,
  forceLength: 1,
  surface: "none",
  rangeTop: null,
  wireframe: false,
  pins: false,
  rest: false,
  shadows: true,
};

export function wanted(overlays: Overlays): ToServer {
  return {
    kind: "show",
    stress: overlays.surface === "stress",
    strain: overlays.surface === "strain",
    contacts: overlays.contacts || overlays.forces,
  };
}
