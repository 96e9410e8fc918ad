// What the page can do with a simulation, whether it runs on the server or was recorded.
import type { Frame, Geometry } from "./data/frame";
import type { Failure, SceneBuilt, ToServer } from "./data/types";

export interface Session {
  play(): void;
  pause(): void;
  step(count: number): void;
  reset(): void;
  setSpeed(factor: number | null): void;
  /** Goes to a frame of a recording. */
  seek(index: number): void;
  send(message: ToServer): void;
  /** At each animation frame: the frame to draw, or null if nothing is new. */
  next(now: number): Frame | null;
  /** Whether the next animation frame is needed without any event. */
  animates(): boolean;
  /** The frame of `next` was drawn. */
  drawn(): void;
}

/** What a session reports to the page. */
export interface SessionEvents {
  built(scene: SceneBuilt, geometry: Geometry): void;
  /** Something is there to be drawn. */
  changed(): void;
  failed(failure: Failure): void;
  applied(text: string): void;
}
