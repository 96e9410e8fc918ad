// Which key does what; the sheet of help lists the same.
import type { ToServer } from "./data/types";
import type { Keys } from "./keys";
import type { Session } from "./session";
import type { State } from "./state";
import { playOrPause } from "./ui/bar";
import type { View } from "./view/view";

export interface ShortcutActions {
  session(): Session | null;
  view(): View | null;
  send(message: ToServer): void;
  togglePanel(): void;
  toggleTheme(): void;
  toggleHelp(): void;
  escape(): void;
}

type Switch = "contacts" | "forces" | "states" | "wireframe" | "pins" | "rest";

const NEXT_SURFACE = { none: "stress", stress: "strain", strain: "none" } as const;

export function shortcuts(state: State, actions: ShortcutActions): Keys {
  const step = (event: KeyboardEvent) => actions.session()?.step(event.shiftKey ? 10 : 1);
  const flip = (name: Switch) => () => state.change({ [name]: !state.overlays.value[name] });
  return {
    " ": () => playOrPause(state, actions.session()),
    ArrowRight: step,
    ".": step,
    ArrowLeft: () => {
      if (state.mode.value === "recording") actions.session()?.step(-1);
    },
    r: () => actions.session()?.reset(),
    f: () => actions.view()?.fit(),
    v: () => actions.view()?.openAgain(),
    c: flip("contacts"),
    a: flip("forces"),
    l: flip("states"),
    w: flip("wireframe"),
    i: flip("pins"),
    o: flip("rest"),
    s: () => state.change({ surface: NEXT_SURFACE[state.overlays.value.surface] }),
    k: () => {
      state.keepHolds.value = !state.keepHolds.value;
    },
    x: () => actions.send({ kind: "release_all" }),
    p: actions.togglePanel,
    t: actions.toggleTheme,
    "?": actions.toggleHelp,
    Escape: actions.escape,
  };
}
