// Arrows from points along vectors, many at once, drawn over everything.
import {
  type Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from "three";

const UP = new Vector3(0, 0, 1);

export class Arrows {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial({
    depthTest: false,
    depthWrite: false,
    transparent: true,
    opacity: 0.9,
  });
  private shafts: InstancedMesh;
  private heads: InstancedMesh;
  private capacity = 64;
  private used = 0;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();
  private readonly direction = new Vector3();
  private readonly place = new Vector3();

  constructor() {
    this.shafts = this.make(shaft());
    this.heads = this.make(head());
  }

  begin(count: number): void {
    if (count > this.capacity) {
      this.capacity = Math.max(count, 2 * this.capacity);
      for (const mesh of [this.shafts, this.heads]) {
        this.group.remove(mesh);
        mesh.dispose();
      }
      this.shafts = this.make(this.shafts.geometry);
      this.heads = this.make(this.heads.geometry);
    }
    this.used = 0;
  }

  /** An arrow of a length and thickness in metres. */
  add(start: Vector3, vector: Vector3, length: number, thickness: number, color: Color): void {
    if (this.used >= this.capacity || !(length > 0)) return;
    this.direction.copy(vector).normalize();
    this.turn.setFromUnitVectors(UP, this.direction);
    const tip = Math.min(0.45 * length, 5 * thickness);
    this.scale.set(thickness, thickness, length - tip);
    this.shafts.setMatrixAt(this.used, this.matrix.compose(start, this.turn, this.scale));
    this.place.copy(start).addScaledVector(this.direction, length - tip);
    this.scale.set(2.4 * thickness, 2.4 * thickness, tip);
    this.heads.setMatrixAt(this.used, this.matrix.compose(this.place, this.turn, this.scale));
    this.shafts.setColorAt(this.used, color);
    this.heads.setColorAt(this.used, color);
    this.used++;
  }

  end(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.used;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.material.dispose();
  }

  private make(geometry: CylinderGeometry | InstancedMesh["geometry"]): InstancedMesh {
    const mesh = new InstancedMesh(geometry, this.material, this.capacity);
    mesh.frustumCulled = false;
    mesh.renderOrder = 9;
    mesh.count = 0;
    this.group.add(mesh);
    return mesh;
  }
}

/** From z = 0 to z = 1 with radius 0.5. */
function shaft(): CylinderGeometry {
  const geometry = new CylinderGeometry(0.5, 0.5, 1, 10, 1);
  geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5);
  return geometry;
}

function head(): ConeGeometry {
  const geometry = new ConeGeometry(0.5, 1, 14, 1);
  geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5);
  return geometry;
}
