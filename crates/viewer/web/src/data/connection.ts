// The socket to the server: reads messages, sends messages, and comes back by itself when it was lost.
import type { FromServer, ToServer } from "./types";

export interface ConnectionEvents {
  message(message: FromServer): void;
  binary(data: ArrayBuffer): void;
  opened(): void;
  /** Lost or never had; tried again in so many milliseconds. */
  lost(retryIn: number): void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** How long to wait before the attempt of this number, counted from 0. */
export function backoff(attempt: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 10));
}

export class Connection {
  private socket: WebSocket | null = null;
  private attempts = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly events: ConnectionEvents,
  ) {
    this.open();
  }

  get connected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message: ToServer): void {
    if (this.connected) this.socket?.send(JSON.stringify(message));
  }

  /** Tries at once instead of waiting. */
  retry(): void {
    if (this.socket === null) this.open();
  }

  private open(): void {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.attempts = 0;
      this.events.opened();
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => {
      this.socket = null;
      const wait = backoff(this.attempts++);
      this.timer = setTimeout(() => this.open(), wait);
      this.events.lost(wait);
    };
  }

  private receive(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.events.binary(data);
      return;
    }
    let message: FromServer;
    try {
      message = JSON.parse(String(data)) as FromServer;
    } catch {
      this.events.message({ kind: "error", at: "message", text: "The server sent a text that is no JSON" });
      return;
    }
    this.events.message(message);
  }
}

/** The address of the socket that belongs to a page. */
export function socketAddress(page: string): string {
  const url = new URL("socket", page);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = new URL(page).search;
  url.hash = "";
  return url.href;
}
