// Watches how long drawings take, and gives up what is dear on machines that draw slowly.

const DRAWINGS = 24;
const SLOW = 80;

export class Effort {
  private mean = 0;
  private count = 0;

  /** Takes the time from asking for a drawing to it, in ms; gives true when it has been too long for a while. */
  tooMuch(waited: number): boolean {
    // A page in the background is not drawn at all; that means nothing.
    if (waited > 2000) return false;
    this.count++;
    this.mean += (waited - this.mean) / Math.min(this.count, DRAWINGS);
    if (this.count < DRAWINGS || this.mean < SLOW) return false;
    this.count = 0;
    return true;
  }
}
