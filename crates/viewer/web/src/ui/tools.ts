// The tools at the left: view, holds, saving, looks, help.
import type { State } from "../state";
import { h, iconButton } from "./dom";
import * as icons from "./icons";

export interface ToolActions {
  fit(): void;
  releaseAll(): void;
  picture(): void;
  film(): void;
  shape(): void;
  theme(): void;
  help(): void;
}

export interface Tools {
  element: HTMLElement;
  setFilming(on: boolean): void;
}

export function tools(state: State, actions: ToolActions): Tools {
  const keep = iconButton(
    icons.KEEP,
    "Keep holds after letting go",
    () => {
      state.keepHolds.value = !state.keepHolds.value;
    },
    "K",
  );
  keep.id = "keep-holds";
  state.keepHolds.watch((on) => keep.setAttribute("aria-pressed", String(on)));
  const release = iconButton(icons.RELEASE, "Let go of everything", actions.releaseAll, "X");
  release.id = "release-all";
  state.stats.watch((stats) => {
    release.hidden = !stats || stats.holds.length === 0;
  });
  state.mode.watch((mode) => {
    keep.hidden = mode === "recording";
  });
  const film = iconButton(icons.FILM, "Record a film", actions.film);
  film.id = "film";
  const element = h(
    "div",
    { class: "tools surface", role: "toolbar", "aria-label": "Tools", "aria-orientation": "vertical" },
    iconButton(icons.FIT, "Fit the view", actions.fit, "F"),
    keep,
    release,
    h("hr"),
    iconButton(icons.PICTURE, "Save a picture (PNG)", actions.picture),
    film,
    iconButton(icons.SHAPE, "Save the shape (GLB)", actions.shape),
    h("hr"),
    iconButton(icons.THEME, "Light or dark", actions.theme, "T"),
    iconButton(icons.HELP, "Help", actions.help, "?"),
  );
  return {
    element,
    setFilming(on) {
      film.setAttribute("aria-label", on ? "End the film and save it" : "Record a film");
      film.title = film.getAttribute("aria-label") ?? "";
      film.classList.toggle("recording", on);
    },
  };
}
