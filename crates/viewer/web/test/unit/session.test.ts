// Sessions: old frames are not drawn, recordings play by the clock, frames are fetched ahead within a bound.
import { describe, expect, test, vi } from "vitest";
import { backoff, type Connection, socketAddress } from "../../src/data/connection";
import { FetchedFrames } from "../../src/data/frames";
import { Live } from "../../src/data/live";
import { readWhole } from "../../src/data/recording";
import { frameAt, Replay } from "../../src/data/replay";
import type { SceneBuilt, Stats, ToServer } from "../../src/data/types";
import { State } from "../../src/state";
import { matching } from "../../src/ui/chooser";
import { Effort } from "../../src/view/effort";
import { bytes, frame, geometry, LAYOUT, recording } from "./bytes";

function join(...parts: ArrayBuffer[]): ArrayBuffer {
  return Uint8Array.from(parts.flatMap((part) => [...new Uint8Array(part)])).buffer;
}

const SCENE: SceneBuilt = {
  kind: "scene",
  generation: 3,
  layout: LAYOUT,
  controls: [],
  parameters: [],
  variants: [],
  vertices: 6,
  elements: 2,
  duration: 1,
  notes: [],
};

function liveSession() {
  const sent: ToServer[] = [];
  const state = new State();
  const failed = vi.fn();
  const connection = { send: (message: ToServer) => sent.push(message), connected: true } as unknown as Connection;
  const built = (scene: SceneBuilt) => {
    state.scene.value = scene;
  };
  const live = new Live(connection, state, { built, changed: () => {}, failed, applied: () => {} });
  live.receive(SCENE);
  live.receiveBinary(join(bytes(["u", 1, 3]), geometry()));
  const send = (generation: number, number: number, step: number) =>
    live.receiveBinary(join(bytes(["u", 2, generation, number, 0]), frame(step / 100, step, 0, [])));
  return { live, state, sent, failed, send };
}

describe("live", () => {
  test("draws the newest frame and acknowledges it when it is drawn", () => {
    const { live, sent, send } = liveSession();
    send(3, 1, 10);
    send(3, 2, 20);
    expect(sent).toEqual([]);
    expect(live.next()?.step).toBe(20);
    expect(live.next()).toBeNull();
    live.drawn();
    live.drawn();
    expect(sent).toEqual([{ kind: "ack", frame: 2 }]);
  });

  test("does not draw a frame of an old generation, but acknowledges it", () => {
    const { live, sent, send } = liveSession();
    send(2, 7, 10);
    expect(live.next()).toBeNull();
    expect(sent).toEqual([{ kind: "ack", frame: 7 }]);
  });

  test("shows numbers together with their frame", () => {
    const { live, state, send } = liveSession();
    live.receive({ kind: "stats", step: 5, time: 0.05, playing: true, speed: 1 } as Stats);
    expect(state.stats.value).toBeNull();
    send(3, 1, 5);
    live.next();
    expect(state.stats.value?.step).toBe(5);
    live.receive({ kind: "stats", step: 5, time: 0.05, playing: false, speed: 1 } as Stats);
    expect(state.playing.value).toBe(false);
  });

  test("reports a frame that does not fit, and continues", () => {
    const { live, sent, failed, send } = liveSession();
    live.receiveBinary(join(bytes(["u", 2, 3, 1, 0]), new ArrayBuffer(40)));
    expect(failed).toHaveBeenCalledOnce();
    expect(sent).toEqual([{ kind: "ack", frame: 1 }]);
    send(3, 2, 20);
    expect(live.next()?.step).toBe(20);
    live.receiveBinary(new ArrayBuffer(3));
  });
});

