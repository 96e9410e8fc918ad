// Tests the page in a real browser: node browser.mjs PLIANT FOLDER CHROMIUM [PART-OF-A-NAME]
import { resolve } from "node:path";
import { Harness, until } from "./browser/harness.mjs";
import * as live from "./browser/live.mjs";
import * as overlays from "./browser/overlays.mjs";
import * as pageTests from "./browser/page.mjs";
import * as recordings from "./browser/recording.mjs";
import * as touch from "./browser/touch.mjs";

/** In this order: each starts from what the one before left. */
const TESTS = [
  live.bodyMoves,
  live.pausesAndSteps,
  live.resets,
  live.restsAtFullSpeed,
  live.draggingPulls,
  live.holdsAreKept,
  live.softerBodySags,
  live.frictionAndGravityAreLive,
  live.badValuesAreTold,
  live.solverVariantAndSceneChange,
  live.parameterRestarts,
  overlays.contactsAreShown,
  overlays.slidingHasItsColor,
  overlays.stressAndStrainAreShown,
  overlays.wiresPinsAndRestAreShown,
  overlays.shadowsCanBeSwitched,
  overlays.plotsRun,
  pageTests.secondTabSeesTheSame,
  pageTests.helpAndPanelByKeys,
  pageTests.everythingHasAName,
  pageTests.idlePageDrawsNothing,
  pageTests.lostContextComesBack,
  pageTests.pictureFilmAndShapeAreSaved,
  pageTests.themeIsRemembered,
  pageTests.systemThemeIsFollowed,
  touch.phoneIsTouched,
  pageTests.lostConnectionComesBack,
  recordings.recordingPlays,
  recordings.offlineFilePlays,
];

const [pliant, folder, chromium, only = ""] = process.argv.slice(2);
const harness = new Harness(resolve(pliant), resolve(folder), chromium);
let current = "the start";
try {
  await harness.launch();
  const server = await harness.serve("drop", "--variant", "n6", "--port", "0", "--paused");
  const page = await harness.open(server.url);
  await page.click("#tab-show");
  // Software draws here: shadows would take most of the time.
  await page.locator("#show-shadows").click();
  await until(page, () => !window.pliant.overlays.shadows, null, "shadows to be off");
  const tests = TESTS.filter((test) => test.name.includes(only));
  for (const test of tests) {
    current = test.name;
    const start = performance.now();
    await test({ harness, server, page });
    if (harness.problems.length > 0) throw new Error(`the page complains: ${harness.problems.join("\n")}`);
    console.log(`viewer: ${current} ok (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  }
  console.log(`viewer: ${tests.length} tests passed, screenshots are in ${harness.shots}`);
} catch (error) {
  console.error(`viewer: ${current} FAILED: ${error.message}`);
  for (const page of harness.browser?.contexts().flatMap((context) => context.pages()) ?? []) {
    await harness.shot(page, "failed").catch(() => {});
  }
  process.exitCode = 1;
} finally {
  await harness.close();
}
