// Whether the results can be trusted: a card that is there as long as something speaks against them.
import type { Finding, Stats } from "../data/types";
import type { State } from "../state";
import { h } from "./dom";

const TITLES = {
  doubtful: "These results are doubtful",
  failed: "These results cannot be trusted",
};

export function verdictCard(state: State): HTMLElement {
  const title = h("strong", {});
  const list = h("ul", {});
  const card = h(
    "section",
    { class: "card surface verdict", role: "status", hidden: true },
    h("header", {}, title),
    list,
  );
  let shown = "";
  state.stats.watch((stats: Stats | null) => {
    const verdict = stats?.verdict ?? "ok";
    const findings = (stats?.warnings ?? []).filter((finding) => !finding.tolerated);
    card.hidden = verdict === "ok";
    if (verdict === "ok") return;
    // Numbers change in every step, but a list that is made anew cannot be read or marked.
    const kinds = verdict + findings.map((finding) => finding.kind + finding.level).join();
    if (kinds === shown) return;
    shown = kinds;
    card.dataset.level = verdict;
    title.textContent = TITLES[verdict];
    list.replaceChildren(...findings.map(item));
  });
  return card;
}

function item(finding: Finding): HTMLElement {
  return h(
    "li",
    {},
    h("span", {}, `${finding.what} (${finding.where}).`),
    h("small", {}, `${finding.remedy[0]?.toUpperCase() ?? ""}${finding.remedy.slice(1)}.`),
  );
}
