// Cables and other lines as round tubes that follow their points.
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Vector3,
} from "three";
import type { Layout } from "../data/types";
import { computeNormals } from "../math/surface";
import type { Palette } from "./palette";

const SIDES = 8;

export class Tubes {
  readonly group = new Group();
  private readonly geometry = new BufferGeometry();
  private readonly material = new MeshStandardMaterial({ roughness: 0.5 });
  /** What runs inside of a body shines through a little. */
  private readonly ghost = new MeshBasicMaterial({
    transparent: true,
    opacity: 0.35,
    depthTest: false,
    depthWrite: false,
  });
  private readonly index: Uint32Array;
  private readonly counts: number[];

  constructor(layout: Layout) {
    this.counts = layout.lines.map((line) => line.points);
    const points = this.counts.reduce((sum, count) => sum + count, 0);
    this.index = tubeTriangles(this.counts);
    for (const name of ["position", "normal"]) {
      const attribute = new BufferAttribute(new Float32Array(3 * SIDES * points), 3);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.geometry.setIndex(new BufferAttribute(this.index, 1));
    const solid = new Mesh(this.geometry, this.material);
    solid.castShadow = true;
    const seenThrough = new Mesh(this.geometry, this.ghost);
    seenThrough.renderOrder = 5;
    for (const mesh of [solid, seenThrough]) mesh.frustumCulled = false;
    this.group.add(solid, seenThrough);
  }

  update(points: Float32Array, radius: number): void {
    if (this.index.length === 0) return;
    const place = this.geometry.getAttribute("position") as BufferAttribute;
    const normal = this.geometry.getAttribute("normal") as BufferAttribute;
    let first = 0;
    for (const count of this.counts) {
      ringsAlong(points, first, count, radius, place.array as Float32Array);
      first += count;
    }
    computeNormals(this.index, place.array as Float32Array, normal.array as Float32Array);
    place.needsUpdate = true;
    normal.needsUpdate = true;
  }

  setPalette(palette: Palette): void {
    this.material.color.set(palette.line);
    this.ghost.color.set(palette.line);
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
    this.ghost.dispose();
  }
}

function tubeTriangles(counts: number[]): Uint32Array {
  const index: number[] = [];
  let first = 0;
  for (const count of counts) {
    for (let i = 0; i + 1 < count; i++) {
      for (let side = 0; side < SIDES; side++) {
        const a = (first + i) * SIDES + side;
        const b = (first + i) * SIDES + ((side + 1) % SIDES);
        index.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
      }
    }
    first += count;
  }
  return Uint32Array.from(index);
}

/** Rings around each point. The frame is carried along the line without twist. */
function ringsAlong(points: Float32Array, first: number, count: number, radius: number, out: Float32Array): void {
  const along = new Vector3();
  const side = new Vector3(1, 0.1, 0.01);
  const third = new Vector3();
  for (let i = 0; i < count; i++) {
    const before = 3 * (first + Math.max(0, i - 1));
    const after = 3 * (first + Math.min(count - 1, i + 1));
    along.fromArray(points, after);
    along.x -= points[before];
    along.y -= points[before + 1];
    along.z -= points[before + 2];
    along.normalize();
    side.addScaledVector(along, -side.dot(along));
    if (side.lengthSq() < 1e-8) side.set(-along.y, along.z, along.x).addScaledVector(along, -side.dot(along));
    side.normalize();
    third.crossVectors(along, side);
    const centre = 3 * (first + i);
    for (let j = 0; j < SIDES; j++) {
      const angle = (2 * Math.PI * j) / SIDES;
      const at = 3 * ((first + i) * SIDES + j);
      for (const [axis, s, t] of [
        [0, side.x, third.x],
        [1, side.y, third.y],
        [2, side.z, third.z],
      ]) {
        out[at + axis] = points[centre + axis] + radius * (Math.cos(angle) * s + Math.sin(angle) * t);
      }
    }
  }
}
