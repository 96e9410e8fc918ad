// Grabbing: pointers on a body pull its vertices; balls of kept holds can be taken again or removed.
import { Plane, Ray, Vector3 } from "three";
import type { Hold, ToServer, Vector } from "../data/types";
import { type Hit, pick } from "../math/pick";
import type { ShownHold } from "./holds";
import type { Stage } from "./stage";
import type { View } from "./view";

export interface GrabHost {
  stage: Stage;
  view(): View | null;
  /** Holds as the server sent them last. */
  holds(): Hold[];
  client(): number;
  /** Whether bodies can be pulled: not in a recording, not without a connection. */
  live(): boolean;
  keepsHolds(): boolean;
  send(message: ToServer): void;
}

interface Drag {
  id: number;
  vertex: number;
  target: Vector3;
  /** From the place of the pointer on the plane to the target. */
  offset: Vector3;
  plane: Plane;
  /** Whether the target changed since it was sent. */
  unsent: boolean;
  moved: boolean;
  wasKept: boolean;
  longPress: ReturnType<typeof setTimeout> | undefined;
}

const LONG_PRESS = 650;
/** By how many pixels a finger may miss. */
const FINGER = 12;
/** How near to a ball counts as on it, in pixels. */
const BALL = 14;
const BALL_TOUCHED = 26;

export class Grabber {
  private readonly drags = new Map<number, Drag>();
  private readonly gone = new Set<number>();
  private nextId = 1;
  private hover: { x: number; y: number } | null = null;

  constructor(
    private readonly host: GrabHost,
    private readonly area: HTMLElement,
  ) {
    // In the capture phase: a pointer that holds something must not turn the camera as well.
    area.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    area.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    area.addEventListener("pointerup", (event) => this.up(event), { capture: true });
    area.addEventListener("pointercancel", (event) => this.up(event), { capture: true });
    area.addEventListener("dblclick", (event) => this.doubleClick(event));
  }

  get dragging(): boolean {
    return this.drags.size > 0;
  }

  /** Sends where the pointers went since the last animation frame, and shows what could be grabbed. */
  flush(): void {
    for (const drag of this.drags.values()) {
      if (!drag.unsent) continue;
      drag.unsent = false;
      this.host.send({ kind: "move", id: drag.id, target: toArray(drag.target) });
    }
    if (this.hover) {
      const { x, y } = this.hover;
      this.hover = null;
      this.area.style.cursor = this.host.live() && (this.ballAt(x, y, BALL) || this.hit(x, y)) ? "grab" : "";
    }
  }

  /** Lets go of everything that pointers hold. */
  releaseDrags(): void {
    for (const pointer of [...this.drags.keys()]) this.finish(pointer, false);
  }

  /** Forgets everything, as after a lost connection or with a new scene. */
  forget(): void {
    for (const drag of this.drags.values()) clearTimeout(drag.longPress);
    this.drags.clear();
    this.gone.clear();
    this.area.classList.remove("grabbing");
  }

  shown(): ShownHold[] {
    const view = this.host.view();
    if (!view) return [];
    const own = this.host.client();
    const forces = new Map<number, number>();
    const shown: ShownHold[] = [];
    for (const hold of this.host.holds()) {
      if (hold.vertex >= view.vertexCount) continue;
      const force = Math.hypot(...hold.force);
      if (hold.client === own) {
        forces.set(hold.id, force);
        if (this.gone.has(hold.id) || this.dragOf(hold.id)) continue;
      }
      const target = new Vector3(...hold.target);
      shown.push({ vertex: view.vertex(hold.vertex), target, force, own: hold.client === own });
    }
    for (const drag of this.drags.values()) {
      const force = forces.get(drag.id) ?? null;
      shown.push({ vertex: view.vertex(drag.vertex), target: drag.target, force, own: true });
    }
    return shown;
  }

