// Puts the page together: stage, session, panel, and what connects them.
import type { Vector3 } from "three";
import { publish } from "./api";
import { Captures } from "./capture/actions";
import type { Geometry } from "./data/frame";
import type { Failure, SceneBuilt, ToServer } from "./data/types";
import { FrameRate } from "./framerate";
import { listenToKeys } from "./keys";
import type { Overlays } from "./overlays";
import type { Session } from "./session";
import { shortcuts } from "./shortcuts";
import { Starter } from "./start";
import { State } from "./state";
import { bar } from "./ui/bar";
import { type Chooser, chooser } from "./ui/chooser";
import { h } from "./ui/dom";
import { type Help, help } from "./ui/help";
import { legend } from "./ui/legend";
import { Notices } from "./ui/notices";
import { type Panel, panel } from "./ui/panel";
import { plotsTab } from "./ui/plots";
import { sceneTab } from "./ui/scene";
import { showTab } from "./ui/show";
import { Themes } from "./ui/theme";
import { tools } from "./ui/tools";
import { verdictCard } from "./ui/verdict";
import { Grabber } from "./view/grab";
import { HoldsView } from "./view/holds";
import { DARK, LIGHT } from "./view/palette";
import { Stage } from "./view/stage";
import { View } from "./view/view";

/** Space that the tools take at the left, in CSS pixels. */
const TOOLS_WIDTH = 60;

export class App {
  private readonly state = new State();
  private readonly themes = new Themes();
  private readonly starter: Starter;
  private readonly notices: Notices;
  private readonly stage: Stage;
  private readonly holds: HoldsView;
  private readonly grabber: Grabber;
  private readonly captures: Captures;
  private readonly help: Help;
  private readonly chooser: Chooser;
  private readonly panel: Panel;
  private readonly bar: HTMLElement;
  private readonly rate: FrameRate;
  private session: Session | null = null;
  private view: View | null = null;
  private framesDrawn = 0;

  constructor(root: HTMLElement) {
    const area = h("div", { class: "stage" });
    const labels = h("div", { class: "labels", "aria-hidden": "true" });
    this.starter = new Starter(
      this.state,
      {
        built: (scene, geometry) => this.build(scene, geometry),
        changed: () => this.stage.invalidate(),
        failed: (failure) => this.failed(failure),
        applied: (text) => this.notices.say(text),
      },
      (session) => {
        this.session = session;
        this.grabber.forget();
      },
    );
    this.notices = new Notices(this.state, () => this.starter.retry());
    this.rate = new FrameRate(this.state.framesPerSecond);
    this.help = help(() => `Pliant ${this.state.hello.value?.pliant ?? ""}`);
    const load = (scene: string, variant: string | null) => this.send({ kind: "load", scene, variant, solver: null });
    this.chooser = chooser(() => this.state.hello.value?.scenes ?? [], load);
    this.bar = bar(
      this.state,
      () => this.session,
      () => this.panel.toggle(),
    );
    this.notices.element.append(verdictCard(this.state));
    this.panel = this.makePanel();
    // The canvas is measured where it will be: everything is in the page before the stage is made.
    root.append(area, labels, this.panel.element, legend(this.state), this.notices.element, this.bar);
    document.body.append(this.help.element, this.chooser.element);
    this.stage = new Stage(area, (lost) => this.contextChanged(lost));
    this.holds = new HoldsView(this.stage, labels);
    this.grabber = this.makeGrabber(area);
    this.captures = new Captures(this.stage, () => this.view, this.notices);
    root.append(this.makeTools());
  }

  start(): void {
    this.stage.tick = (now) => this.tick(now);
    this.stage.drawn = () => this.session?.drawn();
    this.stage.tooSlow = () => this.doWithoutShadows();
    this.themes.current.watch(() => this.applyTheme());
    this.state.overlays.watch((overlays) => this.refresh(overlays));
    listenToKeys(
      shortcuts(this.state, {
        session: () => this.session,
        view: () => this.view,
        send: (message) => this.send(message),
        togglePanel: () => this.panel.toggle(),
        toggleTheme: () => this.themes.toggle(),
        toggleHelp: () => this.help.toggle(),
        escape: () => this.escape(),
      }),
    );
    publish(this.state, {
      view: () => this.view,
      errors: () => this.notices.texts,
      framesDrawn: () => this.framesDrawn,
      vertex: (index) => this.vertexAt(index)?.toArray() ?? null,
      screen: (index) => this.screenOf(index),
      send: (message) => this.send(message),
    });
    this.watchEnd();
    addEventListener("resize", () => this.setInsets());
    this.setInsets();
    void this.starter.start();
  }

  private send(message: ToServer): void {
    this.session?.send(message);
  }

  private build(scene: SceneBuilt, geometry: Geometry): void {
    const keepView = this.state.scene.value?.layout.name === scene.layout.name;
    this.view?.dispose();
    this.grabber.forget();
    this.view = new View(this.stage, scene.layout, geometry, keepView);
    this.state.scene.value = scene;
    this.state.stats.value = null;
    document.title = `${scene.layout.name} · Pliant`;
    this.applyTheme();
  }

