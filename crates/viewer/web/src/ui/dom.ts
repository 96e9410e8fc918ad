// Small helpers to make elements.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** Makes an element. Attributes that are functions listen to the event of that name. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A drawn sign of 20 by 20; `filled` parts have no outline. */
export function icon(path: string, filled = false): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", filled ? "icon filled" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** A button with a sign only; its label is read out and shown as a hint. */
export function iconButton(path: string, label: string, action: () => void, key = ""): HTMLButtonElement {
  const hint = key ? `${label} (${key})` : label;
  // Closed shapes are filled, open ones are lines.
  const filled = path.endsWith("z");
  return h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: hint, click: action },
    icon(path, filled),
  );
}

let made = 0;

/** A new name for an element that others refer to. */
export function freshId(what: string): string {
  return `${what}-${++made}`;
}

/** A switch with its label; gives both and a way to set it. */
export function toggle(label: string, changed: (on: boolean) => void, key = "") {
  const input = h("input", { type: "checkbox", role: "switch", change: () => changed(input.checked) });
  const row = h("label", { class: "toggle" }, h("span", {}, label, key ? h("kbd", {}, key) : null), input);
  return { row, input };
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`pliant.${name}`, value);
  } catch {
    // Pages from a file, or with storage forbidden, forget.
  }
}

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`pliant.${name}`);
  } catch {
    return null;
  }
}
