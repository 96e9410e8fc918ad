// A phone: small, touched by several fingers.
import { check, pause, until } from "./harness.mjs";

export async function phoneIsTouched({ harness, server }) {
  const page = await harness.open(server.url, {
    viewport: { width: 390, height: 760 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  check(!(await page.locator(".panel").isVisible()), "the panel hides the picture of a phone");
  const playing = await page.evaluate(() => window.pliant.playing);
  await page.locator(".bar .primary").tap();
  await until(page, (was) => window.pliant.playing !== was, playing, "the tap on play or pause");
  await page.evaluate(() => window.pliant.send({ kind: "play" }));
  await holdWithTwoFingers(page, harness);
  await turnBeside(page);
  await page.locator("#panel-toggle").tap();
  await page.locator(".panel").waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(width <= 390, `the page is ${width} pixels wide on a screen of 390`);
  await harness.shot(page, "phone_panel");
  await page.context().close();
}

async function touches(page) {
  const session = await page.context().newCDPSession(page);
  return async (type, points) => {
    const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
    await session.send("Input.dispatchTouchEvent", { type, touchPoints });
    // Fingers are slower than frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  };
}

/** Places of two vertices that can be grabbed, some pixels apart. */
function twoPlaces(page) {
  return page.evaluate(() => {
    const found = [];
    for (let i = 0; i < window.pliant.layout.bodies[0].vertices; i++) {
      const [x, y, facing] = window.pliant.screen(i);
      if (facing && x > 70 && found.every(([a, b]) => Math.hypot(a - x, b - y) > 45)) found.push([x, y]);
    }
    return found.slice(0, 2);
  });
}

async function holdWithTwoFingers(page, harness) {
  const touch = await touches(page);
  const places = await twoPlaces(page);
  check(places.length === 2, "no two vertices can be touched");
  await touch("touchStart", places);
  await until(page, () => window.pliant.stats.holds.length === 2, null, "two holds of two fingers");
  const before = await page.evaluate(() => window.pliant.stats.holds.map((hold) => hold.target[2]));
  await touch(
    "touchMove",
    places.map(([x, y]) => [x, y - 60]),
  );
  const higher = (old) => window.pliant.stats.holds.every((hold, i) => hold.target[2] > old[i] + 0.01);
  await until(page, higher, before, "both fingers to lift");
  await until(page, () => document.querySelectorAll(".hold-label:not([hidden])").length === 2, null, "two labels");
  await harness.shot(page, "phone");
  await touch("touchEnd", []);
  await until(page, () => window.pliant.stats.holds.length === 0, null, "the fingers to let go");
}

async function turnBeside(page) {
  const touch = await touches(page);
  await pause(page);
  const before = await page.evaluate(() => [0, 10, 20, 30].map((i) => window.pliant.screen(i)));
  await touch("touchStart", [[200, 620]]);
  await touch("touchMove", [[240, 620]]);
  await touch("touchMove", [[290, 620]]);
  await touch("touchEnd", []);
  const moved = (old) => [0, 10, 20, 30].some((i, k) => Math.abs(window.pliant.screen(i)[0] - old[k][0]) > 8);
  await until(page, moved, before, "the view to turn");
  check((await page.evaluate(() => window.pliant.stats.holds.length)) === 0, "a finger beside the body holds it");
}
