// Counts how many new frames are drawn per second.
import type { Signal } from "./data/signal";

const WINDOW = 1000;

export class FrameRate {
  private times: number[] = [];
  private shown = 0;
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly rate: Signal<number | null>) {}

  count(now: number): void {
    this.times.push(now);
    while (this.times[0] < now - WINDOW) this.times.shift();
    // Numbers that change with every frame cannot be read.
    if (now - this.shown > WINDOW / 4 && this.times.length > 1) {
      this.shown = now;
      this.rate.value = ((this.times.length - 1) * 1000) / (now - this.times[0]);
    }
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      this.times = [];
      this.rate.value = null;
    }, 1.5 * WINDOW);
  }
}
