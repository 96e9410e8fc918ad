// The first tab: which scene, variant and solver, what it consists of, and what can be changed in it.
import type { Hello, SceneBuilt, ToServer } from "../data/types";
import { digits } from "../math/format";
import type { State } from "../state";
import { controlGroups } from "./controls";
import { h } from "./dom";
import { parameterRows } from "./parameters";

export interface SceneActions {
  choose(): void;
  send(message: ToServer): void;
  /** Reports what is wrong with what was typed. */
  refuse(text: string): void;
}

export function sceneTab(state: State, actions: SceneActions): HTMLElement {
  const box = h("div");
  let shown = -1;
  const controls = controlGroups((control, value) => actions.send({ kind: "set", control, value }), actions.refuse);
  const rebuild = (scene: SceneBuilt | null) => {
    if (!scene) return;
    // Values that were applied change single rows; building all anew would take the slider out of the hand.
    if (scene.generation === shown) {
      controls.update(scene.controls);
      // A choice that was refused goes back to what is shown.
      for (const select of box.querySelectorAll<HTMLSelectElement>(".choice select")) {
        select.value = select.dataset.chosen ?? "";
      }
      return;
    }
    shown = scene.generation;
    const live = state.mode.value === "live";
    controls.build(scene.controls);
    const parts = [
      head(scene, live, actions),
      ...(live ? choices(scene, state.hello.value, actions) : [facts(scene)]),
      notes(scene),
      controls.element,
      parameterRows(scene.parameters, (name, value) => actions.send({ kind: "parameter", name, value })),
    ];
    box.replaceChildren(...parts.filter((part) => part !== null));
  };
  state.scene.watch(rebuild);
  return box;
}

function head(scene: SceneBuilt, live: boolean, actions: SceneActions): HTMLElement {
  const { name, description } = scene.layout;
  const title = live
    ? h(
        "button",
        { type: "button", id: "choose-scene", class: "choose", click: actions.choose },
        h("b", {}, name),
        h("span", {}, "Change …"),
      )
    : h("h2", {}, name);
  return h("div", { class: "scene-head" }, title, h("p", { class: "quiet" }, description));
}

function choices(scene: SceneBuilt, hello: Hello | null, actions: SceneActions): HTMLElement[] {
  const { name, variant, solver } = scene.layout;
  const load = (nextVariant: string | null, nextSolver: string | null) =>
    actions.send({ kind: "load", scene: name, variant: nextVariant, solver: nextSolver });
  const variants = choice(
    "Variant",
    "variant",
    scene.variants.map((v) => [v, true]),
    variant ?? "",
    (next) => load(next, solver),
  );
  const kinds = (hello?.solvers ?? []).map(({ kind, available }): [string, boolean] => [kind, available]);
  const solvers = choice("Solver", "solver", kinds, solver, (next) => load(variant, next));
  variants.hidden = scene.variants.length === 0;
  return [h("div", { class: "choices" }, variants, solvers), facts(scene)];
}

function choice(
  label: string,
  id: string,
  options: [string, boolean][],
  chosen: string,
  changed: (value: string) => void,
): HTMLElement {
  const select = h("select", { id, "data-chosen": chosen, change: () => changed(select.value) });
  if (!options.some(([name]) => name === chosen)) select.append(h("option", { value: chosen }, chosen || "–"));
  for (const [name, available] of options) {
    const text = available ? name : `${name} (not for this scene)`;
    select.append(h("option", { value: name, disabled: !available }, text));
  }
  select.value = chosen;
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

function facts(scene: SceneBuilt): HTMLElement {
  const { layout, vertices, elements, duration } = scene;
  const parts = [
    vertices > 0 ? `${vertices.toLocaleString("en")} vertices` : "",
    elements > 0 ? `${elements.toLocaleString("en")} elements` : "",
    `dt ${digits(layout.dt)} s`,
    duration > 0 ? `lasts ${digits(duration)} s` : "",
  ];
  return h("p", { class: "facts" }, parts.filter(Boolean).join(" · "));
}

function notes(scene: SceneBuilt): HTMLElement | null {
  if (scene.notes.length === 0) return null;
  return h("ul", { class: "scene-notes" }, ...scene.notes.map((note) => h("li", {}, note)));
}
