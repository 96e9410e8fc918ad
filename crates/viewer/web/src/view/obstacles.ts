// Obstacles: rigid shapes in grey, and planes as grounds with a grid.
import {
  type Box3,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Vector3,
} from "three";
import type { Geometry } from "../data/frame";
import type { Layout } from "../data/types";
import { computeNormals, splitCreases, spread } from "../math/surface";
import { boundsOf } from "./bounds";
import { moveAlongRays } from "./depth";
import { Ground } from "./ground";
import type { Palette } from "./palette";

/**
 * How far obstacles are drawn behind where they are, in sizes of the bodies, for the depth test alone: what lies on an
 * obstacle is a little inside of it, and must not be hidden by it.
 */
const BEHIND = 0.004;

export class Obstacles {
  readonly group = new Group();
  private readonly behind: { value: number };
  private readonly material = new MeshStandardMaterial({ roughness: 0.85, side: DoubleSide });
  private readonly shapes: (Mesh | Ground | null)[];
  private readonly boxes: Box3[] = [];

  constructor(layout: Layout, geometry: Geometry, size: number) {
    this.behind = { value: BEHIND * size };
    moveAlongRays(this.material, this.behind);
    this.shapes = layout.obstacles.map((obstacle, i) => {
      const { points, triangles } = geometry.obstacles[i];
      this.boxes.push(boundsOf(points));
      if (obstacle.plane) return this.addGround();
      return triangles.length > 0 ? this.addShape(points, triangles) : null;
    });
  }

  setPlacements(placements: Float32Array): void {
    this.shapes.forEach((shape, i) => {
      if (!shape) return;
      const matrix = placementAt(placements, i);
      if (shape instanceof Ground) {
        shape.setPlacement(matrix);
      } else {
        shape.matrix.copy(matrix);
        shape.matrixWorldNeedsUpdate = true;
      }
    });
  }

  /** Where the eye looks decides which part of a plane is drawn. */
  follow(target: Vector3, eye: Vector3, reach: number): void {
    for (const shape of this.shapes) if (shape instanceof Ground) shape.follow(target, eye, reach);
  }

  /** The boxes of those shapes that are not much larger than the bodies. */
  boxesWithin(size: number, placements: Float32Array): Box3[] {
    return this.boxes
      .map((box, i) => (box.isEmpty() ? box : box.clone().applyMatrix4(placementAt(placements, i))))
      .filter((box) => !box.isEmpty() && box.getSize(new Vector3()).length() < size);
  }

  setPalette(palette: Palette): void {
    this.material.color.set(palette.obstacle);
    for (const shape of this.shapes) if (shape instanceof Ground) shape.setPalette(palette);
  }

  dispose(): void {
    for (const shape of this.shapes) {
      if (shape instanceof Ground) shape.dispose();
      else shape?.geometry.dispose();
    }
    this.material.dispose();
  }

  private addGround(): Ground {
    const ground = new Ground(this.behind.value);
    this.group.add(ground.group);
    return ground;
  }

  private addShape(points: Float32Array, triangles: Uint32Array): Mesh {
    const { source, index } = splitCreases(triangles, points);
    const places = new Float32Array(3 * source.length);
    const normals = new Float32Array(places.length);
    spread(points, source, places);
    computeNormals(index, places, normals);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(places, 3));
    geometry.setAttribute("normal", new BufferAttribute(normals, 3));
    geometry.setIndex(new BufferAttribute(index, 1));
    const mesh = new Mesh(geometry, this.material);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    this.group.add(mesh);
    return mesh;
  }
}

function placementAt(placements: Float32Array, index: number): Matrix4 {
  const p = placements.subarray(12 * index, 12 * index + 12);
  return new Matrix4().set(p[0], p[1], p[2], p[9], p[3], p[4], p[5], p[10], p[6], p[7], p[8], p[11], 0, 0, 0, 1);
}