describe("a recording", () => {
  function replay(loop: boolean) {
    const state = new State();
    const whole = readWhole(recording([0, 1, 2, 3].map((i) => frame(i / 10, i, 0, []))));
    state.timeline.value = { times: whole.times, index: 0, loop, complete: true, waiting: false };
    return { state, session: new Replay({ get: (i) => whole.frame(i) }, state, () => {}) };
  }

  test("plays by the clock and stops at its end", () => {
    const { state, session } = replay(false);
    session.play();
    const steps = [0, 50, 100, 200, 300, 400, 500].map((now) => session.next(now)?.step ?? null);
    expect(steps).toEqual([0, null, null, 1, 2, 3, null]);
    expect(state.playing.value).toBe(false);
    session.play();
    expect(session.next(600)?.step).toBe(0);
  });

  test("loops, steps and follows the time line", () => {
    const { state, session } = replay(true);
    session.setSpeed(null);
    session.play();
    expect([1, 2, 3, 4, 5].map((now) => session.next(now)?.step ?? null)).toEqual([0, 1, 2, 3, 0]);
    session.step(2);
    expect(session.next(6)?.step).toBe(2);
    session.step(-1);
    expect(session.next(7)?.step).toBe(1);
    session.seek(99);
    expect(session.next(8)?.step).toBe(3);
    expect(state.timeline.value?.index).toBe(3);
  });

  test("finds the frame of a time", () => {
    expect([-1, 0, 0.1, 0.15, 9].map((t) => frameAt([0, 0.1, 0.2], t))).toEqual([0, 0, 1, 1, 2]);
  });

  test("is fetched ahead, a few at once", async () => {
    let running = 0;
    let most = 0;
    const asked: number[] = [];
    const server = {
      async fetch(index: number) {
        asked.push(index);
        most = Math.max(most, ++running);
        await new Promise((done) => setTimeout(done, 1));
        running--;
        return frame(index / 10, index, 0, []);
      },
      arrived: () => {},
      failed: () => {},
    };
    const frames = new FetchedFrames(200, LAYOUT, server);
    expect(frames.get(190)).toBeNull();
    await vi.waitFor(() => expect(asked.length).toBe(48));
    expect(most).toBeLessThanOrEqual(4);
    expect(asked.slice(8, 12)).toEqual([198, 199, 0, 1]);
    expect(frames.get(190)?.step).toBe(190);
  });

  test("reports frames that cannot be fetched, once", async () => {
    const failed = vi.fn();
    const fetch = vi.fn(() => Promise.reject(new Error("gone")));
    const frames = new FetchedFrames(1, LAYOUT, { fetch, arrived: () => {}, failed });
    frames.get(0);
    await vi.waitFor(() => expect(failed).toHaveBeenCalledOnce());
    frames.get(0);
    expect(fetch).toHaveBeenCalledTimes(3);
  });
});

test("drawing is too much only if it is slow for a while, and a hidden page does not count", () => {
  const effort = new Effort();
  const verdicts = (waited: number, times: number) => Array.from({ length: times }, () => effort.tooMuch(waited));
  expect(verdicts(16, 60)).not.toContain(true);
  expect(verdicts(5000, 60)).not.toContain(true);
  expect(verdicts(200, 60)).toContain(true);
});

test("a lost connection is tried again, ever more slowly", () => {
  expect([0, 1, 2, 3, 4, 50].map(backoff)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
});

test("the socket belongs to the page", () => {
  expect(socketAddress("http://127.0.0.1:7777/")).toBe("ws://127.0.0.1:7777/socket");
  expect(socketAddress("https://host/a/index.html?key=1#x")).toBe("wss://host/a/socket?key=1");
});

test("scenes are found by words", () => {
  const entry = (name: string, description: string) => ({
    name,
    description,
    source: "",
    variants: [],
    default_variant: null,
  });
  const scenes = [entry("twisting_bar", "A bar is twisted"), entry("drop", "A soft cube falls")];
  expect(matching(scenes, "Twisting bar").map(({ name }) => name)).toEqual(["twisting_bar"]);
  expect(matching(scenes, "soft falls").map(({ name }) => name)).toEqual(["drop"]);
  expect(matching(scenes, "").length).toBe(2);
});
