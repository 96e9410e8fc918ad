// A simulation that runs on the server: turns messages into state, and frames into what is drawn next.
import { quantity } from "../math/format";
import { wanted } from "../overlays";
import type { Session, SessionEvents } from "../session";
import type { State } from "../state";
import type { Connection } from "./connection";
import { type Frame, type Geometry, readFrame, readGeometry } from "./frame";
import { readLayout } from "./layout";
import type { Applied, FromServer, SceneBuilt, Stats, ToServer } from "./types";

const GEOMETRY = 1;
const FRAME = 2;
const GEOMETRY_HEAD = 8;
const FRAME_HEAD = 16;

export class Live implements Session {
  private announced: SceneBuilt | null = null;
  private generation = -1;
  private pending: { frame: Frame; number: number; stats: Stats | null } | null = null;
  private newestStats: Stats | null = null;
  private undrawn: number | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly state: State,
    private readonly events: SessionEvents,
  ) {
    let last = "";
    state.overlays.watch((overlays) => {
      const message = JSON.stringify(wanted(overlays));
      if (message !== last && state.mode.value === "live") this.greet();
      last = message;
    });
  }

  /** Sends the server what this page wants to see. */
  greet(): void {
    this.send(wanted(this.state.overlays.value));
  }

  play(): void {
    this.send({ kind: "play" });
    this.state.playing.value = true;
  }

  pause(): void {
    this.send({ kind: "pause" });
    this.state.playing.value = false;
  }

  step(count: number): void {
    this.send({ kind: "step", count });
    this.state.playing.value = false;
  }

  reset(): void {
    this.send({ kind: "reset" });
  }

  setSpeed(factor: number | null): void {
    this.send({ kind: "speed", factor });
    this.state.speed.value = factor;
  }

  seek(): void {}

  send(message: ToServer): void {
    this.connection.send(message);
  }

  animates(): boolean {
    return false;
  }

  next(): Frame | null {
    const { pending } = this;
    if (!pending) return null;
    this.pending = null;
    this.undrawn = pending.number;
    if (pending.stats) this.show(pending.stats);
    return pending.frame;
  }

  drawn(): void {
    if (this.undrawn !== null) this.send({ kind: "ack", frame: this.undrawn });
    this.undrawn = null;
  }

  /** A new connection: nothing of the old one counts any more. */
  opened(): void {
    this.announced = null;
    this.generation = -1;
    this.pending = null;
    this.newestStats = null;
    this.state.busy.value = null;
  }

  receive(message: FromServer): void {
    switch (message.kind) {
      case "scene":
        this.announce(message);
        break;
      case "stats":
        this.newestStats = message;
        // While a frame is on its way both are shown together; alone, the numbers would run ahead of the picture.
        if (this.generation >= 0) this.showSoon(message);
        break;
      case "applied":
        this.applied(message);
        break;
      case "busy":
        this.state.busy.value = message.text;
        break;
      case "ready":
        this.state.busy.value = null;
        break;
      case "error":
        this.events.failed(message);
        break;
      default:
        break;
    }
  }

  receiveBinary(data: ArrayBuffer): void {
    const head = new DataView(data);
    const kind = data.byteLength >= GEOMETRY_HEAD ? head.getUint32(0, true) : 0;
    try {
      if (kind === GEOMETRY) this.takeGeometry(data, head.getUint32(4, true));
      else if (kind === FRAME && data.byteLength >= FRAME_HEAD) this.takeFrame(data, head);
    } catch (error) {
      this.events.failed({ kind: "error", at: "message", text: (error as Error).message });
    }
  }

  private announce(message: SceneBuilt): void {
    try {
      this.announced = { ...message, layout: readLayout(message.layout) };
    } catch (error) {
      this.events.failed({ kind: "error", at: "message", text: (error as Error).message });
    }
  }

  private takeGeometry(data: ArrayBuffer, generation: number): void {
    const scene = this.announced;
    if (!scene || scene.generation !== generation) return;
    const geometry: Geometry = readGeometry(data, GEOMETRY_HEAD, data.byteLength, scene.layout);
    this.generation = generation;
    this.announced = null;
    this.pending = null;
    this.events.built(scene, geometry);
  }

  private takeFrame(data: ArrayBuffer, head: DataView): void {
    const number = head.getUint32(8, true);
    const layout = this.state.scene.value?.layout;
    if (head.getUint32(4, true) !== this.generation || !layout) {
      // Not drawn, but acknowledged: the server would wait for it otherwise.
      this.send({ kind: "ack", frame: number });
      return;
    }
    try {
      const frame = readFrame(data, FRAME_HEAD, data.byteLength, layout);
      this.pending = { frame, number, stats: this.newestStats };
      this.events.changed();
    } catch (error) {
      this.send({ kind: "ack", frame: number });
      throw error;
    }
  }

  private showSoon(stats: Stats): void {
    // Pausing sends no new step: buttons must follow at once.
    const known = this.state.stats.value;
    if (known && known.step === stats.step) this.show(stats);
  }

  private show(stats: Stats): void {
    this.state.stats.value = stats;
    this.state.playing.value = stats.playing;
    this.state.speed.value = stats.speed;
  }

  private applied(message: Applied): void {
    const scene = this.state.scene.value;
    const control = scene?.controls.find(({ id }) => id === message.control);
    if (!scene || !control) return;
    const controls = scene.controls.map((c) => (c === control ? { ...c, value: message.value } : c));
    this.state.scene.value = { ...scene, controls };
    const value = Array.isArray(message.value)
      ? `(${message.value.map((x) => quantity(x, "")).join(", ")}) ${control.unit}`
      : quantity(message.value, control.unit);
    const how = message.effect === "rebuild" ? `, rebuilt in ${quantity(message.took_ms / 1000, "s", 2)}` : "";
    this.events.applied(`${control.label} = ${value}${how}`);
  }
}
