// A recorded simulation: walks through its frames by the clock, by steps and by the time line.
import type { Session } from "../session";
import type { State } from "../state";
import { CONTACT_STRIDE, type Frame } from "./frame";
import type { FrameSource } from "./frames";
import type { Counted, Stats } from "./types";

const SLIDES = 2;

export class Replay implements Session {
  private time: number;
  private lastTick: number | null = null;
  private shown = -1;
  private wanted = 0;

  constructor(
    private readonly frames: FrameSource,
    private readonly state: State,
    private readonly changed: () => void,
  ) {
    this.time = this.times[0] ?? 0;
  }

  play(): void {
    if (this.wanted >= this.times.length - 1) this.seek(0);
    this.lastTick = null;
    this.state.playing.value = true;
    this.changed();
  }

  pause(): void {
    this.state.playing.value = false;
  }

  step(count: number): void {
    this.pause();
    this.seek(this.wanted + count);
  }

  reset(): void {
    this.seek(0);
  }

  setSpeed(factor: number | null): void {
    this.state.speed.value = factor;
  }

  seek(index: number): void {
    this.wanted = Math.min(this.times.length - 1, Math.max(0, Math.round(index)));
    this.time = this.times[this.wanted];
    this.lastTick = null;
    this.changed();
  }

  /** Nobody listens: a recording cannot be changed. */
  send(): void {}

  next(now: number): Frame | null {
    if (this.state.playing.value) this.advance(now);
    if (this.wanted === this.shown) return null;
    const frame = this.frames.get(this.wanted);
    this.state.changeTimeline({ waiting: frame === null });
    if (!frame) {
      this.lastTick = null;
      return null;
    }
    this.shown = this.wanted;
    this.state.changeTimeline({ index: this.shown });
    this.state.stats.value = this.statsOf(frame);
    return frame;
  }

  /** While it waits for a frame, its arrival wakes the page. */
  animates(): boolean {
    return this.state.playing.value && this.shown === this.wanted;
  }

  drawn(): void {}

  private get times(): number[] {
    return this.state.timeline.value?.times ?? [];
  }

  private advance(now: number): void {
    // Time stands still until the wanted frame is there.
    if (this.shown !== this.wanted) return;
    const { times } = this;
    const passed = this.lastTick === null ? 0 : Math.min(0.25, (now - this.lastTick) / 1000);
    this.lastTick = now;
    const speed = this.state.speed.value;
    if (speed === null) {
      this.time = times[Math.min(times.length - 1, this.wanted + 1)];
    } else {
      this.time += speed * passed;
    }
    const end = times[times.length - 1];
    const atEnd = speed === null ? this.wanted === times.length - 1 : this.time > end;
    if (atEnd) this.atEnd(end);
    else this.wanted = frameAt(times, this.time);
  }

  private atEnd(end: number): void {
    const timeline = this.state.timeline.value;
    if (timeline?.loop && this.times.length > 1) {
      this.wanted = 0;
      this.time = this.times[0];
      return;
    }
    this.wanted = this.times.length - 1;
    this.time = end;
    // A run that has not ended will bring more.
    if (timeline?.complete) this.state.playing.value = false;
  }

  private statsOf(frame: Frame): Stats {
    const { contacts, sliding, counted } = countFrame(frame);
    return {
      kind: "stats",
      step: frame.step,
      time: frame.time,
      playing: this.state.playing.value,
      speed: this.state.speed.value,
      finished: false,
      real_time_factor: null,
      step_ms: null,
      stages: {},
      contacts,
      rows: 0,
      sticking: contacts - sliding,
      sliding,
      residual: null,
      iterations: null,
      penetration: 0,
      energy: { kinetic: 0, elastic: 0, potential: 0 },
      holds: [],
      clients: 1,
      counted,
    };
  }
}

function countFrame(frame: Frame): { contacts: number; sliding: number; counted: Counted } {
  const contacts = frame.contacts.length / CONTACT_STRIDE;
  let sliding = 0;
  let force = 0;
  for (let at = 0; at < frame.contacts.length; at += CONTACT_STRIDE) {
    if (frame.contacts[at + 6] === SLIDES) sliding++;
    force += Math.hypot(frame.contacts[at + 3], frame.contacts[at + 4], frame.contacts[at + 5]);
  }
  return { contacts, sliding, counted: { force, stress: highest(frame.stress), strain: highest(frame.strain) } };
}

function highest(values: Float32Array | null): number | null {
  return values ? values.reduce((most, value) => Math.max(most, value), 0) : null;
}

/** The last frame that is not after a time. */
export function frameAt(times: number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}
