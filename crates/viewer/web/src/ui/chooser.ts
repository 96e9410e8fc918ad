// The dialog in which a scene is chosen: search, descriptions, variants.
import type { SceneEntry } from "../data/types";
import { h, iconButton } from "./dom";
import * as icons from "./icons";

export interface Chooser {
  element: HTMLDialogElement;
  open(): void;
}

/** Scenes whose name, description or source has all the words. */
export function matching(scenes: SceneEntry[], search: string): SceneEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return scenes.filter((scene) => {
    const text = `${scene.name} ${scene.description} ${scene.source}`.toLowerCase().replaceAll("_", " ");
    return words.every((word) => text.includes(word.replaceAll("_", " ")));
  });
}

export function chooser(scenes: () => SceneEntry[], load: (scene: string, variant: string | null) => void): Chooser {
  const search = h("input", {
    type: "search",
    placeholder: "Search scenes",
    "aria-label": "Search scenes",
    input: () => fill(),
  });
  const list = h("ul", { class: "scenes" });
  const element = h(
    "dialog",
    { class: "sheet surface chooser", "aria-label": "Choose a scene" },
    h(
      "header",
      {},
      search,
      iconButton(icons.CLOSE, "Close", () => element.close(), "Esc"),
    ),
    list,
  );
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // The dialog closes and gives the focus back: Enter must not press what gets it.
    event.preventDefault();
    list.querySelector("button")?.click();
  });

  function choose(scene: string, variant: string | null): void {
    element.close();
    load(scene, variant);
  }

  function fill(): void {
    const found = matching(scenes(), search.value);
    list.replaceChildren(...found.map((scene) => entry(scene, choose)));
    if (found.length === 0) list.append(h("li", { class: "quiet" }, "No scene matches. Try fewer letters."));
  }

  return {
    element,
    open() {
      search.value = "";
      fill();
      element.showModal();
      search.focus();
    },
  };
}

function entry(scene: SceneEntry, choose: (scene: string, variant: string | null) => void): HTMLElement {
  const variants = scene.variants.map((variant) =>
    h("button", { type: "button", class: "chip", click: () => choose(scene.name, variant) }, variant),
  );
  return h(
    "li",
    { "data-scene": scene.name },
    h(
      "button",
      { type: "button", class: "scene", click: () => choose(scene.name, null) },
      h("b", {}, scene.name),
      h("span", {}, scene.description),
      h("small", {}, scene.source),
    ),
    variants.length > 1 ? h("div", { class: "chips", "aria-label": `Variants of ${scene.name}` }, ...variants) : null,
  );
}
