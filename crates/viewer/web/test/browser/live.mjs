// A live simulation: motion, pausing, stepping, dragging, changing values, scenes and solvers.
import {
  changed,
  check,
  extent,
  grabbable,
  mean,
  PICTURE,
  pause,
  pixels,
  play,
  read,
  settled,
  until,
  vertices,
} from "./harness.mjs";

export async function bodyMoves({ page }) {
  const [before, picture] = [await vertices(page), await pixels(page, PICTURE)];
  await page.getByRole("button", { name: "Play" }).click();
  await until(page, (z) => window.pliant.vertex(0)[2] < z - 0.01, before[0][2], "the body to fall");
  check(changed(picture, await pixels(page, PICTURE)) > 500, "the picture did not change while the body fell");
}

export async function pausesAndSteps({ page }) {
  await pause(page);
  const { dt } = await read(page, "layout");
  const [step, time] = [await read(page, "step"), await read(page, "time")];
  // Another frame is asked for: it must show the same step.
  await page.keyboard.press("c");
  await settled(page);
  await page.keyboard.press("c");
  await settled(page);
  check((await read(page, "step")) === step, "the simulation continued although it was paused");
  await page.getByRole("button", { name: "One step" }).click();
  await until(page, (s) => window.pliant.step === s + 1, step, "one step");
  const passed = (await read(page, "time")) - time;
  check(Math.abs(passed - dt) < 1e-9, `a step took ${passed} s instead of ${dt} s`);
  await page.keyboard.press("Shift+ArrowRight");
  await until(page, (s) => window.pliant.step === s + 11, step, "ten steps more");
}

export async function resets({ page }) {
  const generation = await read(page, "generation");
  await page.keyboard.press("r");
  await until(page, (g) => window.pliant.generation > g, generation, "the scene to start anew");
  await until(page, () => window.pliant.step >= 0 && window.pliant.step < 200, null, "the first steps");
}

/** Starts anew and lets the cube come to rest: what moves cannot be hit. */
async function rest(page) {
  const generation = await read(page, "generation");
  await page.evaluate(() => window.pliant.send({ kind: "reset" }));
  await until(page, (g) => window.pliant.generation > g && window.pliant.stats, generation, "the scene to start anew");
  await play(page);
  await until(page, () => window.pliant.time > 2, null, "two seconds of simulated time");
  await until(page, () => window.pliant.stats.energy.kinetic < 1e-3, null, "the cube to come to rest");
  // At the end of the scene it stops by itself.
  await play(page);
}

export async function restsAtFullSpeed({ page }) {
  await page.selectOption("#speed", { label: "Max" });
  await rest(page);
}

export async function draggingPulls({ page, harness }) {
  await rest(page);
  const start = await grabbable(page);
  const before = await page.evaluate((i) => window.pliant.vertex(i), start.vertex);
  const all = await vertices(page);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 30, start.y - 60, { steps: 3 });
  await page.mouse.move(start.x + 60, start.y - 110, { steps: 3 });
  const [vertex, z] = [start.vertex, before[2]];
  await until(page, (a) => window.pliant.vertex(a[0])[2] > a[1] + 0.03, [vertex, z], "the vertex to follow the mouse");
  const label = page.locator(".hold-label:visible");
  check(/^[\d.]+ .?N$/.test(await label.textContent()), `the label of the force says "${await label.textContent()}"`);
  check(mean(await vertices(page), 2) > mean(all, 2) + 0.003, "the body did not follow its vertex");
  await harness.shot(page, "drag");
  await page.mouse.up();
  await until(page, () => window.pliant.stats.holds.length === 0, null, "the vertex to be let go");
}

export async function holdsAreKept({ page }) {
  await rest(page);
  const start = await grabbable(page);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x - 40, start.y - 50, { steps: 3 });
  await page.keyboard.down("Shift");
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await until(page, () => window.pliant.stats.holds[0]?.kept === true, null, "the hold to be kept");
  // Its ball is where the mouse let it go: it can be taken again, and a double click removes it.
  const target = () => page.evaluate(() => window.pliant.stats.holds[0].target);
  const old = await target();
  await page.mouse.down();
  await page.mouse.move(start.x - 10, start.y - 90, { steps: 3 });
  await page.mouse.up();
  await until(page, (z) => window.pliant.stats.holds[0]?.target[2] > z + 0.005, old[2], "the ball to be moved");
  // A slow machine may still draw the ball on its way, or take two clicks for single ones.
  for (let tries = 0; tries < 8 && (await page.evaluate(() => window.pliant.stats.holds.length > 0)); tries++) {
    await page.mouse.dblclick(start.x - 10, start.y - 90);
    await page.waitForTimeout(700);
  }
  await until(page, () => window.pliant.stats.holds.length === 0, null, "the ball to be removed");
}

