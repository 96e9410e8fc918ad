// Reads geometry and frames from bytes, and refuses those that do not fit the layout.
import { linePointCount, triangleCount, vertexCount } from "./layout";
import type { Layout } from "./types";

/** Numbers per contact in a frame: position, force, state, gap. */
export const CONTACT_STRIDE = 8;
const HEADER = 24;

export interface Geometry {
  /** Three vertices per triangle, numbered through all bodies. */
  triangles: Uint32Array;
  /** Positions at rest, three numbers per vertex. */
  rest: Float32Array;
  obstacles: { points: Float32Array; triangles: Uint32Array }[];
}

export interface Frame {
  time: number;
  step: number;
  /** Per obstacle the rows of its rotation and its translation: 12 numbers. */
  placements: Float32Array;
  positions: Float32Array;
  linePoints: Float32Array;
  stress: Float32Array | null;
  strain: Float32Array | null;
  contacts: Float32Array;
}

/** Walks through bytes from start to end. Copies only what is not aligned. */
class Reader {
  constructor(
    private readonly buffer: ArrayBuffer,
    private offset: number,
    private readonly end: number,
    private readonly what: string,
  ) {}

  floats(count: number): Float32Array {
    const at = this.take(4 * count);
    return at % 4 === 0
      ? new Float32Array(this.buffer, at, count)
      : new Float32Array(this.buffer.slice(at, at + 4 * count));
  }

  words(count: number): Uint32Array {
    const at = this.take(4 * count);
    return at % 4 === 0
      ? new Uint32Array(this.buffer, at, count)
      : new Uint32Array(this.buffer.slice(at, at + 4 * count));
  }

  view(bytes: number): DataView {
    return new DataView(this.buffer, this.take(bytes), bytes);
  }

  position(): number {
    return this.offset;
  }

  finish(): void {
    if (this.offset !== this.end) {
      throw new Error(`${this.what} is ${this.end - this.offset} bytes longer than its layout says`);
    }
  }

  private take(bytes: number): number {
    const at = this.offset;
    if (bytes > this.end - at) {
      throw new Error(`${this.what} is ${bytes - (this.end - at)} bytes shorter than its layout says`);
    }
    this.offset += bytes;
    return at;
  }
}

export function geometryBytes(layout: Layout): number {
  const own = 12 * (triangleCount(layout) + vertexCount(layout));
  return layout.obstacles.reduce((sum, obstacle) => sum + 12 * (obstacle.points + obstacle.triangles), own);
}

export function readGeometry(buffer: ArrayBuffer, offset: number, end: number, layout: Layout): Geometry {
  const reader = new Reader(buffer, offset, end, "The geometry");
  const vertices = vertexCount(layout);
  const triangles = reader.words(3 * triangleCount(layout));
  checkIndices(triangles, vertices, "the bodies");
  const rest = reader.floats(3 * vertices);
  const obstacles = layout.obstacles.map((obstacle) => {
    const points = reader.floats(3 * obstacle.points);
    const corners = reader.words(3 * obstacle.triangles);
    checkIndices(corners, obstacle.points, obstacle.name);
    return { points, triangles: corners };
  });
  reader.finish();
  return { triangles, rest, obstacles };
}

export function readFrame(buffer: ArrayBuffer, offset: number, end: number, layout: Layout): Frame {
  const reader = new Reader(buffer, offset, end, "A frame");
  const head = reader.view(HEADER);
  const flags = head.getUint32(12, true);
  const contacts = head.getUint32(16, true);
  const vertices = vertexCount(layout);
  const frame: Frame = {
    time: head.getFloat64(0, true),
    step: head.getUint32(8, true),
    placements: reader.floats(12 * layout.obstacles.length),
    positions: reader.floats(3 * vertices),
    linePoints: reader.floats(3 * linePointCount(layout)),
    stress: flags & 1 ? reader.floats(vertices) : null,
    strain: flags & 2 ? reader.floats(vertices) : null,
    contacts: reader.floats(CONTACT_STRIDE * contacts),
  };
  reader.finish();
  return frame;
}

function checkIndices(indices: Uint32Array, count: number, whose: string): void {
  for (const index of indices) {
    if (index >= count) throw new Error(`A triangle of ${whose} names vertex ${index} of ${count}`);
  }
}
