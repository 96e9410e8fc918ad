// A colour map whose steps look equally large, for values on surfaces and for their legend.

/** From blue by green to yellow at even places, as sRGB. Its dark end is no black: shade must still be seen on it. */
const CONTROL = ["#3d5ba9", "#3a76b8", "#2f90bd", "#2aa7b3", "#3bbb9b", "#67cb80", "#9cd767", "#cfe052", "#fbe64d"];
const ENTRIES = 256;

function channel(hex: string, at: number): number {
  return Number.parseInt(hex.slice(1 + 2 * at, 3 + 2 * at), 16) / 255;
}

/** The sRGB colour at 0..1; what is outside takes the colour of the end, what is no number that of 0. */
export function colorAt(fraction: number): [number, number, number] {
  const x = Math.min(1, Math.max(0, Number.isFinite(fraction) ? fraction : 0)) * (CONTROL.length - 1);
  const i = Math.min(CONTROL.length - 2, Math.floor(x));
  const mix = (at: number) => channel(CONTROL[i], at) * (1 - (x - i)) + channel(CONTROL[i + 1], at) * (x - i);
  return [mix(0), mix(1), mix(2)];
}

export function toLinear(srgb: number): number {
  return srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4;
}

const TABLE = (() => {
  const table = new Float32Array(3 * ENTRIES);
  for (let i = 0; i < ENTRIES; i++) table.set(colorAt(i / (ENTRIES - 1)).map(toLinear), 3 * i);
  return table;
})();

/** Writes linear colours for the values of the vertices that are drawn. */
export function paint(values: Float32Array, source: Uint32Array, range: [number, number], colors: Float32Array): void {
  const [low, high] = range;
  const scale = high > low ? (ENTRIES - 1) / (high - low) : 0;
  for (let i = 0; i < source.length; i++) {
    const place = (values[source[i]] - low) * scale;
    const entry = place > 0 ? (place < ENTRIES - 1 ? Math.round(place) : ENTRIES - 1) : 0;
    colors[3 * i] = TABLE[3 * entry];
    colors[3 * i + 1] = TABLE[3 * entry + 1];
    colors[3 * i + 2] = TABLE[3 * entry + 2];
  }
}
