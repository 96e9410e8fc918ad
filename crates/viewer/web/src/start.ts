// Decides where the simulation comes from: the page itself, a recording on the server, or a live one.
import { Connection, socketAddress } from "./data/connection";
import { FetchedFrames, type FrameSource, framesInMemory } from "./data/frames";
import { Live } from "./data/live";
import { embeddedRecording, type RecordingHead, readHead } from "./data/recording";
import { Replay } from "./data/replay";
import type { Hello } from "./data/types";
import type { Session, SessionEvents } from "./session";
import type { State } from "./state";

interface Index {
  frames: number;
  complete: boolean;
  times: number[];
}

const POLL = 2000;

export class Starter {
  private connection: Connection | null = null;

  constructor(
    private readonly state: State,
    private readonly events: SessionEvents,
    private readonly begin: (session: Session) => void,
  ) {}

  async start(): Promise<void> {
    try {
      const recording = await embeddedRecording(document);
      if (recording) {
        this.playRecording(recording.head, recording.times, true, framesInMemory(recording));
      } else {
        this.connect();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  retry(): void {
    this.connection?.retry();
  }

  private fail(error: unknown): void {
    this.events.failed({ kind: "error", at: "recording", text: (error as Error).message });
  }

  private connect(): void {
    const connection = new Connection(socketAddress(location.href), {
      opened: () => {
        this.state.lostUntil.value = null;
        live.opened();
      },
      lost: (wait) => {
        // A recording plays on from what was fetched; there is nothing to lose but what is still to come.
        this.state.lostUntil.value = performance.now() + wait;
        this.state.busy.value = null;
      },
      message: (message) => {
        if (message.kind === "hello") this.greet(message, live);
        else live.receive(message);
      },
      binary: (data) => live.receiveBinary(data),
    });
    this.connection = connection;
    const live = new Live(connection, this.state, this.events);
  }

  private greet(hello: Hello, live: Live): void {
    const again = this.state.mode.value === hello.mode;
    this.state.hello.value = hello;
    if (hello.mode === "recording") {
      if (!again) this.openRecording().catch((error) => this.fail(error));
      return;
    }
    this.state.mode.value = "live";
    live.greet();
    this.begin(live);
  }

  private async openRecording(): Promise<void> {
    const [head, index] = await Promise.all([fetchBytes("recording/head").then(readHead), fetchIndex()]);
    const frames = new FetchedFrames(index.frames, head.layout, {
      fetch: (i) => fetchBytes(`recording/frame/${i}`),
      arrived: () => this.events.changed(),
      failed: (text) => this.fail(new Error(text)),
    });
    this.playRecording(head, index.times, index.complete, frames);
    if (!index.complete) this.poll(frames);
  }

  private playRecording(head: RecordingHead, times: number[], complete: boolean, frames: FrameSource): void {
    if (times.length === 0) throw new Error("The recording has no frames yet: reload the page in a moment");
    this.state.mode.value = "recording";
    this.state.timeline.value = { times, index: 0, loop: true, complete, waiting: false };
    this.events.built(
      {
        kind: "scene",
        generation: 1,
        layout: head.layout,
        controls: [],
        parameters: [],
        variants: [],
        vertices: 0,
        elements: 0,
        duration: times[times.length - 1],
        notes: [],
      },
      head.geometry,
    );
    const replay = new Replay(frames, this.state, () => this.events.changed());
    this.begin(replay);
    replay.play();
  }

  /** A run that has not ended gets longer. */
  private poll(frames: FetchedFrames): void {
    setTimeout(async () => {
      try {
        const index = await fetchIndex();
        frames.count = index.frames;
        this.state.changeTimeline({ times: index.times, complete: index.complete });
        if (index.complete) return;
      } catch {
        // The server may be gone for a while; the banner says so.
      }
      this.poll(frames);
    }, POLL);
  }
}

async function fetchBytes(path: string): Promise<ArrayBuffer> {
  return (await fetchOk(path)).arrayBuffer();
}

async function fetchIndex(): Promise<Index> {
  return (await fetchOk("recording/index")).json();
}

async function fetchOk(path: string): Promise<Response> {
  const response = await fetch(new URL(path, location.href));
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response;
}
