// From the place of a slider to its value and back, even or in powers.

export const SLIDER_STEPS = 1000;

export interface Scale {
  min: number;
  max: number;
  log: boolean;
  integer: boolean;
}

export function placeOf(value: number, scale: Scale): number {
  const { min, max } = scale;
  const bounded = Math.min(max, Math.max(min, value));
  if (max <= min) return 0;
  const fraction = powers(scale) ? Math.log(bounded / min) / Math.log(max / min) : (bounded - min) / (max - min);
  return Math.round(SLIDER_STEPS * fraction);
}

/** The value at a place, rounded to three digits so that it can be read. */
export function valueAt(place: number, scale: Scale): number {
  const { min, max, integer } = scale;
  const fraction = Math.min(1, Math.max(0, place / SLIDER_STEPS));
  if (fraction === 0) return min;
  if (fraction === 1) return max;
  const raw = powers(scale) ? min * (max / min) ** fraction : min + (max - min) * fraction;
  const rounded = integer ? Math.round(raw) : Number(raw.toPrecision(3));
  return Math.min(max, Math.max(min, rounded));
}

/** Powers need a range above zero. */
function powers({ min, log }: Scale): boolean {
  return log && min > 0;
}
