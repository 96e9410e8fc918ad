// Reads recordings (frames.bin): their head, and the places of the frames in a whole file.
import { type Frame, type Geometry, geometryBytes, readFrame, readGeometry } from "./frame";
import { readLayout } from "./layout";
import type { Layout } from "./types";

const MAGIC = "PLIANTFR";
const VERSION = 4;
const UNFINISHED = 0xffffffff;

export interface RecordingHead {
  layout: Layout;
  geometry: Geometry;
  /** Where the first frame starts. */
  end: number;
  /** Frames by the head; null while the run has not ended. */
  frames: number | null;
}

export function readHead(buffer: ArrayBuffer): RecordingHead {
  const bytes = new Uint8Array(buffer);
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  if (bytes.length < 20 || magic !== MAGIC) throw new Error("This is no recording of Pliant: it does not start so");
  const view = new DataView(buffer);
  const version = view.getUint32(8, true);
  if (version !== VERSION) {
    throw new Error(`The recording has version ${version}, this viewer reads version ${VERSION}: record it again`);
  }
  const frames = view.getUint32(12, true);
  const start = 20 + view.getUint32(16, true);
  if (start > bytes.length) throw new Error("The recording ends within its layout: it was cut off");
  const layout = readLayout(JSON.parse(new TextDecoder().decode(bytes.subarray(20, start))));
  const end = start + geometryBytes(layout);
  if (end > bytes.length) throw new Error("The recording ends within its geometry: it was cut off");
  return {
    layout,
    geometry: readGeometry(buffer, start, end, layout),
    end,
    frames: frames === UNFINISHED ? null : frames,
  };
}

export interface WholeRecording {
  head: RecordingHead;
  times: number[];
  frame(index: number): Frame;
}

/** A recording that is in memory as a whole. What a cut off file still has of frames is kept. */
export function readWhole(buffer: ArrayBuffer): WholeRecording {
  const head = readHead(buffer);
  const view = new DataView(buffer);
  const starts: number[] = [];
  const ends: number[] = [];
  const times: number[] = [];
  let at = head.end;
  while (at + 4 <= buffer.byteLength) {
    const start = at + 4;
    const end = start + view.getUint32(at, true);
    if (end > buffer.byteLength || end < start + 8) break;
    starts.push(start);
    ends.push(end);
    times.push(view.getFloat64(start, true));
    at = end;
  }
  if (times.length === 0) throw new Error("The recording has no frames");
  return { head, times, frame: (index) => readFrame(buffer, starts[index], ends[index], head.layout) };
}

/** The recording that was put into the page itself, or null. */
export async function embeddedRecording(page: Document): Promise<WholeRecording | null> {
  const element = page.getElementById("recording");
  if (!element) return null;
  const packed = decodeBase64(element.textContent ?? "");
  // The text is as large as the file; it is not needed any more.
  element.textContent = "";
  const encoding = element.dataset.encoding ?? "";
  if (encoding === "") return readWhole(packed.buffer);
  if (encoding !== "gzip") throw new Error(`The recording in this page is packed as "${encoding}", which is unknown`);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return readWhole(await new Response(stream).arrayBuffer());
}

/** Decodes piece by piece: one call for the whole would need a string of the same size in between. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const clean = text.replace(/\s+/g, "");
  const padding = clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(Math.max(0, (clean.length / 4) * 3 - padding));
  const piece = 1 << 16;
  let at = 0;
  for (let i = 0; i < clean.length; i += piece) {
    const part = atob(clean.slice(i, i + piece));
    for (let j = 0; j < part.length; j++) bytes[at++] = part.charCodeAt(j);
  }
  return bytes;
}
