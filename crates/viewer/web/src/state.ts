// What the page knows at the moment: written by the session, watched by the parts of the page.
import { Signal } from "./data/signal";
import type { Hello, SceneBuilt, Stats } from "./data/types";
import { NOTHING_SHOWN, type Overlays } from "./overlays";

export type Mode = "connecting" | "live" | "recording";

export interface Timeline {
  /** Times of the frames, in s. */
  times: number[];
  index: number;
  loop: boolean;
  /** Whether the run is over and no more frames will come. */
  complete: boolean;
  /** Whether playing waits for a frame that is not here yet. */
  waiting: boolean;
}

export class State {
  readonly mode = new Signal<Mode>("connecting");
  readonly hello = new Signal<Hello | null>(null);
  readonly scene = new Signal<SceneBuilt | null>(null);
  readonly stats = new Signal<Stats | null>(null);
  readonly playing = new Signal(false);
  readonly speed = new Signal<number | null>(1);
  readonly busy = new Signal<string | null>(null);
  /** When the connection is tried again, as milliseconds of the clock of the page; null while it is there. */
  readonly lostUntil = new Signal<number | null>(null);
  readonly overlays = new Signal<Overlays>(NOTHING_SHOWN);
  /** Range of the colours on the surface, or null without any. */
  readonly range = new Signal<[number, number] | null>(null);
  readonly keepHolds = new Signal(false);
  readonly timeline = new Signal<Timeline | null>(null);
  readonly framesPerSecond = new Signal<number | null>(null);

  /** Whether the user chose about shadows: then nothing else does. */
  shadowsChosen = false;

  change(part: Partial<Overlays>): void {
    this.overlays.value = { ...this.overlays.value, ...part };
  }

  changeTimeline(part: Partial<Timeline>): void {
    if (this.timeline.value) this.timeline.value = { ...this.timeline.value, ...part };
  }
}
