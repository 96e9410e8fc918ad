// A plane, or only a grid, that fades out into the distance; its step suits the distance of the eye. Shadows fall on it.
import {
  Color,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
  type Vector3,
} from "three";
import type { Palette } from "./palette";

const VERTEX = `
uniform vec2 middle;
uniform float reach;
varying vec2 place;
void main() {
  place = position.xy * reach + middle;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform vec3 ground;
uniform vec3 grid;
uniform vec2 middle;
uniform float reach;
uniform float spacing;
uniform float blend;
uniform float strength;
uniform float solid;
varying vec2 place;

float lines(float step) {
  vec2 scaled = place / step;
  vec2 width = fwidth(scaled);
  vec2 near = abs(fract(scaled - 0.5) - 0.5) / max(width, 1e-6);
  // Where lines would be closer than two pixels there are none: they would only flicker.
  vec2 fine = 1.0 - smoothstep(0.2, 0.5, width);
  vec2 line = (1.0 - min(near, 1.0)) * fine;
  return max(line.x, line.y);
}

void main() {
  float away = length(place - middle) / reach;
  float fade = 1.0 - smoothstep(0.25, 1.0, away);
  float line = max(lines(spacing) * blend * 0.45, lines(10.0 * spacing) * 0.8);
  // What is no obstacle is lines only.
  float alpha = fade * strength * mix(line * 0.75, 1.0, solid);
  gl_FragColor = vec4(mix(grid, mix(ground, grid, line * 0.75), solid), alpha);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly group = new Group();
  private readonly grid: ShaderMaterial;
  private readonly shadow = new ShadowMaterial({ depthWrite: false });
  private readonly plane = new PlaneGeometry(2, 2);
  private readonly inverse = new Matrix4();

  /** A ground that is drawn so far below where it is; without `solid` a grid that nothing rests on. */
  constructor(
    private readonly below: number,
    private readonly solid = true,
  ) {
    this.grid = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        ground: { value: new Color() },
        grid: { value: new Color() },
        middle: { value: new Vector2() },
        reach: { value: 1 },
        spacing: { value: 0.1 },
        blend: { value: 1 },
        strength: { value: 1 },
        solid: { value: solid ? 1 : 0 },
      },
    });
    const seen = new Mesh(this.plane, this.grid);
    const shaded = new Mesh(this.plane, this.shadow);
    shaded.receiveShadow = true;
    // Behind all else that is transparent, the shadow after the ground that it falls on.
    seen.renderOrder = -2;
    shaded.renderOrder = -1;
    for (const mesh of [seen, shaded]) mesh.frustumCulled = false;
    this.group.add(seen, shaded);
    this.group.matrixAutoUpdate = false;
  }

  setPlacement(matrix: Matrix4): void {
    this.group.matrix.copy(matrix);
    this.group.matrixWorldNeedsUpdate = true;
    this.inverse.copy(matrix).invert();
  }

  follow(target: Vector3, eye: Vector3, reach: number): void {
    const middle = target.clone().applyMatrix4(this.inverse);
    const above = eye.clone().applyMatrix4(this.inverse).z;
    const distance = Math.max(1e-9, eye.distanceTo(target));
    const level = Math.log10(distance / 12);
    const { uniforms } = this.grid;
    uniforms.middle.value.set(middle.x, middle.y);
    uniforms.reach.value = reach;
    uniforms.spacing.value = 10 ** Math.floor(level);
    uniforms.blend.value = 1 - (level - Math.floor(level)) ** 2;
    // Seen from below it only hints where it is.
    uniforms.strength.value = above > 0 ? 1 : 0.25;
    for (const mesh of this.group.children) {
      mesh.position.set(middle.x, middle.y, -this.below);
      mesh.scale.set(reach, reach, 1);
    }
    this.group.children[1].visible = above > 0;
  }

  setPalette(palette: Palette): void {
    this.grid.uniforms.ground.value.set(palette.ground);
    this.grid.uniforms.grid.value.set(palette.grid);
    this.shadow.opacity = this.solid ? palette.shadow : 0.5 * palette.shadow;
  }

  dispose(): void {
    this.plane.dispose();
    this.grid.dispose();
    this.shadow.dispose();
  }
}
