// All bodies as one surface: positions, normals and colours, its wires and its shape at rest.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
} from "three";
import type { Geometry } from "../data/frame";
import type { Layout } from "../data/types";
import { paint } from "../math/colormap";
import { type Creased, computeNormals, edgesOf, splitCreases, spread } from "../math/surface";
import { boundsOf, radiusOf } from "./bounds";
import { moveAlongRays } from "./depth";
import { BODIES, type Palette } from "./palette";

/** How far wires are drawn before the surface, in sizes of the bodies. */
const BEFORE = 0.003;

export class Bodies {
  readonly group = new Group();
  readonly triangles: Uint32Array;
  /** Positions of the vertices as in the newest frame. */
  positions: Float32Array;
  private readonly drawn: Creased;
  private readonly surface = new BufferGeometry();
  private readonly own: Float32Array;
  private readonly skin: MeshStandardMaterial;
  private readonly wires: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly rest: Mesh<BufferGeometry, MeshStandardMaterial>;
  private painted = false;

  constructor(layout: Layout, geometry: Geometry) {
    this.triangles = geometry.triangles;
    this.positions = geometry.rest;
    this.drawn = splitCreases(geometry.triangles, geometry.rest);
    this.own = colorsOfBodies(layout, this.drawn.source);
    this.skin = new MeshStandardMaterial({ vertexColors: true, roughness: 0.72, side: DoubleSide });
    const mesh = new Mesh(this.fillSurface(), this.skin);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    // The box of the surface moves with every frame; testing it would cost more than drawing what is outside.
    mesh.frustumCulled = false;
    this.wires = this.makeWires(geometry.rest.length / 3);
    this.rest = this.makeRest();
    this.group.add(mesh, this.wires, this.rest);
  }

  setPositions(positions: Float32Array): void {
    this.positions = positions;
    const place = this.surface.getAttribute("position") as BufferAttribute;
    const normal = this.surface.getAttribute("normal") as BufferAttribute;
    spread(positions, this.drawn.source, place.array as Float32Array);
    computeNormals(this.drawn.index, place.array as Float32Array, normal.array as Float32Array);
    place.needsUpdate = true;
    normal.needsUpdate = true;
  }

  /** Colours by values per vertex; without values each body has its own colour. */
  setValues(values: Float32Array | null, range: [number, number]): void {
    if (!values && !this.painted) return;
    const color = this.surface.getAttribute("color") as BufferAttribute;
    if (values) paint(values, this.drawn.source, range, color.array as Float32Array);
    else (color.array as Float32Array).set(this.own);
    color.needsUpdate = true;
    this.painted = values !== null;
  }

  setWires(shown: boolean): void {
    this.wires.visible = shown;
  }

  setRest(shown: boolean): void {
    this.rest.visible = shown;
  }

  setPalette(palette: Palette): void {
    this.wires.material.color.set(palette.wire);
    this.rest.material.color.set(palette.rest);
  }

  /** The surface as drawn now, for exports. */
  snapshot(): { positions: Float32Array; normals: Float32Array; colors: Float32Array; index: Uint32Array } {
    const array = (name: string) => (this.surface.getAttribute(name).array as Float32Array).slice();
    return { positions: array("position"), normals: array("normal"), colors: array("color"), index: this.drawn.index };
  }

  dispose(): void {
    for (const child of this.group.children) {
      const mesh = child as Mesh<BufferGeometry, MeshStandardMaterial>;
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }

  private fillSurface(): BufferGeometry {
    const count = 3 * this.drawn.source.length;
    for (const name of ["position", "normal", "color"]) {
      const attribute = new BufferAttribute(new Float32Array(count), 3);
      attribute.setUsage(DynamicDrawUsage);
      this.surface.setAttribute(name, attribute);
    }
    (this.surface.getAttribute("color").array as Float32Array).set(this.own);
    this.surface.setIndex(new BufferAttribute(this.drawn.index, 1));
    this.setPositions(this.positions);
    return this.surface;
  }

  /** The wires share the positions of the surface: drawing them needs no copy. */
  private makeWires(vertices: number): LineSegments<BufferGeometry, LineBasicMaterial> {
    const first = new Uint32Array(vertices);
    for (let i = this.drawn.source.length - 1; i >= 0; i--) first[this.drawn.source[i]] = i;
    const edges = edgesOf(this.triangles, vertices).map((vertex) => first[vertex]);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.surface.getAttribute("position"));
    geometry.setIndex(new BufferAttribute(edges, 1));
    const material = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
    // A little before the surface, so that they are seen.
    moveAlongRays(material, { value: -BEFORE * radiusOf(boundsOf(this.positions)) });
    const wires = new LineSegments(geometry, material);
    wires.frustumCulled = false;
    wires.visible = false;
    return wires;
  }

  private makeRest(): Mesh<BufferGeometry, MeshStandardMaterial> {
    const geometry = new BufferGeometry();
    for (const name of ["position", "normal"]) {
      geometry.setAttribute(name, (this.surface.getAttribute(name) as BufferAttribute).clone());
    }
    geometry.setIndex(this.surface.getIndex());
    const material = new MeshStandardMaterial({
      transparent: true,
      opacity: 0.28,
      depthWrite: false,
      side: DoubleSide,
    });
    const rest = new Mesh(geometry, material);
    rest.visible = false;
    rest.renderOrder = 2;
    return rest;
  }
}

function colorsOfBodies(layout: Layout, source: Uint32Array): Float32Array {
  const bodyOf = new Uint32Array(layout.bodies.reduce((sum, body) => sum + body.vertices, 0));
  let start = 0;
  layout.bodies.forEach((body, i) => {
    bodyOf.fill(i, start, start + body.vertices);
    start += body.vertices;
  });
  const palette = BODIES.map((hex) => new Color(hex).toArray());
  const colors = new Float32Array(3 * source.length);
  source.forEach((vertex, i) => {
    colors.set(palette[bodyOf[vertex] % palette.length], 3 * i);
  });
  return colors;
}
