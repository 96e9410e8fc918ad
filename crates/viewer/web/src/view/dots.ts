// Round dots of a fixed size on the screen, drawn over everything: contacts, pins, holds.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Points, ShaderMaterial } from "three";

const VERTEX = `
attribute vec3 tint;
uniform float size;
varying vec3 color;
void main() {
  color = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
}`;

const FRAGMENT = `
uniform vec3 outline;
uniform float size;
varying vec3 color;
void main() {
  float away = length(gl_PointCoord - 0.5) * size;
  float edge = 0.5 * size - 0.75;
  float rim = edge - 0.13 * size;
  float inside = 1.0 - smoothstep(edge - 0.75, edge + 0.75, away);
  float core = 1.0 - smoothstep(rim - 0.6, rim + 0.6, away);
  if (inside <= 0.0) discard;
  gl_FragColor = vec4(mix(outline, color, core), inside);
  #include <colorspace_fragment>
}`;

export class Dots {
  readonly points: Points<BufferGeometry, ShaderMaterial>;
  private capacity = 0;

  /** Dots of so many CSS pixels. */
  constructor(pixels: number) {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      uniforms: { size: { value: pixels }, outline: { value: new Color(0xffffff) } },
    });
    this.points = new Points(new BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 10;
    this.points.onBeforeRender = (renderer) => {
      // Slow machines draw fewer pixels; dots keep their size on the screen.
      material.uniforms.size.value = pixels * renderer.getPixelRatio();
    };
    this.reserve(64);
  }

  /** Sets the number of dots; `fill` writes place and linear colour of each. */
  update(count: number, fill: (positions: Float32Array, colors: Float32Array) => void): void {
    if (count > this.capacity) this.reserve(Math.max(count, 2 * this.capacity));
    const { geometry } = this.points;
    const position = geometry.getAttribute("position") as BufferAttribute;
    const tint = geometry.getAttribute("tint") as BufferAttribute;
    fill(position.array as Float32Array, tint.array as Float32Array);
    geometry.setDrawRange(0, count);
    position.needsUpdate = true;
    tint.needsUpdate = true;
  }

  setOutline(color: number): void {
    this.points.material.uniforms.outline.value.set(color);
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.points.material.dispose();
  }

  private reserve(capacity: number): void {
    this.capacity = capacity;
    // A buffer on the graphics card cannot grow: a new geometry takes its place.
    this.points.geometry.dispose();
    this.points.geometry = new BufferGeometry();
    for (const name of ["position", "tint"]) {
      const attribute = new BufferAttribute(new Float32Array(3 * capacity), 3);
      attribute.setUsage(DynamicDrawUsage);
      this.points.geometry.setAttribute(name, attribute);
    }
  }
}

/** Some of the vertices: one in each cube of this size, so that dots stay dots. */
export function spaced(vertices: number[], places: Float32Array, size: number): number[] {
  const cubes = new Map<string, number>();
  for (const vertex of vertices) {
    const cube = [0, 1, 2].map((axis) => Math.floor(places[3 * vertex + axis] / size)).join();
    if (!cubes.has(cube)) cubes.set(cube, vertex);
  }
  return [...cubes.values()];
}
