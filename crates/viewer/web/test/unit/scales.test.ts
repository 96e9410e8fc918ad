// Colours, ranges, axes, sliders and numbers for people.
import { describe, expect, test } from "vitest";
import { colorAt, paint } from "../../src/math/colormap";
import { clock, digits, quantity, realTimeFactor } from "../../src/math/format";
import { fraction, linearRange, logRange, nearestSample, Series, stack } from "../../src/math/plotscale";
import { AutoRange, highValue, niceAbove } from "../../src/math/range";
import { placeOf, SLIDER_STEPS, valueAt } from "../../src/math/slider";

describe("the colour map", () => {
  const luminance = ([r, g, b]: number[]) => 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2;

  test("gets lighter from end to end", () => {
    for (let i = 1; i <= 100; i++) {
      expect(luminance(colorAt(i / 100))).toBeGreaterThan(luminance(colorAt((i - 1) / 100)));
    }
  });

  test("holds at its ends and bears what is no number", () => {
    expect(colorAt(-5)).toEqual(colorAt(0));
    expect(colorAt(7)).toEqual(colorAt(1));
    expect(colorAt(Number.NaN)).toEqual(colorAt(0));
  });

  test("paints drawn vertices by the values of their vertices", () => {
    const colors = new Float32Array(9);
    paint(Float32Array.from([0, 10]), Uint32Array.from([1, 0, 1]), [0, 10], colors);
    expect([...colors.subarray(0, 3)]).toEqual([...colors.subarray(6, 9)]);
    expect(colors[0]).toBeGreaterThan(0.9);
    expect(colors[3]).toBeLessThan(0.1);
  });
});

describe("the automatic range", () => {
  test("is round and grows at once", () => {
    const range = new AutoRange();
    expect(range.update(Float32Array.from([3]))).toEqual([0, 5]);
    expect(range.update(Float32Array.from([4.9]))).toEqual([0, 5]);
    expect(range.update(Float32Array.from([51]))).toEqual([0, 100]);
  });

  test("waits before it shrinks, so that it does not flicker", () => {
    const range = new AutoRange();
    range.update(Float32Array.from([90]));
    const seen = new Set<number>();
    for (let i = 0; i < 40; i++) seen.add(range.update(Float32Array.from([i % 2 ? 30 : 60]))[1]);
    expect([...seen]).toEqual([100]);
    for (let i = 0; i < 60; i++) range.update(Float32Array.from([1]));
    expect(range.update(Float32Array.from([1]))).toEqual([0, 1]);
  });

  test("does not follow single peaks", () => {
    const values = new Float32Array(1000).fill(1);
    values[500] = 1e9;
    values[501] = Number.NaN;
    expect(highValue(values)).toBe(1);
  });

  test("has a range for nothing", () => {
    expect(new AutoRange().update(new Float32Array(5))).toEqual([0, 1]);
    expect([niceAbove(1), niceAbove(1.01), niceAbove(2e-7), niceAbove(0.3)]).toEqual([1, 2, 2e-7, 0.5]);
  });
});

describe("plots", () => {
  test("keep the newest samples within a bound", () => {
    const series = new Series(["a"], 100);
    for (let i = 0; i < 1000; i++) series.push(i, [i]);
    expect(series.times.length).toBeLessThanOrEqual(125);
    expect(series.times.at(-1)).toBe(999);
    expect(series.curves[0].length).toBe(series.times.length);
  });

  test("stack and scale", () => {
    const sums = stack([
      [1, null],
      [2, 3],
    ]);
    expect(sums).toEqual([
      [1, 0],
      [3, 3],
    ]);
    expect(linearRange([[0.3, 4]])).toEqual([0, 5]);
    expect(linearRange([[-3, null, 7]])).toEqual([-5, 10]);
    expect(linearRange([[]])).toEqual([0, 1]);
    expect(logRange([[2e-5, 0, null, 3e-3]])).toEqual([1e-5, 1e-2]);
    expect(logRange([[1e-3]])).toEqual([1e-3, 1e-2]);
    expect(fraction(1e-3, [1e-4, 1e-2], true)).toBeCloseTo(0.5, 9);
    expect(fraction(2, [0, 8], false)).toBe(0.25);
  });

  test("find the sample nearest to a time", () => {
    expect([-1, 0.4, 0.6, 9].map((t) => nearestSample([0, 1, 2, 3], t))).toEqual([0, 0, 1, 3]);
    expect(nearestSample([5], 0)).toBe(0);
  });
});

describe("sliders", () => {
  const powers = { min: 1e2, max: 1e12, log: true, integer: false };

  test("go in powers where asked", () => {
    expect(placeOf(1e7, powers)).toBe(SLIDER_STEPS / 2);
    expect(valueAt(SLIDER_STEPS / 2, powers)).toBeCloseTo(1e7, 0);
    expect(valueAt(0, powers)).toBe(1e2);
    expect(valueAt(SLIDER_STEPS, powers)).toBe(1e12);
  });

  test("stay within their ends and on whole numbers", () => {
    const count = { min: 1, max: 20, log: false, integer: true };
    expect(Number.isInteger(valueAt(333, count))).toBe(true);
    expect(placeOf(500, count)).toBe(SLIDER_STEPS);
    // Powers from zero are not possible: such a slider is even.
    expect(valueAt(SLIDER_STEPS / 2, { min: 0, max: 2, log: true, integer: false })).toBe(1);
  });
});

test("numbers are written for people", () => {
  expect(quantity(2e6, "Pa")).toBe("2 MPa");
  expect(quantity(999.9, "N")).toBe("1 kN");
  expect(quantity(0.041, "s", 2)).toBe("41 ms");
  expect(quantity(-0.5, "J")).toBe("-500 mJ");
  expect(quantity(1000, "kg/m³")).toBe("1000 kg/m³");
  expect(quantity(0, "Pa")).toBe("0 Pa");
  expect([digits(1e-5), digits(1234567), digits(0.25), digits(Number.NaN)]).toEqual(["1e-5", "1.23e6", "0.25", "–"]);
  expect(clock(1.23456, 0.001)).toBe("1.235 s");
  expect([realTimeFactor(null), realTimeFactor(0.734), realTimeFactor(12.3)]).toEqual(["–", "0.73×", "12×"]);
});
