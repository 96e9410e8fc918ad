// One running plot: draws curves or stacked areas on a small canvas, and shows values under the pointer.
import { fraction, linearRange, logRange, nearestSample, Series, stack } from "../math/plotscale";
import { h } from "./dom";

export interface PlotStyle {
  title: string;
  unit: string;
  names: string[];
  colors: string[];
  stacked?: boolean;
  log?: boolean;
  format(value: number): string;
}

const LEFT = 46;
const BOTTOM = 4;
const TOP = 6;
const RIGHT = 4;
/** Pixels that the number of a line needs. */
const ROOM = 14;

export class Plot {
  readonly element: HTMLElement;
  readonly series: Series;
  private readonly canvas: HTMLCanvasElement;
  private readonly caption = h("div", { class: "plot-values" });
  private hover: number | null = null;

  constructor(private readonly style: PlotStyle) {
    this.series = new Series(style.names);
    this.canvas = h("canvas", {
      class: "plot-canvas",
      role: "img",
      "aria-label": style.title,
      pointermove: (event) => this.point((event as PointerEvent).offsetX),
      pointerleave: () => this.point(null),
    });
    const unit = style.unit ? h("span", { class: "quiet" }, ` ${style.unit}`) : null;
    this.element = h("figure", { class: "plot" }, h("figcaption", {}, style.title, unit), this.canvas, this.caption);
  }

  draw(): void {
    const { canvas } = this;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const context = canvas.getContext("2d");
    if (!context || width === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const curves = this.style.stacked ? stack(this.series.curves) : this.series.curves;
    const range = this.style.log ? logRange(curves) : linearRange(curves);
    this.drawAxes(context, width, height, range);
    if (this.style.stacked) this.drawAreas(context, curves as number[][], range);
    else for (let i = 0; i < curves.length; i++) this.drawCurve(context, curves[i], range, this.style.colors[i]);
    this.showValues(context, height);
  }

  private point(x: number | null): void {
    this.hover = x;
    this.draw();
  }

  private x(index: number): number {
    const { times } = this.series;
    const first = times[0];
    const span = times[times.length - 1] - first || 1;
    return LEFT + ((times[index] - first) / span) * (this.canvas.clientWidth - LEFT - RIGHT);
  }

  private y(value: number, range: [number, number]): number {
    const height = this.canvas.clientHeight - TOP - BOTTOM;
    const part = Math.min(1, Math.max(0, fraction(value, range, this.style.log ?? false)));
    return TOP + (1 - part) * height;
  }

  private drawAxes(context: CanvasRenderingContext2D, width: number, height: number, range: [number, number]): void {
    const look = getComputedStyle(this.element);
    context.strokeStyle = look.getPropertyValue("--line");
    context.fillStyle = look.getPropertyValue("--quiet");
    context.lineWidth = 1;
    context.font = `10px ${look.fontFamily}`;
    context.textAlign = "right";
    // Zero has its line too, where its number does not run into another.
    const zero = this.y(0, range);
    const ends = [this.y(range[0], range), this.y(range[1], range)];
    const free = range[0] < 0 && range[1] > 0 && ends.every((y) => Math.abs(y - zero) > ROOM);
    for (const value of [range[0], ...(free ? [0] : []), range[1]]) {
      const y = Math.round(this.y(value, range)) + 0.5;
      context.beginPath();
      context.moveTo(LEFT, y);
      context.lineTo(width - RIGHT, y);
      context.stroke();
      context.textBaseline = y < height / 2 ? "top" : "bottom";
      context.fillText(this.style.format(value), LEFT - 5, y < height / 2 ? y - 4 : y + 4);
    }
  }

  private drawCurve(
    context: CanvasRenderingContext2D,
    curve: (number | null)[],
    range: [number, number],
    color: string,
  ): void {
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.beginPath();
    let open = false;
    curve.forEach((value, i) => {
      if (value === null) {
        open = false;
        return;
      }
      const y = this.y(value, range);
      if (open) context.lineTo(this.x(i), y);
      else context.moveTo(this.x(i), y);
      open = true;
    });
    context.stroke();
  }

  private drawAreas(context: CanvasRenderingContext2D, sums: number[][], range: [number, number]): void {
    for (let curve = sums.length - 1; curve >= 0; curve--) {
      const upper = sums[curve];
      context.fillStyle = this.style.colors[curve];
      context.beginPath();
      upper.forEach((value, i) => {
        context.lineTo(this.x(i), this.y(value, range));
      });
      const below = curve > 0 ? sums[curve - 1] : upper.map(() => 0);
      for (let i = upper.length - 1; i >= 0; i--) context.lineTo(this.x(i), this.y(below[i], range));
      context.fill();
    }
  }

  /** The values under the pointer, or the newest. */
  private showValues(context: CanvasRenderingContext2D, height: number): void {
    const { times, curves, names } = this.series;
    if (times.length === 0) {
      this.caption.replaceChildren(h("span", { class: "quiet" }, "Nothing yet"));
      return;
    }
    let index = times.length - 1;
    if (this.hover !== null) {
      const part = (this.hover - LEFT) / (this.canvas.clientWidth - LEFT - RIGHT);
      index = nearestSample(times, times[0] + part * (times[times.length - 1] - times[0]));
      const x = Math.round(this.x(index)) + 0.5;
      context.strokeStyle = getComputedStyle(this.element).getPropertyValue("--text");
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, height - BOTTOM);
      context.stroke();
    }
    const values = names.map((name, i) => {
      const value = curves[i][index];
      const spot = h("i", { class: "dot" });
      spot.style.background = this.style.colors[i];
      return h("span", {}, spot, `${name} `, h("b", {}, value === null ? "–" : this.style.format(value)));
    });
    this.caption.replaceChildren(...values);
  }
}
