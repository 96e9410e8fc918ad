// The knobs of a scene, grouped by body: slider, number, unit, and whether a change needs a rebuild.
import type { Control, ControlValue, Vector } from "../data/types";
import { digits } from "../math/format";
import { placeOf, SLIDER_STEPS, valueAt } from "../math/slider";
import { freshId, h } from "./dom";
import { readNumber, textField } from "./field";

type Send = (control: string, value: ControlValue) => void;

interface Outlet {
  send: Send;
  /** Reports what is wrong with what was typed. */
  refuse(text: string): void;
}

interface Row {
  element: HTMLElement;
  update(value: ControlValue): void;
}

/** While a slider moves, values are sent at most so often, in ms. */
const PACE = 100;

export function controlGroups(send: Send, refuse: (text: string) => void) {
  const element = h("div", { class: "controls" });
  let rows = new Map<string, Row>();
  return {
    element,
    build(controls: Control[]): void {
      rows = new Map(controls.map((control) => [control.id, row(control, { send, refuse })]));
      const groups = new Map<string, HTMLElement[]>();
      for (const control of controls) {
        const list = groups.get(control.group) ?? [];
        list.push(rows.get(control.id)!.element);
        groups.set(control.group, list);
      }
      element.replaceChildren(...[...groups].map(([name, list]) => group(name, list)));
    },
    update(controls: Control[]): void {
      for (const control of controls) rows.get(control.id)?.update(control.value);
    },
  };
}

function group(name: string, rows: HTMLElement[]): HTMLElement {
  return h("details", { open: true }, h("summary", {}, name), ...rows);
}

function row(control: Control, outlet: Outlet): Row {
  return Array.isArray(control.value)
    ? vectorRow(control, control.value, outlet)
    : scalarRow(control, control.value, outlet);
}

function heading(control: Control, id: string): HTMLElement {
  const live = control.effect === "live";
  const hint = live ? "Takes effect at once" : "The system is factorised anew; the motion continues";
  return h(
    "div",
    { class: "control-head" },
    h("label", { for: id }, control.label),
    h("span", { class: live ? "tag live" : "tag", title: hint }, live ? "live" : "rebuilds"),
  );
}

function scalarRow(control: Control, start: number, { send, refuse }: Outlet): Row {
  const id = freshId("control");
  let value = start;
  const pace = paced((next: number) => send(control.id, next));
  const slider = h("input", {
    type: "range",
    min: 0,
    max: SLIDER_STEPS,
    "aria-label": `${control.label}, slider`,
    input: () => slid(false),
    change: () => slid(true),
  });
  const field = textField({ inputmode: "decimal", id, "data-control": control.id }, (text) => {
    const next = readNumber(text);
    if (next !== null) {
      send(control.id, next);
      return;
    }
    refuse(`${control.label}: "${text}" is not a number. Write it like 0.3 or 2e6.`);
    show(value);
  });
  const show = (next: number) => {
    value = next;
    slider.value = String(placeOf(next, control));
    field.show(digits(next, 6));
  };
  function slid(ended: boolean): void {
    const next = valueAt(slider.valueAsNumber, control);
    field.show(digits(next, 6));
    // A rebuild for each place that the slider passes would never end.
    if (control.effect === "live") pace(next, ended);
    else if (ended) send(control.id, next);
  }
  show(start);
  const line = h("div", { class: "control-line" }, slider, field.input, h("span", { class: "unit" }, control.unit));
  return {
    element: h("div", { class: "control" }, heading(control, id), line),
    update: (next) => show(next as number),
  };
}

function vectorRow(control: Control, start: Vector, { send, refuse }: Outlet): Row {
  const id = freshId("control");
  let value = start;
  const fields = ["x", "y", "z"].map((axis, i) => {
    const name = { "aria-label": `${control.label} ${axis}`, "data-control": `${control.id}.${axis}` };
    return textField({ inputmode: "decimal", ...name, ...(i === 0 ? { id } : {}) }, changed);
  });
  const show = (next: Vector) => {
    value = next;
    fields.forEach((field, i) => {
      field.show(digits(next[i], 6));
    });
  };
  function changed(): void {
    const next = fields.map((field) => readNumber(field.input.value.trim()));
    if (!next.includes(null)) {
      send(control.id, next as Vector);
      return;
    }
    refuse(`${control.label}: three numbers are needed. Write them like 0.3 or 2e6.`);
    show(value);
  }
  show(start);
  const line = h(
    "div",
    { class: "control-line vector" },
    ...fields.map(({ input }) => input),
    h("span", { class: "unit" }, control.unit),
  );
  return {
    element: h("div", { class: "control" }, heading(control, id), line),
    update: (next) => show(next as Vector),
  };
}

/** Calls at most every PACE ms, and always with the last value. */
function paced(call: (value: number) => void): (value: number, now: boolean) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let waiting: number | null = null;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === null) return;
    last = performance.now();
    const value = waiting;
    waiting = null;
    call(value);
  };
  return (value, now) => {
    waiting = value;
    const left = PACE - (performance.now() - last);
    if (now || left <= 0) flush();
    else timer ??= setTimeout(flush, left);
  };
}
