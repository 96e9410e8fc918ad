// Creases, normals, edges and picking agree with what can be counted by hand.
import { expect, test } from "vitest";
import { pick } from "../../src/math/pick";
import { computeNormals, edgesOf, splitCreases, spread } from "../../src/math/surface";

/** A unit cube of 8 vertices and 12 triangles. */
const CUBE = Float32Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]);
const FACES = [
  [0, 3, 2, 1],
  [4, 5, 6, 7],
  [0, 1, 5, 4],
  [1, 2, 6, 5],
  [2, 3, 7, 6],
  [3, 0, 4, 7],
];
const TRIANGLES = Uint32Array.from(FACES.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]));

test("a cube is drawn with three vertices at each corner", () => {
  const { source, index } = splitCreases(TRIANGLES, CUBE);
  expect(source.length).toBe(24);
  expect([...index].map((i) => source[i])).toEqual([...TRIANGLES]);
  const positions = new Float32Array(72);
  const normals = new Float32Array(72);
  spread(CUBE, source, positions);
  computeNormals(index, positions, normals);
  for (let i = 0; i < 72; i += 3) {
    const sizes = [...normals.subarray(i, i + 3)].map(Math.abs).sort();
    expect(sizes[0] + sizes[1]).toBeCloseTo(0, 6);
    expect(sizes[2]).toBeCloseTo(1, 6);
  }
});

test("a smooth surface keeps its vertices, one without triangles too", () => {
  const { source } = splitCreases(TRIANGLES, CUBE, 100);
  expect([...source]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  const lonely = splitCreases(Uint32Array.from([0, 1, 2]), Float32Array.from([...CUBE.subarray(0, 9), 9, 9, 9]));
  expect([...lonely.source]).toEqual([0, 1, 2, 3]);
});

test("normals of a smooth cube point along its diagonals", () => {
  const normals = new Float32Array(24);
  computeNormals(TRIANGLES, CUBE, normals);
  // Weighted by area a corner may lean, but never by more than one of two triangles of a face.
  for (let v = 0; v < 8; v++) {
    const outward = [0, 1, 2].reduce((sum, k) => sum + normals[3 * v + k] * (CUBE[3 * v + k] - 0.5), 0);
    expect(outward).toBeGreaterThan(0.75);
  }
});

test("a flat triangle has no normal and breaks nothing", () => {
  const normals = new Float32Array(9);
  computeNormals(Uint32Array.from([0, 1, 2]), new Float32Array(9), normals);
  expect([...normals]).toEqual(new Array(9).fill(0));
});

test("each edge is there once", () => {
  const edges = edgesOf(TRIANGLES, 8);
  // 12 edges of the cube and a diagonal of each face.
  expect(edges.length / 2).toBe(18);
});

test("a ray finds the nearest triangle and its nearest vertex", () => {
  const hit = pick([0.9, 0.8, 5], [0, 0, -1], CUBE, TRIANGLES);
  expect(hit?.distance).toBeCloseTo(4, 6);
  expect(hit?.vertex).toBe(6);
  expect(hit?.point[2]).toBeCloseTo(1, 6);
  expect(pick([2, 2, 5], [0, 0, -1], CUBE, TRIANGLES)).toBeNull();
  expect(pick([0.5, 0.4, 5], [0, 0, 1], CUBE, TRIANGLES)).toBeNull();
  // From inside the far side counts: surfaces are seen from both sides.
  expect(pick([0.5, 0.4, 0.5], [0, 0, 1], CUBE, TRIANGLES)?.distance).toBeCloseTo(0.5, 6);
});
