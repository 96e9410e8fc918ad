// Starts the page when the document is there.
import "./style/base.css";
import "./style/fields.css";
import "./style/bar.css";
import "./style/panel.css";
import "./style/notices.css";
import "./style/dialogs.css";
import "./style/narrow.css";
import { App } from "./app";

function start(): void {
  const root = document.getElementById("app");
  if (!root) return;
  try {
    new App(root).start();
  } catch (error) {
    // Without WebGL there is no picture; a white page would not say so.
    const text = document.createElement("p");
    text.className = "fatal";
    text.textContent = `The viewer cannot start: ${(error as Error).message}. It needs a browser with WebGL 2; if this one has it, allow hardware acceleration in its settings and reload.`;
    root.replaceChildren(text);
  }
}

// Put into a single file, the script runs before the document is complete.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
