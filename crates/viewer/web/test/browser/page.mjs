// The page itself: looks, keys, several tabs, saving, a lost connection, people who use no mouse.
import { readFile } from "node:fs/promises";
import { validateBytes } from "gltf-validator";
import { changed, check, PICTURE, pause, pixels, read, until } from "./harness.mjs";

export async function secondTabSeesTheSame({ page, harness, server }) {
  const other = await harness.open(server.url);
  await pause(page);
  await until(other, (step) => window.pliant.step === step, await read(page, "step"), "the same step in both tabs");
  check(!(await read(other, "playing")), "the second tab does not know of the pause");
  const step = await read(page, "step");
  await other.evaluate(() => window.pliant.send({ kind: "step", count: 3 }));
  for (const tab of [page, other])
    await until(tab, (s) => window.pliant.step === s + 3, step, "three steps of the other tab");
  const positions = await Promise.all([page, other].map((tab) => tab.evaluate(() => window.pliant.vertex(0))));
  check(JSON.stringify(positions[0]) === JSON.stringify(positions[1]), "the tabs show different positions");
  await other.context().close();
}

export async function themeIsRemembered({ page, harness }) {
  const corner = { x: 400, y: 4, width: 4, height: 4 };
  const brightness = async () => (await pixels(page, corner)).data[0];
  check((await brightness()) > 200, "the page does not start light");
  await page.keyboard.press("t");
  await until(page, () => document.documentElement.dataset.theme === "dark", null, "the dark theme");
  await page.waitForTimeout(100);
  check((await brightness()) < 60, "the picture stays light in the dark theme");
  await page.reload();
  await until(page, () => window.pliant?.framesDrawn > 0, null, "the page after a reload");
  check((await brightness()) < 60, "the dark theme was forgotten");
  await harness.shot(page, "dark");
  await page.keyboard.press("t");
}

export async function systemThemeIsFollowed({ harness, server }) {
  const page = await harness.open(server.url, { colorScheme: "dark" });
  check(
    (await page.evaluate(() => document.documentElement.dataset.theme)) === "dark",
    "the system's theme is ignored",
  );
  await page.context().close();
}

export async function helpAndPanelByKeys({ page, harness }) {
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await harness.shot(page, "help");
  await page.keyboard.press("Escape");
  check(!(await page.getByRole("dialog", { name: "Help" }).isVisible()), "Esc does not close the help");
  await page.keyboard.press("p");
  check(!(await page.locator(".panel").isVisible()), "P does not fold the panel");
  await page.keyboard.press("p");
  check(await page.locator(".panel").isVisible(), "P does not unfold the panel");
}

export async function everythingHasAName({ page }) {
  const nameless = await page.evaluate(() => {
    const named = (element) =>
      element.getAttribute("aria-label") || element.textContent.trim() || (element.labels && element.labels.length > 0);
    return [...document.querySelectorAll("button, input, select")].filter((e) => !named(e)).map((e) => e.outerHTML);
  });
  check(nameless.length === 0, `without a name for screen readers: ${nameless.join(" ")}`);
  await page.keyboard.press("Tab");
  const outlined = await page.evaluate(() => {
    const look = getComputedStyle(document.activeElement);
    return document.activeElement !== document.body && look.outlineStyle !== "none";
  });
  check(outlined, "the focus of the keyboard is not seen");
}

/** Presses a button and gives the file that it saves. */
async function saved(page, name) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  const file = await download;
  return { name: file.suggestedFilename(), data: await readFile(await file.path()) };
}

export async function pictureFilmAndShapeAreSaved({ page }) {
  const picture = await saved(page, "Save a picture (PNG)");
  check(/^drop_.*\.png$/.test(picture.name), `the picture is called ${picture.name}`);
  check(picture.data.readUInt32BE(16) === 960 && picture.data.length > 5000, "the picture is not one of the canvas");
  const shape = await saved(page, "Save the shape (GLB)");
  const report = await validateBytes(new Uint8Array(shape.data));
  check(report.issues.numErrors === 0 && report.info.totalTriangleCount === 432, "the shape is not the cube");
  await page.getByRole("button", { name: "Record a film" }).click();
  const drawn = await read(page, "framesDrawn");
  const filmed = (n) => {
    // It stops at the end of the scene, and continues when it is asked to.
    if (!window.pliant.playing) window.pliant.send({ kind: "play" });
    return window.pliant.framesDrawn > n + 12;
  };
  await until(page, filmed, drawn, "a dozen frames of the film");
  const film = await saved(page, "End the film and save it");
  check(
    /\.(mp4|webm)$/.test(film.name) && film.data.length > 2000,
    `the film ${film.name} has ${film.data.length} bytes`,
  );
}

export async function idlePageDrawsNothing({ page }) {
  await pause(page);
  const calls = await page.evaluate(async () => {
    let count = 0;
    const real = window.requestAnimationFrame;
    window.requestAnimationFrame = (callback) => {
      count++;
      return real(callback);
    };
    await new Promise((done) => setTimeout(done, 400));
    window.requestAnimationFrame = real;
    return count;
  });
  check(calls < 3, `a paused page asks for ${calls} animation frames in 0.4 s`);
}

export async function lostContextComesBack({ page }) {
  await pause(page);
  const before = await pixels(page, PICTURE);
  await page.evaluate(async () => {
    const context = document.querySelector(".stage canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
    context.loseContext();
    await new Promise((done) => setTimeout(done, 100));
    context.restoreContext();
  });
  // The picture is there again when it is the one from before; the next step must be drawn, too.
  const start = performance.now();
  while (changed(before, await pixels(page, PICTURE)) > 200) {
    check(performance.now() - start < 20_000, "the picture does not come back after the graphics card was lost");
  }
  const step = await read(page, "step");
  await page.keyboard.press("ArrowRight");
  await until(page, (s) => window.pliant.step === s + 1, step, "a step after the graphics card was lost");
}

/** The last test of the server: it is ended and started again. */
export async function lostConnectionComesBack({ page, harness, server }) {
  server.stop();
  await server.ended;
  await page.locator(".banner").waitFor();
  await harness.shot(page, "lost");
  const port = new URL(server.url).port;
  await harness.serve("drop", "--variant", "n6", "--port", port);
  const drawn = await read(page, "framesDrawn");
  await page.getByRole("button", { name: "Try now" }).click();
  await until(page, (n) => window.pliant.framesDrawn > n + 2, drawn, "frames of the new server");
  check(!(await page.locator(".banner").isVisible()), "the banner stays after the connection came back");
}