  /** Who waits at the end of a scene is told how it goes on. */
  private watchEnd(): void {
    let playing = false;
    this.state.stats.watch((stats) => {
      const ended = stats?.finished && playing && !stats.playing && this.state.mode.value === "live";
      if (ended) this.notices.say("The scene is over. Drag a body, or press play, and it goes on.");
      playing = stats?.playing ?? false;
    });
  }

  private failed(failure: Failure): void {
    this.notices.error(failure);
    // A value that was refused goes back to what holds.
    const scene = this.state.scene.value;
    if ((failure.at === "set" || failure.at === "load") && scene) this.state.scene.value = { ...scene };
  }

  private tick(now: number): boolean {
    this.grabber.flush();
    const frame = this.session?.next(now);
    if (frame && this.view) {
      this.view.setFrame(frame, this.state.overlays.value);
      this.framesDrawn++;
      this.rate.count(now);
      this.tellRange(this.view.range);
    }
    this.view?.beforeDraw();
    this.holds.update(this.grabber.shown());
    return this.session?.animates() ?? false;
  }

  private refresh(overlays: Overlays): void {
    if (!this.view) return;
    this.view.refresh(overlays);
    this.tellRange(this.view.range);
    this.stage.invalidate();
  }

  /** Reports changes only: most frames have the range of the one before. */
  private tellRange(range: [number, number] | null): void {
    const known = this.state.range.value;
    if (known?.[0] !== range?.[0] || known?.[1] !== range?.[1]) this.state.range.value = range;
  }

  private doWithoutShadows(): void {
    if (!this.state.overlays.value.shadows || this.state.shadowsChosen) return;
    this.state.change({ shadows: false });
    this.notices.say("Drawing is slow here: shadows are off. The tab Show has them.");
  }

  private applyTheme(): void {
    const palette = this.themes.current.value === "dark" ? DARK : LIGHT;
    this.stage.setBackground(palette.background);
    this.view?.setPalette(palette);
    this.holds.setPalette(palette);
    this.refresh(this.state.overlays.value);
  }

  private contextChanged(lost: boolean): void {
    if (lost) this.notices.say("The graphics card took a break; the picture comes back by itself.");
  }

  /** The picture is centred in what panel and bar leave free. */
  private setInsets(): void {
    if (!this.stage) return;
    const box = this.panel.element.getBoundingClientRect();
    const barTop = this.bar.getBoundingClientRect().top;
    const sheet = this.panel.open && box.width > 0.8 * innerWidth;
    const beside = this.panel.open && !sheet;
    this.stage.setInsets({
      left: TOOLS_WIDTH,
      right: beside ? innerWidth - box.left : 0,
      top: 0,
      bottom: innerHeight - (sheet ? box.top : barTop),
    });
  }

  private makePanel(): Panel {
    const actions = {
      choose: () => this.chooser.open(),
      send: (message: ToServer) => this.send(message),
      refuse: (text: string) => this.notices.error({ kind: "error", at: "set", text }),
    };
    return panel(
      [
        { id: "scene", label: "Scene", content: sceneTab(this.state, actions) },
        { id: "show", label: "Show", content: showTab(this.state) },
        { id: "plots", label: "Plots", content: plotsTab(this.state) },
      ],
      () => this.setInsets(),
    );
  }

  private makeGrabber(area: HTMLElement): Grabber {
    const { state } = this;
    return new Grabber(
      {
        stage: this.stage,
        view: () => this.view,
        holds: () => state.stats.value?.holds ?? [],
        client: () => state.hello.value?.client ?? -1,
        live: () => state.mode.value === "live" && state.lostUntil.value === null,
        keepsHolds: () => state.keepHolds.value,
        send: (message) => this.send(message),
      },
      area,
    );
  }

  private makeTools(): HTMLElement {
    const { element, setFilming } = tools(this.state, {
      fit: () => this.view?.fit(),
      releaseAll: () => this.send({ kind: "release_all" }),
      picture: () => void this.captures.picture(),
      film: () => void this.captures.toggleFilm(),
      shape: () => void this.captures.shape(),
      theme: () => this.themes.toggle(),
      help: () => this.help.toggle(),
    });
    this.captures.filmChanged = setFilming;
    return element;
  }

  private escape(): void {
    if (this.grabber.dragging) this.grabber.releaseDrags();
    else if (!this.notices.dismiss() && matchMedia("(max-width: 759px)").matches) this.panel.toggle(false);
  }

  private vertexAt(index: number): Vector3 | null {
    const { view } = this;
    return view && index >= 0 && index < view.vertexCount ? view.vertex(index) : null;
  }

  private screenOf(index: number): [number, number, boolean] | null {
    const place = this.vertexAt(index);
    if (!place) return null;
    const { x, y, before } = this.stage.toScreen(place);
    return [x, y, before && this.grabber.hit(x, y)?.vertex === index];
  }
}
