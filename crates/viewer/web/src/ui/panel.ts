// The side panel: tabs that can be folded away; on a phone a sheet above the bar.
import { h, iconButton, recall, remember } from "./dom";
import * as icons from "./icons";

export interface Panel {
  element: HTMLElement;
  readonly open: boolean;
  toggle(open?: boolean): void;
  show(tab: string): void;
}

export interface Tab {
  id: string;
  label: string;
  content: HTMLElement;
}

export function panel(tabs: Tab[], changed: () => void): Panel {
  const buttons = tabs.map((tab) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${tab.id}`,
        "aria-controls": `page-${tab.id}`,
        click: () => show(tab.id),
      },
      tab.label,
    ),
  );
  const pages = tabs.map((tab) =>
    h(
      "div",
      { role: "tabpanel", id: `page-${tab.id}`, "aria-labelledby": `tab-${tab.id}`, class: "page" },
      tab.content,
    ),
  );
  const list = h(
    "div",
    { role: "tablist", class: "tabs", "aria-label": "Panel", keydown: (event) => arrows(event) },
    ...buttons,
  );
  const close = iconButton(icons.DOWN, "Fold the panel away", () => toggle(false), "P");
  const element = h(
    "aside",
    { class: "panel surface", "aria-label": "Panel" },
    h("div", { class: "panel-head" }, list, close),
    ...pages,
  );

  function show(id: string): void {
    tabs.forEach((tab, i) => {
      const chosen = tab.id === id;
      buttons[i].setAttribute("aria-selected", String(chosen));
      // One stop for the Tab key; arrows go from tab to tab.
      buttons[i].tabIndex = chosen ? 0 : -1;
      pages[i].hidden = !chosen;
    });
    remember("tab", id);
    toggle(true);
  }

  function arrows(event: Event): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[(event as KeyboardEvent).key];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (at + step + tabs.length) % tabs.length;
    show(tabs[next].id);
    buttons[next].focus();
  }

  function toggle(open = element.hidden): void {
    element.hidden = !open;
    document.getElementById("panel-toggle")?.setAttribute("aria-expanded", String(open));
    remember("panel", open ? "open" : "folded");
    changed();
  }

  const wide = matchMedia("(min-width: 760px)").matches;
  const folded = recall("panel") === "folded" || (!wide && recall("panel") === null);
  show(tabs.some((tab) => tab.id === recall("tab")) ? (recall("tab") as string) : tabs[0].id);
  // A panel that opens on a phone would hide what one came to see.
  if (folded || !wide) toggle(false);
  return {
    element,
    get open() {
      return !element.hidden;
    },
    toggle,
    show,
  };
}
