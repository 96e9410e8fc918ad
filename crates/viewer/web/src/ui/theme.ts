// Light or dark: as the system says, until the user chooses.
import { Signal } from "../data/signal";
import { recall, remember } from "./dom";

export type Theme = "light" | "dark";

export class Themes {
  readonly current: Signal<Theme>;
  private chosen: Theme | null;

  constructor() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const stored = recall("theme");
    this.chosen = stored === "light" || stored === "dark" ? stored : null;
    const system = (): Theme => (dark.matches ? "dark" : "light");
    this.current = new Signal(this.chosen ?? system());
    dark.addEventListener("change", () => {
      if (!this.chosen) this.current.value = system();
    });
    this.current.watch((theme) => {
      document.documentElement.dataset.theme = theme;
    });
  }

  toggle(): void {
    this.chosen = this.current.value === "dark" ? "light" : "dark";
    remember("theme", this.chosen);
    this.current.value = this.chosen;
  }
}
