// Writes layouts, geometry, frames and recordings as the protocol says, for the tests of the readers.
import type { Layout } from "../../src/data/types";

export const LAYOUT: Layout = {
  name: "test",
  description: "Two triangles, a plane, a box of one triangle, a line",
  solver: "local_global",
  variant: null,
  dt: 0.01,
  bodies: [
    { name: "a", vertices: 3, triangles: 1 },
    { name: "b", vertices: 3, triangles: 1 },
  ],
  obstacles: [
    { name: "ground", plane: true, points: 0, triangles: 0 },
    { name: "box", plane: false, points: 3, triangles: 1 },
  ],
  lines: [{ name: "tendon", points: 2 }],
  pins: [1],
  camera: { direction: [1, 0, 0], target: null, distance: null, field_of_view: 35 },
  lights: [],
};

/** Little-endian bytes of numbers: `f` f32, `u` u32, `d` f64. */
export function bytes(...items: ["f" | "u" | "d", ...number[]][]): ArrayBuffer {
  const size = items.reduce((sum, [kind, ...values]) => sum + values.length * (kind === "d" ? 8 : 4), 0);
  const view = new DataView(new ArrayBuffer(size));
  let at = 0;
  for (const [kind, ...values] of items) {
    for (const value of values) {
      if (kind === "d") view.setFloat64(at, value, true);
      else if (kind === "f") view.setFloat32(at, value, true);
      else view.setUint32(at, value, true);
      at += kind === "d" ? 8 : 4;
    }
  }
  return view.buffer;
}

export const REST = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 2, 0, 1, 2];

export function geometry(): ArrayBuffer {
  return bytes(["u", 0, 1, 2, 3, 4, 5], ["f", ...REST], ["f", 0, 0, 0, 1, 0, 0, 0, 1, 0], ["u", 0, 1, 2]);
}

export function frame(time: number, step: number, flags: number, contacts: number[]): ArrayBuffer {
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  return bytes(
    ["d", time],
    ["u", step, flags, contacts.length / 8, 0],
    ["f", ...identity, 0, 0, 0, ...identity, 5, 6, 7],
    ["f", ...REST.map((x) => x + time)],
    ["f", 0, 0, 0, 1, 1, 1],
    ["f", ...(flags & 1 ? [1, 2, 3, 4, 5, 6] : [])],
    ["f", ...(flags & 2 ? [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] : [])],
    ["f", ...contacts],
  );
}

export function recording(frames: ArrayBuffer[], version = 4, announced = frames.length): ArrayBuffer {
  let text = JSON.stringify(LAYOUT);
  text += " ".repeat((4 - (text.length % 4)) % 4);
  const parts: Uint8Array[] = [
    new TextEncoder().encode("PLIANTFR"),
    new Uint8Array(bytes(["u", version, announced, text.length])),
    new TextEncoder().encode(text),
    new Uint8Array(geometry()),
    ...frames.flatMap((data) => [new Uint8Array(bytes(["u", data.byteLength])), new Uint8Array(data)]),
  ];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}
