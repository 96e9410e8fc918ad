// Contacts: points in the colour of their state, forces as arrows.
import { Color, Group, Vector3 } from "three";
import { CONTACT_STRIDE } from "../data/frame";
import { AutoRange } from "../math/range";
import { Arrows } from "./arrows";
import { Dots } from "./dots";
import { CONTACT, type Palette, SLIDING, STICKING } from "./palette";

export interface ContactLook {
  points: boolean;
  forces: boolean;
  states: boolean;
  /** Length of the longest arrow as a multiple of what suits the scene. */
  length: number;
}

const SLIDES = 2;
/** A longest arrow is this part of the size of the bodies. */
const LONGEST = 0.45;
const THICKNESS = 0.009;

export class Contacts {
  readonly group = new Group();
  private readonly dots = new Dots(10);
  private readonly arrows = new Arrows();
  private readonly range = new AutoRange();
  private readonly plain = new Color(CONTACT);
  private readonly sticking = new Color(STICKING);
  private readonly sliding = new Color(SLIDING);

  constructor() {
    this.group.add(this.dots.points, this.arrows.group);
  }

  /** `size` is the radius of the bodies, in metres. */
  update(contacts: Float32Array, look: ContactLook, size: number): void {
    const count = contacts.length / CONTACT_STRIDE;
    this.dots.points.visible = look.points;
    this.arrows.group.visible = look.forces;
    if (look.points) {
      this.dots.update(count, (positions, colors) => {
        for (let i = 0; i < count; i++) {
          const at = i * CONTACT_STRIDE;
          positions.set(contacts.subarray(at, at + 3), 3 * i);
          this.colorOf(contacts[at + 6], look.states).toArray(colors, 3 * i);
        }
      });
    }
    if (look.forces) this.updateArrows(contacts, look, size);
  }

  setPalette(palette: Palette): void {
    this.dots.setOutline(palette.outline);
  }

  dispose(): void {
    this.dots.dispose();
    this.arrows.dispose();
  }

  private updateArrows(contacts: Float32Array, look: ContactLook, size: number): void {
    const count = contacts.length / CONTACT_STRIDE;
    const sizes = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      const at = i * CONTACT_STRIDE + 3;
      sizes[i] = Math.hypot(contacts[at], contacts[at + 1], contacts[at + 2]);
    }
    const [, top] = this.range.update(sizes);
    const start = new Vector3();
    const force = new Vector3();
    this.arrows.begin(count);
    for (let i = 0; i < count; i++) {
      const at = i * CONTACT_STRIDE;
      const length = Math.min(1.2, sizes[i] / top) * LONGEST * size * look.length;
      if (!(length > 0.004 * size)) continue;
      start.fromArray(contacts, at);
      force.fromArray(contacts, at + 3);
      this.arrows.add(start, force, length, THICKNESS * size, this.colorOf(contacts[at + 6], look.states));
    }
    this.arrows.end();
  }

  private colorOf(state: number, split: boolean): Color {
    if (!split) return this.plain;
    return state === SLIDES ? this.sliding : this.sticking;
  }
}
