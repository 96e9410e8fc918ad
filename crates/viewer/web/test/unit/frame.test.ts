// Frames, geometry and recordings are read as the protocol says, and refused if they do not fit.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readFrame, readGeometry } from "../../src/data/frame";
import { readLayout } from "../../src/data/layout";
import { decodeBase64, embeddedRecording, readHead, readWhole } from "../../src/data/recording";
import { frame, geometry, LAYOUT, REST, recording } from "./bytes";

const CONTACT = [1, 2, 3, 0, 0, 9, 2, 0.001];

describe("a frame", () => {
  test("has its parts in order", () => {
    const data = frame(0.5, 50, 3, CONTACT);
    const read = readFrame(data, 0, data.byteLength, LAYOUT);
    expect(read.time).toBe(0.5);
    expect(read.step).toBe(50);
    expect([...read.placements.subarray(21, 24)]).toEqual([5, 6, 7]);
    expect(read.positions[3]).toBe(1.5);
    expect([...read.linePoints]).toEqual([0, 0, 0, 1, 1, 1]);
    expect([...(read.stress ?? [])]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(read.strain?.[5]).toBeCloseTo(0.6, 6);
    expect(read.contacts[5]).toBe(9);
  });

  test("may lack stress and strain", () => {
    const data = frame(0, 0, 2, []);
    const read = readFrame(data, 0, data.byteLength, LAYOUT);
    expect(read.stress).toBeNull();
    expect(read.strain?.[0]).toBeCloseTo(0.1, 6);
  });

  test("is read from any place in a buffer", () => {
    const data = new Uint8Array(frame(0.25, 25, 0, CONTACT));
    for (const shift of [1, 4, 16]) {
      const moved = new Uint8Array(shift + data.length);
      moved.set(data, shift);
      expect(readFrame(moved.buffer, shift, moved.length, LAYOUT).positions[3]).toBe(1.25);
    }
  });

  test("of the wrong size is refused", () => {
    const data = frame(0, 0, 0, CONTACT);
    expect(() => readFrame(data, 0, data.byteLength - 4, LAYOUT)).toThrow("shorter");
    const long = new ArrayBuffer(data.byteLength + 4);
    new Uint8Array(long).set(new Uint8Array(data));
    expect(() => readFrame(long, 0, long.byteLength, LAYOUT)).toThrow("longer");
    const huge = data.slice(0);
    new DataView(huge).setUint32(16, 0xffffffff, true);
    expect(() => readFrame(huge, 0, huge.byteLength, LAYOUT)).toThrow("shorter");
  });
});

describe("geometry", () => {
  test("has bodies, then obstacles", () => {
    const data = geometry();
    const read = readGeometry(data, 0, data.byteLength, LAYOUT);
    expect([...read.triangles]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...read.rest]).toEqual(REST);
    expect(read.obstacles[0].points.length).toBe(0);
    expect([...read.obstacles[1].triangles]).toEqual([0, 1, 2]);
  });

  test("that names a vertex that is not there is refused", () => {
    const data = geometry();
    new DataView(data).setUint32(0, 6, true);
    expect(() => readGeometry(data, 0, data.byteLength, LAYOUT)).toThrow("vertex 6 of 6");
  });
});

describe("a recording", () => {
  const frames = [frame(0, 0, 0, []), frame(0.1, 10, 0, CONTACT)];

  test("gives its frames by number", () => {
    const read = readWhole(recording(frames));
    expect(read.times).toEqual([0, 0.1]);
    expect(read.frame(1).step).toBe(10);
    expect(read.head.layout).toEqual(LAYOUT);
  });

  test("that was cut off keeps the whole frames", () => {
    const whole = recording(frames, 4, 0xffffffff);
    const cut = whole.slice(0, whole.byteLength - 10);
    expect(readHead(cut).frames).toBeNull();
    expect(readWhole(cut).times).toEqual([0]);
  });

  test("of another kind, version or length is refused with a reason", () => {
    expect(() => readHead(new ArrayBuffer(100))).toThrow("no recording");
    expect(() => readHead(recording(frames, 3))).toThrow("version 3");
    expect(() => readHead(recording(frames).slice(0, 60))).toThrow("cut off");
    expect(() => readWhole(recording([]))).toThrow("no frames");
  });

  test("is taken out of the page", async () => {
    const text = gzipSync(Buffer.from(recording(frames))).toString("base64");
    const element = { textContent: text.replace(/.{76}/g, "$&\n"), dataset: { encoding: "gzip" } };
    const page = { getElementById: (id: string) => (id === "recording" ? element : null) };
    const read = await embeddedRecording(page as unknown as Document);
    expect(read?.frame(1).step).toBe(10);
    const none = await embeddedRecording({ getElementById: () => null } as unknown as Document);
    expect(none).toBeNull();
  });
});

test("base64 of any length is decoded", () => {
  for (const length of [0, 1, 2, 3, 49151, 49152, 100001]) {
    const data = Buffer.from(Array.from({ length }, (_, i) => (i * 7) % 256));
    expect(Buffer.from(decodeBase64(data.toString("base64"))).equals(data)).toBe(true);
  }
});

test("a layout with gaps gets sensible values", () => {
  const layout = readLayout({ name: "x", bodies: [{ vertices: -3 }], camera: { distance: -1, field_of_view: 900 } });
  expect(layout.bodies[0]).toEqual({ name: "body 0", vertices: 0, triangles: 0 });
  expect(layout.camera).toEqual({ direction: [1, -2, 0.8], target: null, distance: null, field_of_view: 120 });
  expect(() => readLayout(null)).toThrow("versions");
});
