// Records the canvas as a film while it is drawn.

/** What is tried, best first: most programs play mp4. */
const KINDS = ["video/mp4;codecs=avc1.640028", "video/mp4", "video/webm;codecs=vp9", "video/webm"];
const RATE = 60;
const BITS_PER_SECOND = 12e6;

export class Film {
  private recorder: MediaRecorder | null = null;
  private pieces: Blob[] = [];

  get running(): boolean {
    return this.recorder !== null;
  }

  static kind(): string | null {
    if (typeof MediaRecorder === "undefined") return null;
    return KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)) ?? null;
  }

  start(canvas: HTMLCanvasElement): void {
    const kind = Film.kind();
    if (!kind) throw new Error("This browser cannot record films: use pliant render instead");
    this.pieces = [];
    const recorder = new MediaRecorder(canvas.captureStream(RATE), {
      mimeType: kind,
      videoBitsPerSecond: BITS_PER_SECOND,
    });
    recorder.ondataavailable = (event) => this.pieces.push(event.data);
    recorder.start(1000);
    this.recorder = recorder;
  }

  /** Ends the film and gives it with the ending of its file name. */
  async stop(): Promise<{ film: Blob; ending: string }> {
    const { recorder } = this;
    if (!recorder) throw new Error("No film is being recorded");
    this.recorder = null;
    await new Promise<void>((done, failed) => {
      recorder.onstop = () => done();
      recorder.onerror = () => failed(new Error("The browser could not encode the film"));
      recorder.stop();
    });
    for (const track of recorder.stream.getTracks()) track.stop();
    const type = recorder.mimeType;
    return { film: new Blob(this.pieces, { type }), ending: type.startsWith("video/mp4") ? "mp4" : "webm" };
  }
}
