// What the page has to say: errors as cards, short notes, what it is busy with, a lost connection.
import type { Failure } from "../data/types";
import type { State } from "../state";
import { h, iconButton } from "./dom";
import * as icons from "./icons";

const TITLES: Record<string, string> = {
  load: "The scene could not be built",
  step: "The simulation stopped",
  set: "The value was not taken",
  hold: "The vertex cannot be held",
  message: "A message was not understood",
  picture: "Not saved",
  page: "The page has a problem",
  recording: "The recording cannot be played",
};
const MOST_CARDS = 4;
const NOTE_TIME = 3500;

export class Notices {
  readonly element = h("div", { class: "notices" });
  /** All errors so far, for scripts. */
  readonly texts: string[] = [];
  private readonly cards = h("div", { class: "cards" });
  private readonly note = h("div", { class: "note surface", role: "status", hidden: true });
  private noteTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: State, retry: () => void) {
    this.element.append(this.cards);
    document.body.append(this.note, busyNote(state), lostBanner(state, retry));
  }

  error(failure: Failure): void {
    this.texts.push(failure.text);
    const twin = [...this.cards.children].find((card) => (card as HTMLElement).dataset.text === failure.text);
    if (twin) {
      const count = twin.querySelector(".count") as HTMLElement;
      count.textContent = `${Number(count.textContent?.slice(1) || 1) + 1}`.replace(/^/, "×");
      return;
    }
    const card = this.card(failure);
    this.cards.prepend(card);
    while (this.cards.children.length > MOST_CARDS) this.cards.lastElementChild?.remove();
  }

  say(text: string): void {
    this.note.textContent = text;
    this.note.hidden = false;
    clearTimeout(this.noteTimer);
    this.noteTimer = setTimeout(() => {
      this.note.hidden = true;
    }, NOTE_TIME);
  }

  /** Removes the newest card; gives whether there was one. */
  dismiss(): boolean {
    const card = this.cards.firstElementChild;
    card?.remove();
    return card !== null;
  }

  private card(failure: Failure): HTMLElement {
    // Errors of scene files have several lines and point at columns: they need letters of equal width.
    const wide = failure.text.includes("\n") || failure.at === "load";
    const card = h(
      "section",
      { class: "card surface", role: "alert", "data-text": failure.text },
      h("header", {}, h("strong", {}, TITLES[failure.at] ?? "Error"), h("span", { class: "count" })),
      h("pre", { class: wide ? "mono" : "" }, failure.text),
      iconButton(icons.CLOSE, "Dismiss", () => card.remove(), "Esc"),
    );
    return card;
  }
}

function busyNote(state: State): HTMLElement {
  const text = h("span");
  const box = h("div", { class: "busy surface", role: "status" }, h("i", { class: "spinner" }), text);
  state.busy.watch((busy) => {
    box.hidden = busy === null;
    text.textContent = busy ?? "";
  });
  return box;
}

function lostBanner(state: State, retry: () => void): HTMLElement {
  const text = h("span");
  const again = h("button", { type: "button", class: "plain", click: retry }, "Try now");
  const box = h("div", { class: "banner", role: "alert" }, text, again);
  let timer: ReturnType<typeof setInterval> | undefined;
  state.lostUntil.watch((until) => {
    box.hidden = until === null;
    clearInterval(timer);
    if (until === null) return;
    const update = () => {
      const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
      text.textContent = `The connection to Pliant is lost. ${left > 0 ? `Trying again in ${left} s.` : "Trying again …"}`;
    };
    update();
    timer = setInterval(update, 1000);
  });
  return box;
}