  /** The first vertex under a place of the window, or null. */
  hit(x: number, y: number): Hit | null {
    const view = this.host.view();
    if (!view) return null;
    const { origin, direction } = this.host.stage.ray(x, y);
    return pick(toArray(origin), toArray(direction), view.bodies.positions, view.bodies.triangles);
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || !this.host.live()) return;
    const view = this.host.view();
    if (!view || event.target !== this.host.stage.canvas) return;
    const ball = this.ballAt(event.clientX, event.clientY, event.pointerType === "mouse" ? BALL : BALL_TOUCHED);
    const hit = ball ? null : this.hitNear(event);
    if (!ball && !hit) return;
    event.stopPropagation();
    event.preventDefault();
    this.area.setPointerCapture(event.pointerId);
    this.area.classList.add("grabbing");
    const start = ball ? new Vector3(...ball.target) : view.vertex(hit!.vertex);
    const drag = this.startDrag(event, ball, hit ? hit.vertex : ball!.vertex, start);
    this.drags.set(event.pointerId, drag);
    if (!ball) this.host.send({ kind: "hold", id: drag.id, vertex: drag.vertex, target: toArray(drag.target) });
    this.host.stage.invalidate();
  }

  /** A finger that misses a body by a few pixels meant it. */
  private hitNear(event: PointerEvent): Hit | null {
    const straight = this.hit(event.clientX, event.clientY);
    if (straight || event.pointerType === "mouse") return straight;
    for (let i = 0; i < 8; i++) {
      const angle = (i * Math.PI) / 4;
      const near = this.hit(event.clientX + FINGER * Math.cos(angle), event.clientY + FINGER * Math.sin(angle));
      if (near) return near;
    }
    return null;
  }

  private startDrag(event: PointerEvent, ball: Hold | null, vertex: number, start: Vector3): Drag {
    const forward = this.host.stage.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(forward, start);
    const place = this.onPlane(event, plane) ?? start;
    const id = ball ? ball.id : this.nextId++;
    return {
      id,
      vertex,
      target: start.clone(),
      offset: start.clone().sub(place),
      plane,
      unsent: false,
      moved: false,
      wasKept: ball !== null,
      longPress: ball ? setTimeout(() => this.pressedLong(event.pointerId), LONG_PRESS) : undefined,
    };
  }

  private move(event: PointerEvent): void {
    const drag = this.drags.get(event.pointerId);
    if (!drag) {
      if (event.pointerType === "mouse" && event.buttons === 0) {
        this.hover = { x: event.clientX, y: event.clientY };
        this.host.stage.invalidate();
      }
      return;
    }
    event.stopPropagation();
    const place = this.onPlane(event, drag.plane);
    if (!place) return;
    const target = place.add(drag.offset);
    const pixels = target.distanceTo(drag.target) / this.host.stage.metresPerPixel(drag.target);
    // A finger is never quite still: a long press bears a few pixels.
    if (!drag.moved && drag.wasKept && pixels < 5) return;
    drag.target = target;
    drag.unsent = true;
    drag.moved = true;
    clearTimeout(drag.longPress);
    this.host.stage.invalidate();
  }

  private up(event: PointerEvent): void {
    const drag = this.drags.get(event.pointerId);
    if (!drag) return;
    event.stopPropagation();
    const keeps = event.type === "pointerup" && (drag.wasKept || event.shiftKey || this.host.keepsHolds());
    this.finish(event.pointerId, keeps);
  }

  private finish(pointer: number, keeps: boolean): void {
    const drag = this.drags.get(pointer);
    if (!drag) return;
    clearTimeout(drag.longPress);
    if (keeps) {
      if (drag.unsent) this.host.send({ kind: "move", id: drag.id, target: toArray(drag.target) });
      this.host.send({ kind: "keep", id: drag.id });
    } else {
      this.release(drag.id);
    }
    this.drags.delete(pointer);
    if (this.drags.size === 0) this.area.classList.remove("grabbing");
    this.host.stage.invalidate();
  }

  private release(id: number): void {
    this.gone.add(id);
    this.host.send({ kind: "release", id });
    this.host.stage.invalidate();
  }

  private pressedLong(pointer: number): void {
    const drag = this.drags.get(pointer);
    if (drag && !drag.moved) this.finish(pointer, false);
  }

  /** On a ball it removes the hold, beside the bodies it fits the view. */
  private doubleClick(event: MouseEvent): void {
    const view = this.host.view();
    // While a pointer is captured, clicks go to the area instead of the canvas in it.
    if (!view || (event.target !== this.host.stage.canvas && event.target !== this.area)) return;
    const { clientX: x, clientY: y } = event;
    const ball = this.host.live() ? this.ballAt(x, y, BALL_TOUCHED) : null;
    if (ball) this.release(ball.id);
    else if (!this.hit(x, y)) view.fit();
  }

  /** The own kept hold whose ball is nearest to a place, within some pixels. */
  private ballAt(x: number, y: number, pixels: number): Hold | null {
    let best: Hold | null = null;
    let nearest = pixels;
    for (const hold of this.host.holds()) {
      if (hold.client !== this.host.client() || this.gone.has(hold.id) || this.dragOf(hold.id)) continue;
      const seen = this.host.stage.toScreen(new Vector3(...hold.target));
      const away = Math.hypot(seen.x - x, seen.y - y);
      if (seen.before && away < nearest) {
        nearest = away;
        best = hold;
      }
    }
    return best;
  }

  private dragOf(id: number): Drag | undefined {
    return [...this.drags.values()].find((drag) => drag.id === id);
  }

  private onPlane(event: PointerEvent, plane: Plane): Vector3 | null {
    const { origin, direction } = this.host.stage.ray(event.clientX, event.clientY);
    return new Ray(origin, direction).intersectPlane(plane, new Vector3());
  }
}

function toArray(vector: Vector3): Vector {
  return [vector.x, vector.y, vector.z];
}
