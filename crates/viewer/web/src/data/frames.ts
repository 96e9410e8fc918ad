// Frames of a recording by number: from memory, or fetched ahead and kept within a bound.
import { type Frame, readFrame } from "./frame";
import type { WholeRecording } from "./recording";
import type { Layout } from "./types";

export interface FrameSource {
  /** The frame if it is here; asks for it and for those after it. */
  get(index: number): Frame | null;
}

export function framesInMemory(recording: WholeRecording): FrameSource {
  return { get: (index) => recording.frame(index) };
}

const AHEAD = 48;
const AT_ONCE = 4;
const KEPT_BYTES = 192 * 1024 * 1024;
const RETRIES = 3;

export interface FrameServer {
  fetch(index: number): Promise<ArrayBuffer>;
  arrived(): void;
  failed(text: string): void;
}

/** Fetches frames from the server. */
export class FetchedFrames implements FrameSource {
  private readonly kept = new Map<number, { frame: Frame; bytes: number }>();
  private readonly underway = new Set<number>();
  private readonly failures = new Map<number, number>();
  private bytes = 0;
  private wanted = 0;

  constructor(
    public count: number,
    private readonly layout: Layout,
    private readonly server: FrameServer,
  ) {}

  get(index: number): Frame | null {
    this.wanted = index;
    const entry = this.kept.get(index);
    if (entry) {
      // The map keeps the order of insertion: the least used is its first.
      this.kept.delete(index);
      this.kept.set(index, entry);
    }
    this.fill();
    return entry?.frame ?? null;
  }

  /** Starts what is missing among the next frames, in the order in which it will be shown. */
  private fill(): void {
    const ahead = Math.min(AHEAD, this.count);
    for (let i = 0; i < ahead && this.underway.size < AT_ONCE; i++) {
      const index = (this.wanted + i) % this.count;
      const gaveUp = (this.failures.get(index) ?? 0) >= RETRIES;
      if (!gaveUp && !this.kept.has(index) && !this.underway.has(index)) void this.load(index);
    }
  }

  private async load(index: number): Promise<void> {
    this.underway.add(index);
    try {
      const data = await this.server.fetch(index);
      this.keep(index, readFrame(data, 0, data.byteLength, this.layout), data.byteLength);
    } catch (error) {
      const times = (this.failures.get(index) ?? 0) + 1;
      this.failures.set(index, times);
      if (times === RETRIES) this.server.failed(`Frame ${index} cannot be read: ${(error as Error).message}`);
    } finally {
      this.underway.delete(index);
    }
    if (this.kept.has(index)) this.server.arrived();
    this.fill();
  }

  private keep(index: number, frame: Frame, bytes: number): void {
    this.kept.set(index, { frame, bytes });
    this.bytes += bytes;
    for (const [old, entry] of this.kept) {
      if (this.bytes <= KEPT_BYTES || this.kept.size <= 2) break;
      if (old === index || old === this.wanted) continue;
      this.kept.delete(old);
      this.bytes -= entry.bytes;
    }
  }
}
