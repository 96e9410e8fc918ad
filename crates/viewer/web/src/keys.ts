// The keyboard: single keys that act on the whole page, but not while something is typed.

export type Keys = Record<string, (event: KeyboardEvent) => void>;

/** Keys that buttons, fields and sliders need for themselves when they have the focus. */
const OWN: Record<string, Set<string>> = {
  BUTTON: new Set([" ", "Enter"]),
  SELECT: new Set([" ", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"]),
  SUMMARY: new Set([" ", "Enter"]),
};

export function listenToKeys(keys: Keys): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = keys[name];
    if (!action || belongsToFocus(event)) return;
    event.preventDefault();
    action(event);
  });
}

function belongsToFocus(event: KeyboardEvent): boolean {
  const focus = event.target as HTMLElement;
  // A dialog closes itself on Esc and keeps all other keys.
  if (document.querySelector("dialog[open]")) return event.key !== "?";
  if (event.key === "Escape") return false;
  if (focus instanceof HTMLInputElement) {
    if (focus.type === "checkbox") return event.key === " ";
    if (focus.type === "range") return event.key.startsWith("Arrow");
    return true;
  }
  return OWN[focus.tagName]?.has(event.key) ?? false;
}
