// Axes and series of the running plots: what is kept, how it is scaled.
import { niceAbove } from "./range";

/** The last so many samples of several curves over time. */
export class Series {
  readonly times: number[] = [];
  readonly curves: (number | null)[][];

  constructor(
    readonly names: string[],
    private readonly capacity = 400,
  ) {
    this.curves = names.map(() => []);
  }

  push(time: number, values: (number | null)[]): void {
    this.times.push(time);
    this.curves.forEach((curve, i) => {
      const value = values[i];
      curve.push(value !== null && Number.isFinite(value) ? value : null);
    });
    // Cut in blocks: shifting by one each time would move everything each time.
    if (this.times.length > 1.25 * this.capacity) {
      const surplus = this.times.length - this.capacity;
      this.times.splice(0, surplus);
      for (const curve of this.curves) curve.splice(0, surplus);
    }
  }

  clear(): void {
    this.times.length = 0;
    for (const curve of this.curves) curve.length = 0;
  }
}

/** Sums of the curves from the first to each: the upper borders of stacked areas. */
export function stack(curves: (number | null)[][]): number[][] {
  const sums: number[][] = [];
  for (const curve of curves) {
    const below = sums[sums.length - 1];
    sums.push(curve.map((value, i) => Math.max(0, value ?? 0) + (below ? below[i] : 0)));
  }
  return sums;
}

/** Ends of an even axis: round numbers, zero is always on it. */
export function linearRange(curves: (number | null)[][]): [number, number] {
  let low = 0;
  let high = 0;
  for (const curve of curves) {
    for (const value of curve) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low === 0 && high === 0) return [0, 1];
  return [low < 0 ? -niceAbove(-low) : 0, high > 0 ? niceAbove(high) : 0];
}

/** Ends of an axis of powers: whole powers of ten around the positive values. */
export function logRange(curves: (number | null)[][]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const curve of curves) {
    for (const value of curve) {
      if (value === null || value <= 0) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (high === 0) return [1e-6, 1];
  const bottom = Math.floor(Math.log10(low) + 1e-9);
  const top = Math.max(bottom + 1, Math.ceil(Math.log10(high) - 1e-9));
  return [powerOfTen(bottom), powerOfTen(top)];
}

/** Read from text: 10 ** -5 is a hair off. */
function powerOfTen(exponent: number): number {
  return Number(`1e${exponent}`);
}

/** Where a value is between the ends of an axis: 0 at the low end, 1 at the high one. */
export function fraction(value: number, [low, high]: [number, number], log: boolean): number {
  if (!log) return (value - low) / (high - low);
  return value > 0 ? Math.log(value / low) / Math.log(high / low) : 0;
}

/** The sample nearest to a time; times rise. */
export function nearestSample(times: number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return high >= 0 && Math.abs(times[high] - time) < Math.abs(times[low] - time) ? high : low;
}
