// A recording: from the server, and as a single file without any network.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { changed, check, PICTURE, pixels, read, settled, until } from "./harness.mjs";

const STEPS = 80;

export async function recordingPlays({ harness }) {
  const folder = join(harness.folder, "run");
  await harness.run("run", "drop", "--variant", "n6", "--steps", String(STEPS), "--out", folder, "--quiet");
  const server = await harness.serve(folder, "--port", "0");
  const page = await harness.open(server.url);
  await playsAndScrubs(page);
  await harness.shot(page, "recording");
  await page.context().close();
  server.stop();
}

export async function offlineFilePlays({ harness }) {
  const file = join(harness.folder, "drop.html");
  await harness.run("render", join(harness.folder, "run"), "-o", file, "--quiet");
  const asked = [];
  const context = await harness.browser.newContext({ viewport: { width: 960, height: 620 }, offline: true });
  const offline = await context.newPage();
  offline.on("request", (request) => asked.push(request.url()));
  offline.on("pageerror", (error) => harness.problems.push(String(error)));
  await offline.goto(pathToFileURL(file).href);
  await until(offline, () => window.pliant?.framesDrawn > 0, null, "a frame of the file");
  await playsAndScrubs(offline);
  await harness.shot(offline, "offline");
  const others = asked.filter(
    (url) => !url.startsWith("file:") && !url.startsWith("data:") && !url.startsWith("blob:"),
  );
  check(others.length === 0, `the file asks for ${others.join(", ")}`);
  await context.close();
}

async function playsAndScrubs(page) {
  check((await read(page, "mode")) === "recording", "the page does not know that it plays a recording");
  await until(page, () => window.pliant.step > 5, null, "the recording to play");
  await page.keyboard.press(" ");
  await until(page, () => !window.pliant.playing, null, "the pause");
  await page.locator("#timeline").fill("0");
  await until(page, () => window.pliant.step === 0, null, "the first frame");
  await settled(page);
  const first = await pixels(page, PICTURE);
  const last = Number(await page.locator("#timeline").getAttribute("max"));
  await page.locator("#timeline").fill(String(last));
  await until(page, (step) => window.pliant.step === step, STEPS, "the last frame");
  await settled(page);
  check(changed(first, await pixels(page, PICTURE)) > 300, "first and last frame look alike");
  await page.keyboard.press("ArrowLeft");
  await until(page, (step) => window.pliant.step < step, STEPS, "the frame before");
  await page.keyboard.press("s");
  await until(page, () => window.pliant.range !== null, null, "the stress of the recording");
  check(await page.locator("#legend-surface").isVisible(), "no legend in a recording");
}
