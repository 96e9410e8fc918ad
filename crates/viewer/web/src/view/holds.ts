// Shows what is held: the vertex, where it is pulled to, a line between, the force as a label.
import { Color, Group, type Vector3 } from "three";
import { quantity } from "../math/format";
import { Arrows } from "./arrows";
import { Dots } from "./dots";
import type { Palette } from "./palette";
import type { Stage } from "./stage";

export interface ShownHold {
  vertex: Vector3;
  target: Vector3;
  /** Size of the force in N, null until the server has sent it. */
  force: number | null;
  /** Whether this page may move it. */
  own: boolean;
}

export class HoldsView {
  readonly group = new Group();
  private readonly ends = new Dots(10);
  private readonly balls = new Dots(17);
  private readonly arrows = new Arrows();
  private readonly accent = new Color();
  private readonly foreign = new Color();
  private readonly labels: HTMLElement[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly labelParent: HTMLElement,
  ) {
    this.ends.points.renderOrder = 12;
    this.balls.points.renderOrder = 13;
    this.group.add(this.arrows.group, this.ends.points, this.balls.points);
    stage.scene.add(this.group);
  }

  update(holds: ShownHold[]): void {
    this.fillDots(this.ends, holds, (hold) => hold.vertex);
    this.fillDots(this.balls, holds, (hold) => hold.target);
    this.arrows.begin(holds.length);
    for (const hold of holds) {
      const between = hold.target.clone().sub(hold.vertex);
      const thickness = 3 * this.stage.metresPerPixel(hold.vertex);
      this.arrows.add(hold.vertex, between, between.length(), thickness, this.colorOf(hold));
    }
    this.arrows.end();
    this.placeLabels(holds);
  }

  setPalette(palette: Palette): void {
    this.accent.set(palette.accent);
    this.foreign.set(palette.grid);
    this.ends.setOutline(palette.outline);
    this.balls.setOutline(palette.outline);
  }

  private colorOf(hold: ShownHold): Color {
    return hold.own ? this.accent : this.foreign;
  }

  private fillDots(dots: Dots, holds: ShownHold[], place: (hold: ShownHold) => Vector3): void {
    dots.update(holds.length, (positions, colors) => {
      holds.forEach((hold, i) => {
        place(hold).toArray(positions, 3 * i);
        this.colorOf(hold).toArray(colors, 3 * i);
      });
    });
  }

  private placeLabels(holds: ShownHold[]): void {
    while (this.labels.length < holds.length) {
      const label = document.createElement("div");
      label.className = "hold-label";
      this.labelParent.append(label);
      this.labels.push(label);
    }
    this.labels.forEach((label, i) => {
      const hold = holds[i];
      const seen = hold && hold.force !== null ? this.stage.toScreen(hold.target) : null;
      label.hidden = !seen?.before;
      if (!seen?.before || hold.force === null) return;
      label.textContent = quantity(hold.force, "N", 2);
      label.style.transform = `translate(${Math.round(seen.x + 12)}px, ${Math.round(seen.y - 28)}px)`;
    });
  }
}
