// A range for colours that follows the values without flicker: round numbers, quick to grow, slow to shrink.

const SAMPLES = 2000;
const SHRINK_BELOW = 0.35;
const PATIENCE = 45;

/** The smallest of 1, 2, 5 times a power of ten that is not below a value. */
export function niceAbove(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  // A hair of slack, so that a round number stays what it is in spite of rounding.
  const step = [1, 2, 5, 10].find((candidate) => digit <= candidate * (1 + 1e-9)) ?? 10;
  return step * power;
}

/** The value that 99 of 100 stay below: single peaks at corners would wash out all the rest. */
export function highValue(values: Float32Array): number {
  const stride = Math.max(1, Math.ceil(values.length / SAMPLES));
  const taken: number[] = [];
  for (let i = 0; i < values.length; i += stride) if (Number.isFinite(values[i])) taken.push(values[i]);
  taken.sort((a, b) => a - b);
  return taken.length === 0 ? 0 : taken[Math.min(taken.length - 1, Math.floor(0.99 * taken.length))];
}

export class AutoRange {
  private top = 0;
  private small = 0;

  /** Takes the values of a frame and gives the range to draw them with. */
  update(values: Float32Array): [number, number] {
    const high = highValue(values);
    if (high > this.top) {
      this.top = niceAbove(high);
      this.small = 0;
    } else if (high < SHRINK_BELOW * this.top) {
      this.small++;
      if (this.small > PATIENCE && high > 0) {
        this.top = niceAbove(high);
        this.small = 0;
      }
    } else {
      this.small = 0;
    }
    return [0, this.top || 1];
  }

  reset(): void {
    this.top = 0;
    this.small = 0;
  }
}
