// Overlays: each changes the picture in the way it should, and the legend says what the colours mean.
import { changed, check, ofColor, PICTURE, pause, pixels, play, read, settled, until } from "./harness.mjs";

const CONTACT = 0xb5179e;
const STICKING = 0x1c9c8a;
const SLIDING = 0xf6c915;

/** Loads a scene, lets it go to a time and pauses. */
async function show(page, scene, variant, time) {
  const generation = await read(page, "generation");
  await page.evaluate((load) => window.pliant.send(load), { kind: "load", scene, variant, solver: null });
  await until(page, (g) => window.pliant.generation > g && window.pliant.stats, generation, `the scene ${scene}`);
  await page.selectOption("#speed", { label: "Max" });
  await play(page);
  await until(page, (t) => window.pliant.time >= t, time, `${time} s of ${scene}`);
  await pause(page);
  await page.keyboard.press("f");
  await settled(page);
}

/** Presses a key, and gives the picture before and after. */
async function press(page, key) {
  const before = await pixels(page, PICTURE);
  await page.keyboard.press(key);
  await settled(page);
  return [before, await pixels(page, PICTURE)];
}

export async function contactsAreShown({ page, harness }) {
  await show(page, "drop", "n6", 1);
  const [plain, points] = await press(page, "c");
  check(ofColor(plain, CONTACT) < 5 && ofColor(points, CONTACT) > 100, "no contact points are seen");
  const [, arrows] = await press(page, "a");
  check(ofColor(arrows, CONTACT) > ofColor(points, CONTACT) + 100, "no arrows of forces are seen");
  const states = (await press(page, "l"))[1];
  check(ofColor(states, STICKING) > 100, "contacts at rest do not have the colour of sticking");
  check(ofColor(states, CONTACT) < 30, "contacts keep their plain colour");
  check(await page.locator("#legend-states").isVisible(), "no key of sticking and sliding");
  check((await read(page, "stats")).contacts > 0, "no contacts are counted");
  await page.click("#tab-show");
  await page.locator("#force-length").fill("6");
  await settled(page);
  const longer = await pixels(page, PICTURE);
  check(ofColor(longer, STICKING) > ofColor(states, STICKING), "the arrows did not get longer");
  await harness.shot(page, "contacts");
  for (const key of ["c", "a", "l"]) await page.keyboard.press(key);
}

export async function slidingHasItsColor({ page }) {
  await page.click("#tab-scene");
  await page.locator('[data-control="body.0.friction"]').fill("0.05");
  await page.keyboard.press("Enter");
  await page.locator('[data-control="gravity.x"]').fill("4");
  await page.keyboard.press("Enter");
  await page.keyboard.press("c");
  await page.keyboard.press("l");
  await play(page);
  await until(page, () => window.pliant.stats.sliding > 0, null, "contacts that slide");
  await pause(page);
  await page.keyboard.press("f");
  await settled(page);
  check(ofColor(await pixels(page, PICTURE), SLIDING) > 60, "sliding contacts do not have their colour");
  await page.keyboard.press("c");
  await page.keyboard.press("l");
}

export async function stressAndStrainAreShown({ page, harness }) {
  await show(page, "cantilever", null, 0.2);
  const [plain, stress] = await press(page, "s");
  await until(page, () => window.pliant.range !== null, null, "a range of stresses");
  check(await page.locator("#legend-surface").isVisible(), "no legend of the stress");
  const unit = /Pa/.test(await page.locator(".legend-ends").textContent());
  check(unit, "the legend has no unit");
  check(changed(plain, stress) > 1000, "the stress does not colour the surface");
  const coloured = (picture) => ofColor(picture, 0x3a1a60, 45) + ofColor(picture, 0x28808a, 45);
  check(coloured(stress) > coloured(plain) + 300, "the colours are not those of the map");
  await harness.shot(page, "stress");
  await page.click("#tab-show");
  await page.locator("#range-auto").click();
  const top = (await read(page, "range"))[1];
  await page.locator("#range-top").fill(String(10 * top));
  await page.keyboard.press("Enter");
  await until(page, (t) => window.pliant.range?.[1] === t, 10 * top, "the fixed range");
  await settled(page);
  check(changed(stress, await pixels(page, PICTURE)) > 300, "another range does not change the colours");
  await page.locator("#range-auto").click();
  const strain = (await press(page, "s"))[1];
  check(/%/.test(await page.locator(".legend-ends").textContent()), "the legend of the strain has no unit");
  check(changed(plain, strain) > 1000, "the strain does not colour the surface");
  await page.keyboard.press("s");
  await settled(page);
  check(!(await page.locator(".legend").isVisible()), "the legend stays without colours");
}

export async function wiresPinsAndRestAreShown({ page, harness }) {
  for (const [key, what, least] of [
    ["w", "wireframe", 400],
    ["i", "pins", 60],
    ["o", "shape at rest", 60],
  ]) {
    const [off, on] = await press(page, key);
    check(changed(off, on) > least, `the ${what} changes only ${changed(off, on)} pixels`);
  }
  await harness.shot(page, "wires_pins_rest");
  const overlays = await read(page, "overlays");
  check(overlays.wireframe && overlays.pins && overlays.rest, "window.pliant.overlays does not say what is shown");
  for (const key of ["w", "i", "o"]) await page.keyboard.press(key);
}

export async function shadowsCanBeSwitched({ page }) {
  await show(page, "drop", "n6", 0.05);
  await page.click("#tab-show");
  const off = await pixels(page, PICTURE);
  await page.locator("#show-shadows").click();
  await settled(page);
  check(changed(off, await pixels(page, PICTURE)) > 300, "no shadow is seen");
  await page.locator("#show-shadows").click();
}

export async function plotsRun({ page, harness }) {
  await page.click("#tab-plots");
  await play(page);
  await until(page, () => window.pliant.time > 0.6, null, "some time to plot");
  await pause(page);
  await page.waitForTimeout(150);
  const drawn = await page.evaluate(() =>
    [...document.querySelectorAll(".plot-canvas")].map((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, i) => i % 4 === 3 && value > 0).length;
    }),
  );
  const probes = (await read(page, "stats")).probes?.length ?? 0;
  check(drawn.length === 5 + probes, `${drawn.length} plots instead of 5 and ${probes} of probes`);
  check(
    drawn.every((count) => count > 200),
    `a plot is empty: ${drawn}`,
  );
  const values = page.locator(".plot-values").nth(2);
  const newest = await values.textContent();
  const box = await page.locator(".plot-canvas").nth(2).boundingBox();
  await page.mouse.move(box.x + 50, box.y + 40);
  check((await values.textContent()) !== newest, "the pointer on a plot does not show older values");
  await harness.shot(page, "plots");
}
