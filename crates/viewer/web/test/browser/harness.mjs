// What the tests in the browser need: a server, pages, waiting for conditions, looking at pixels.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { PNG } from "pngjs";

/** Loaded machines are slow, broken pages wait for ever. */
const PATIENCE = 40_000;

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function check(condition, text) {
  if (!condition) throw new Error(text);
}

export class Harness {
  constructor(pliant, folder, chromiumPath) {
    this.pliant = pliant;
    this.folder = folder;
    this.chromiumPath = chromiumPath;
    this.problems = [];
    this.servers = [];
    mkdirSync(this.shots, { recursive: true });
  }

  get shots() {
    return join(this.folder, "screenshots");
  }

  async launch() {
    this.browser = await chromium.launch({ executablePath: this.chromiumPath, args: FLAGS });
  }

  async close() {
    await this.browser?.close();
    for (const server of this.servers) server.stop();
  }

  /** Starts `pliant view ...` and gives its address, as it prints it. */
  async serve(...args) {
    const child = spawn(this.pliant, ["view", ...args, "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
    const ended = new Promise((done) => child.once("exit", done));
    const url = await new Promise((done, failed) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const found = /https?:\/\/\S+/.exec(line);
        if (found) done(found[0]);
      });
      child.once("exit", (code) => failed(new Error(`pliant view ended with ${code}: ${said.join("\n")}`)));
    });
    const server = { url, said, ended, stop: () => child.kill() };
    this.servers.push(server);
    return server;
  }

  /** Runs `pliant` to its end. */
  async run(...args) {
    const child = spawn(this.pliant, args, { stdio: ["ignore", "ignore", "pipe"] });
    const said = [];
    createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
    const code = await new Promise((done) => child.once("exit", done));
    check(code === 0, `pliant ${args.join(" ")} ended with ${code}: ${said.join("\n")}`);
  }

  /** Opens a page in a profile of its own; what goes wrong in it fails the test at its end. */
  async open(url, options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 960, height: 620 }, ...options });
    context.setDefaultTimeout(PATIENCE);
    if (process.env.PLIANT_PAGE) await replacePage(context, process.env.PLIANT_PAGE);
    const page = await context.newPage();
    page.on("pageerror", (error) => this.problems.push(`${error.stack ?? error}`));
    page.on("console", (message) => {
      const text = message.text();
      // Told by the graphics driver of this machine when a screenshot is taken.
      if (message.type() === "error" && !text.includes("WebSocket")) this.problems.push(text);
    });
    await page.goto(url);
    await until(page, () => window.pliant?.framesDrawn > 0, null, "a first frame");
    return page;
  }

  async shot(page, name) {
    await page.screenshot({ path: join(this.shots, `${name}.png`) });
  }
}

/** While the page is worked on: its files come from a folder instead of the binary. */
async function replacePage(context, folder) {
  for (const name of ["viewer.js", "viewer.css"])
    await context.route(`**/${name}`, (route) => route.fulfill({ path: join(folder, name) }));
}

/** Waits until a function is true in the page. */
export async function until(page, condition, argument, what) {
  try {
    await page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 50 });
  } catch (error) {
    const state = await page
      .evaluate(() => JSON.stringify({ step: window.pliant.step, errors: window.pliant.errors }))
      .catch(() => "?");
    throw new Error(`waited in vain for ${what} (page: ${state}; ${String(error.message).split("\n")[0]})`);
  }
}

/** What `window.pliant` has under a name. */
export function read(page, name) {
  return page.evaluate((key) => window.pliant[key], name);
}

/** Positions of all shown vertices. */
export function vertices(page) {
  return page.evaluate(() => {
    const count = window.pliant.layout.bodies.reduce((sum, body) => sum + body.vertices, 0);
    return Array.from({ length: count }, (_, i) => window.pliant.vertex(i));
  });
}

export function extent(points, axis) {
  const values = points.map((point) => point[axis]);
  return Math.max(...values) - Math.min(...values);
}

export function mean(points, axis) {
  return points.reduce((sum, point) => sum + point[axis], 0) / points.length;
}

export async function pause(page) {
  await page.evaluate(() => window.pliant.send({ kind: "pause" }));
  await until(page, () => !window.pliant.playing, null, "the pause");
  await settled(page);
}

export async function play(page) {
  await page.evaluate(() => window.pliant.send({ kind: "play" }));
}

/** Waits until nothing is drawn any more: two looks at the same number, some frames apart. */
export async function settled(page) {
  await page.evaluate(async () => {
    const wait = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)));
    for (let seen = -1; seen !== window.pliant.framesDrawn; ) {
      seen = window.pliant.framesDrawn;
      for (let i = 0; i < 4; i++) await wait();
    }
  });
}

/** The pixels of the page; `clip` is a part of it. */
export async function pixels(page, clip) {
  return PNG.sync.read(await page.screenshot(clip ? { clip } : {}));
}

/** The part of the page with the picture and nothing over it. */
export const PICTURE = { x: 70, y: 10, width: 530, height: 430 };

/** How many pixels differ visibly. */
export function changed(before, after) {
  let count = 0;
  for (let i = 0; i < before.data.length; i += 4) {
    const difference = [0, 1, 2].reduce((sum, k) => sum + Math.abs(before.data[i + k] - after.data[i + k]), 0);
    if (difference > 24) count++;
  }
  return count;
}

/** How many pixels have about a colour, given as 0xrrggbb. */
export function ofColor(picture, color, tolerance = 40) {
  const wanted = [color >> 16, (color >> 8) & 255, color & 255];
  let count = 0;
  for (let i = 0; i < picture.data.length; i += 4) {
    if (wanted.every((part, k) => Math.abs(picture.data[i + k] - part) <= tolerance)) count++;
  }
  return count;
}

/** The vertex in the middle of those that can be grabbed: at the outline a pixel decides. */
export function grabbable(page) {
  return page.evaluate((area) => {
    const count = window.pliant.layout.bodies.reduce((sum, body) => sum + body.vertices, 0);
    const seen = Array.from({ length: count }, (_, vertex) => {
      const [x, y, facing] = window.pliant.screen(vertex);
      return { vertex, x, y, facing };
    }).filter(
      ({ x, y, facing }) => facing && x > area.x && x < area.x + area.width && y > area.y && y < area.y + area.height,
    );
    const middle = ["x", "y"].map((axis) => seen.reduce((sum, place) => sum + place[axis], 0) / seen.length);
    const away = ({ x, y }) => Math.hypot(x - middle[0], y - middle[1]);
    return seen.reduce((best, place) => (away(place) < away(best) ? place : best));
  }, PICTURE);
}
