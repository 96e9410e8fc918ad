// A field for text that is taken over with Enter or by leaving it, each text once.
import { h } from "./dom";

export interface TextField {
  input: HTMLInputElement;
  /** Shows a text, unless the user is writing another one. */
  show(text: string): void;
}

export function textField(attributes: Record<string, string>, committed: (text: string) => void): TextField {
  let shown = "";
  const commit = () => {
    if (input.value === shown) return;
    shown = input.value;
    committed(input.value.trim());
  };
  const input = h("input", {
    type: "text",
    ...attributes,
    change: commit,
    keydown: (event) => {
      if ((event as KeyboardEvent).key !== "Enter") return;
      // Browsers do not report a change if a script wrote the text before; leaving and looking does.
      input.blur();
      commit();
    },
  });
  return {
    input,
    show(text) {
      shown = text;
      if (document.activeElement !== input) input.value = text;
    },
  };
}

/** The number that was typed, with a point or a comma; null if it is none. */
export function readNumber(text: string): number | null {
  const number = Number(text.replace(",", "."));
  return text === "" || !Number.isFinite(number) ? null : number;
}
