// The picture of one scene: puts bodies, obstacles, lines and overlays onto the stage and keeps them up to date.
import { Box3, Color, Matrix4, Vector3 } from "three";
import type { Frame, Geometry } from "../data/frame";
import type { Layout } from "../data/types";
import { AutoRange } from "../math/range";
import type { Overlays } from "../overlays";
import { Bodies } from "./bodies";
import { boundsOf, radiusOf } from "./bounds";
import { fitView, followView, openView } from "./camera";
import { Contacts } from "./contacts";
import { Dots, spaced } from "./dots";
import { Ground } from "./ground";
import { Lights } from "./lights";
import { Obstacles } from "./obstacles";
import type { Palette } from "./palette";
import type { Stage } from "./stage";
import { Tubes } from "./tubes";

export class View {
  readonly bodies: Bodies;
  /** The range of the colours on the surface as drawn last, or null if there are none. */
  range: [number, number] | null = null;
  /** The frame that is drawn. */
  frame: Frame | null = null;
  private readonly obstacles: Obstacles;
  /** Where a scene has no plane, a grid says how large things are and where down is. */
  private readonly grid: Ground | null;
  private readonly pinned: number[];
  private readonly tubes: Tubes;
  private readonly lights: Lights;
  private readonly contacts = new Contacts();
  private readonly pins = new Dots(9);
  private readonly pinColor = new Color();
  private readonly autoRange = new AutoRange();
  private readonly box = new Box3();
  private readonly size: number;
  private opened = false;

  constructor(
    private readonly stage: Stage,
    readonly layout: Layout,
    geometry: Geometry,
    private readonly keepView: boolean,
  ) {
    this.bodies = new Bodies(layout, geometry);
    this.tubes = new Tubes(layout);
    this.lights = new Lights(layout.lights);
    this.size = radiusOf(boundsOf(geometry.rest));
    this.obstacles = new Obstacles(layout, geometry, this.size);
    this.grid = layout.obstacles.some(({ plane }) => plane) ? null : new Ground(0, false);
    this.pinned = spaced(layout.pins, geometry.rest, 0.12 * this.size);
    stage.scene.add(...this.parts());
  }

  setFrame(frame: Frame, overlays: Overlays): void {
    const first = this.frame === null;
    this.frame = frame;
    this.bodies.setPositions(frame.positions);
    this.obstacles.setPlacements(frame.placements);
    this.tubes.update(frame.linePoints, 0.009 * this.size);
    boundsOf(frame.positions, this.box);
    if (!first) followView(this.stage, this.box, this.size);
    this.lights.follow(this.box);
    if (first && !this.opened) {
      this.opened = true;
      const box = this.boxInView();
      this.grid?.setPlacement(new Matrix4().makeTranslation(0, 0, box.isEmpty() ? 0 : box.min.z));
      if (!this.keepView) openView(this.stage, this.layout.camera, box);
    }
    this.refresh(overlays);
  }

  /** Draws the overlays of the present frame as they are wanted now. */
  refresh(overlays: Overlays): void {
    this.bodies.setWires(overlays.wireframe);
    this.bodies.setRest(overlays.rest);
    this.lights.setShadows(overlays.shadows);
    const { frame } = this;
    if (!frame) return;
    this.paint(frame, overlays);
    const { contacts: points, forces, states, forceLength: length } = overlays;
    this.contacts.update(frame.contacts, { points, forces, states, length }, this.size);
    this.pins.points.visible = overlays.pins;
    if (overlays.pins) this.placePins(frame.positions);
    this.stage.invalidate();
  }

  /** Before each drawing: what depends on the place of the eye. */
  beforeDraw(): void {
    const { camera, controls } = this.stage;
    const distance = camera.position.distanceTo(controls.target);
    const reach = Math.max(9 * this.size, 2.5 * distance);
    this.obstacles.follow(controls.target, camera.position, reach);
    this.grid?.follow(controls.target, camera.position, reach);
  }

  setPalette(palette: Palette): void {
    this.bodies.setPalette(palette);
    this.obstacles.setPalette(palette);
    this.grid?.setPalette(palette);
    this.tubes.setPalette(palette);
    this.lights.setPalette(palette);
    this.contacts.setPalette(palette);
    this.pins.setOutline(palette.outline);
    this.pinColor.set(palette.pin);
  }

  fit(): void {
    fitView(this.stage, this.boxInView());
  }

  openAgain(): void {
    openView(this.stage, this.layout.camera, this.boxInView());
  }

  vertex(index: number): Vector3 {
    return new Vector3().fromArray(this.bodies.positions, 3 * index);
  }

  get vertexCount(): number {
    return this.bodies.positions.length / 3;
  }

  resetRange(): void {
    this.autoRange.reset();
  }

  dispose(): void {
    this.stage.scene.remove(...this.parts());
    for (const part of [this.bodies, this.obstacles, this.tubes, this.lights, this.contacts, this.pins]) part.dispose();
    this.grid?.dispose();
  }

  private parts() {
    const groups = [this.bodies, this.obstacles, this.tubes, this.lights, this.contacts].map((part) => part.group);
    return [...groups, ...(this.grid ? [this.grid.group] : []), this.pins.points];
  }

  private paint(frame: Frame, overlays: Overlays): void {
    const values = overlays.surface === "none" ? null : frame[overlays.surface];
    if (values) {
      const automatic = this.autoRange.update(values);
      this.range = overlays.rangeTop === null ? automatic : [0, overlays.rangeTop];
    } else {
      this.range = null;
    }
    this.lights.setEven(values !== null);
    this.bodies.setValues(values, this.range ?? [0, 1]);
  }

  private placePins(positions: Float32Array): void {
    const pins = this.pinned;
    this.pins.update(pins.length, (places, colors) => {
      pins.forEach((vertex, i) => {
        places.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * i);
        this.pinColor.toArray(colors, 3 * i);
      });
    });
  }

  /** The box of the bodies, their lines and of obstacles that are not much larger. */
  private boxInView(): Box3 {
    const box = this.box.clone();
    const { frame } = this;
    if (!frame) return box;
    if (frame.linePoints.length > 0) box.union(boundsOf(frame.linePoints));
    for (const other of this.obstacles.boxesWithin(6 * this.size, frame.placements)) box.union(other);
    return box;
  }
}
