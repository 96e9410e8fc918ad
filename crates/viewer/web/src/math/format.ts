// Numbers for people: few digits, SI prefixes, times.

const PREFIXES: [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** Units that take prefixes. Others, such as kg/m³, are written as they are. */
const PREFIXED = new Set(["Pa", "N", "J", "m", "s", "N/m", "N·m", "W"]);

/** A number with so many digits that count, without zeros at its end. */
export function digits(value: number, count = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    return value
      .toExponential(count - 1)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  }
  return String(Number(value.toPrecision(count)));
}

/** A number with its unit: `quantity(2e6, "Pa")` is "2 MPa". */
export function quantity(value: number, unit: string, count = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (unit === "") return digits(value, count);
  if (!PREFIXED.has(unit) || value === 0) return `${digits(value, count)} ${unit}`;
  // Rounding first keeps 999.9 from becoming "1000 Pa".
  const size = Math.abs(Number(value.toPrecision(count)));
  const [factor, prefix] = PREFIXES.find(([least]) => size >= least) ?? PREFIXES[PREFIXES.length - 1];
  return `${digits(value / factor, count)} ${prefix}${unit}`;
}

/** Simulated time with as many decimals as a step needs. */
export function clock(seconds: number, dt: number): string {
  const decimals = Math.min(6, Math.max(2, Math.ceil(-Math.log10(dt || 0.01) - 1e-9)));
  return `${seconds.toFixed(decimals)} s`;
}

export function realTimeFactor(factor: number | null): string {
  if (factor === null || !Number.isFinite(factor)) return "–";
  return `${factor >= 10 ? factor.toFixed(0) : factor.toPrecision(2)}×`;
}