/** Types a number into the field of a control. */
async function set(page, control, value) {
  const field = page.locator(`[data-control="${control}"]`);
  await field.fill(String(value));
  await field.press("Enter");
}

export async function softerBodySags({ page }) {
  await page.click("#tab-scene");
  await rest(page);
  const before = extent(await vertices(page), 2);
  await set(page, "body.0.youngs", 6000);
  const note = page.locator(".note", { hasText: "rebuilt" });
  await note.waitFor();
  check((await note.textContent()).includes("6 kPa"), `the note says "${await note.textContent()}"`);
  const lower = (height) => {
    const count = window.pliant.layout.bodies[0].vertices;
    const z = Array.from({ length: count }, (_, i) => window.pliant.vertex(i)[2]);
    return Math.max(...z) - Math.min(...z) < height;
  };
  await until(page, lower, 0.92 * before, "the softer cube to sag");
  await set(page, "body.0.youngs", 1e5);
  await page.locator(".note", { hasText: "100 kPa" }).waitFor();
  const restored = (height) => {
    const count = window.pliant.layout.bodies[0].vertices;
    const z = Array.from({ length: count }, (_, i) => window.pliant.vertex(i)[2]);
    return Math.max(...z) - Math.min(...z) > height;
  };
  await until(page, restored, 0.97 * before, "the firmer cube to rise again");
}

export async function frictionAndGravityAreLive({ page }) {
  await set(page, "body.0.friction", 0);
  await page.locator(".note", { hasText: "= 0" }).waitFor();
  const before = mean(await vertices(page), 0);
  await set(page, "gravity.x", 2);
  await page.locator(".note", { hasText: "(2, 0, -9.81)" }).waitFor();
  await until(page, (x) => window.pliant.vertex(0)[0] > x + 0.05, before, "the cube to slide without friction");
  await set(page, "gravity.x", 0);
  await page.locator(".note", { hasText: "(0, 0, -9.81)" }).waitFor();
}

export async function badValuesAreTold({ page, harness }) {
  await page.click("#tab-scene");
  const field = page.locator('[data-control="body.0.youngs"]');
  await set(page, "body.0.youngs", -1);
  const card = page.locator(".card[role=alert]");
  await card.waitFor();
  await harness.shot(page, "error");
  check((await read(page, "errors")).length === 1, "the error is not in window.pliant.errors");
  await until(
    page,
    () => document.querySelector('[data-control="body.0.youngs"]').value === "100000",
    null,
    "the old value",
  );
  await card.getByRole("button", { name: "Dismiss" }).click();
  check((await card.count()) === 0, "the card cannot be dismissed");
  await field.fill("soft");
  await field.press("Enter");
  await until(page, () => window.pliant.errors.length === 2, null, "the second error");
  await card.waitFor();
  await page.keyboard.press("Escape");
  check((await card.count()) === 0, "Esc does not dismiss the card");
}

export async function solverVariantAndSceneChange({ page }) {
  const loaded = async (what, condition) => {
    await until(page, condition, null, what);
    await play(page);
    await until(page, () => window.pliant.step > 2, null, `${what} to run`);
  };
  await page.click("#tab-scene");
  // Newton's method knows no contact: the scene stays, and the choice goes back.
  await page.selectOption("#solver", "newton");
  await page.locator(".card", { hasText: "newton" }).waitFor();
  await until(page, () => document.getElementById("solver").value === "local_global", null, "the old solver");
  await page.keyboard.press("Escape");
  await page.selectOption("#variant", "n12");
  await loaded(
    "variant n12",
    () => window.pliant.layout.variant === "n12" && window.pliant.layout.bodies[0].vertices > 500,
  );
  await page.click("#choose-scene");
  await page.getByRole("searchbox").fill("cantilever");
  check((await page.locator(".scenes li").count()) === 1, "the search finds more than one cantilever");
  await page.keyboard.press("Enter");
  await loaded("the cantilever", () => window.pliant.layout.name === "cantilever");
  check((await read(page, "layout")).pins.length > 0, "the cantilever has no pins");
  await page.selectOption("#solver", "newton");
  await loaded("Newton's method", () => window.pliant.layout.solver === "newton");
}

export async function parameterRestarts({ page }) {
  const generation = await read(page, "generation");
  const field = page.locator('[data-parameter="youngs"]');
  await field.fill(String(Number(await field.inputValue()) / 2));
  await field.press("Enter");
  await until(page, (g) => window.pliant.generation > g, generation, "the scene to start with another parameter");
}
