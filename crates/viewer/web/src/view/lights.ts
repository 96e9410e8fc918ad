// Lights: those of the scene or the usual ones, the first with shadows around the bodies.
import { type Box3, Color, DirectionalLight, Group, HemisphereLight, Vector3 } from "three";
import type { Light } from "../data/types";
import { radiusOf } from "./bounds";
import type { Palette } from "./palette";

const USUAL: Light[] = [
  { direction: [-0.4, -0.55, 1], color: [1, 0.985, 0.95], intensity: 1 },
  { direction: [0.8, 0.2, 0.35], color: [0.85, 0.92, 1], intensity: 0.3 },
];
/** Light that a white surface sends back as white; see the units of three's lights. */
const FULL = 2.1;
const AMBIENT = 1.8;
const EVEN_AMBIENT = 2.7;
const MAP_SIZE = 1024;

export class Lights {
  readonly group = new Group();
  private readonly sky = new HemisphereLight(0xffffff, 0xbbbbbb, AMBIENT);
  private readonly suns: { light: DirectionalLight; direction: Vector3; intensity: number }[];
  private readonly centre = new Vector3();
  private radius = 0;

  constructor(lights: Light[]) {
    // Hemisphere light takes its up from its place; here z is up.
    this.sky.position.set(0, 0, 1);
    this.group.add(this.sky);
    const used = lights.length > 0 ? lights : USUAL;
    this.suns = used.map(({ direction, color, intensity }, i) => {
      const light = new DirectionalLight(new Color(...color), FULL * intensity);
      light.castShadow = i === 0;
      light.shadow.mapSize.set(MAP_SIZE, MAP_SIZE);
      light.shadow.radius = 3;
      this.group.add(light, light.target);
      return { light, direction: new Vector3(...direction).normalize(), intensity: FULL * intensity };
    });
  }

  setPalette(palette: Palette): void {
    this.sky.color.set(palette.sky);
    this.sky.groundColor.set(palette.earth);
  }

  /** Even light lets colours be read as values: less from the suns, more from everywhere. */
  setEven(even: boolean): void {
    this.sky.intensity = even ? EVEN_AMBIENT : AMBIENT;
    for (const { light, intensity } of this.suns) light.intensity = even ? 0.35 * intensity : intensity;
  }

  setShadows(on: boolean): void {
    this.suns[0].light.castShadow = on;
  }

  /** Keeps lights and shadows around the bodies. Moves only when it must: a moving shadow map shimmers. */
  follow(box: Box3): void {
    if (box.isEmpty()) return;
    const centre = box.getCenter(new Vector3());
    const radius = radiusOf(box);
    const fits = centre.distanceTo(this.centre) + radius < 1.6 * this.radius && radius > 0.4 * this.radius;
    if (fits || !Number.isFinite(radius)) return;
    this.centre.copy(centre);
    this.radius = 1.25 * radius;
    for (const { light, direction } of this.suns) this.place(light, direction);
  }

  dispose(): void {
    for (const { light } of this.suns) light.dispose();
  }

  private place(light: DirectionalLight, direction: Vector3): void {
    const reach = 2 * this.radius;
    light.target.position.copy(this.centre);
    light.position.copy(this.centre).addScaledVector(direction, 3 * reach);
    const { camera } = light.shadow;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach, far: 6 * reach });
    camera.updateProjectionMatrix();
    light.shadow.normalBias = (2.5 * 2 * reach) / MAP_SIZE;
    light.shadow.bias = -0.0005;
  }
}
