// What the user can save from the page: a picture, a film, the shape.
import type { Notices } from "../ui/notices";
import type { Stage } from "../view/stage";
import type { View } from "../view/view";
import { Film } from "./film";
import { writeGlb } from "./glb";
import { fileName, pictureOf, saveFile } from "./save";

export class Captures {
  private readonly film = new Film();
  filmChanged: (running: boolean) => void = () => {};

  constructor(
    private readonly stage: Stage,
    private readonly view: () => View | null,
    private readonly notices: Notices,
  ) {}

  async picture(): Promise<void> {
    await this.attempt(async () => {
      // The canvas is cleared after each drawing: it is read right after one.
      this.stage.drawNow();
      this.save(await pictureOf(this.stage.canvas), "png");
    });
  }

  async toggleFilm(): Promise<void> {
    await this.attempt(async () => {
      if (this.film.running) {
        const { film, ending } = await this.film.stop();
        this.save(film, ending);
      } else {
        this.film.start(this.stage.canvas);
        this.notices.say("Recording. Press the button again to end and save the film.");
      }
    });
    this.filmChanged(this.film.running);
  }

  async shape(): Promise<void> {
    await this.attempt(async () => {
      const view = this.view();
      if (!view) throw new Error("There is no scene yet");
      const file = writeGlb(view.bodies.snapshot(), view.layout.name);
      this.save(new Blob([file], { type: "model/gltf-binary" }), "glb");
    });
  }

  private save(data: Blob, ending: string): void {
    const view = this.view();
    const name = fileName(view?.layout.name ?? "pliant", view?.frame?.time ?? 0, ending);
    saveFile(data, name);
    this.notices.say(`Saved as ${name}`);
  }

  private async attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.notices.error({ kind: "error", at: "picture", text: (error as Error).message });
    }
  }
}
