// The canvas with its camera: draws when something changed, and only then.
import { Color, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Effort } from "./effort";

export interface Insets {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Called before each drawing; gives true as long as it wants to be called again. */
  tick: (now: number) => boolean = () => false;
  /** Called after each drawing. */
  drawn: () => void = () => {};
  /** Called when drawing takes too long even with few pixels. */
  tooSlow: () => void = () => {};
  /** Whether somebody has turned or moved the view. */
  turned = false;
  width = 1;
  height = 1;
  private insets: Insets = { left: 0, right: 0, top: 0, bottom: 0 };
  private scheduled = false;
  private askedAt = 0;
  private readonly effort = new Effort();
  private lost = false;
  private pixelRatio = 2;

  constructor(
    private readonly container: HTMLElement,
    private readonly contextChanged: (lost: boolean) => void,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    container.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(1, -2, 0.8);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => {
      this.turned = true;
    });
    // Keys belong to the whole page, see keys.ts.
    new ResizeObserver(() => this.resize()).observe(container);
    this.watchContext();
    this.resize();
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  /** Asks for a drawing at the next animation frame. */
  invalidate(): void {
    if (this.scheduled || this.lost) return;
    this.scheduled = true;
    this.askedAt = performance.now();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Draws at once, so that the canvas can be read before it is cleared. */
  drawNow(): void {
    this.renderer.render(this.scene, this.camera);
  }

  setBackground(color: number): void {
    this.scene.background = new Color(color);
    this.invalidate();
  }

  /** What lies over the canvas at its sides: the picture is centred in the rest. */
  setInsets(insets: Insets): void {
    this.insets = insets;
    this.project();
  }

  /** Half the height and half the width of the free part, as tangents seen from the camera. */
  freeTangents(): [number, number] {
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360);
    const perPixel = tangent / (this.height / 2);
    const { left, right, top, bottom } = this.insets;
    const halfHeight = Math.max(0.3 * this.height, this.height - top - bottom) / 2;
    const halfWidth = Math.max(0.3 * this.width, this.width - left - right) / 2;
    return [halfHeight * perPixel, halfWidth * perPixel];
  }

  /** Metres that one CSS pixel covers at a point. */
  metresPerPixel(point: Vector3): number {
    const forward = this.camera.getWorldDirection(new Vector3());
    const depth = Math.max(this.camera.near, point.clone().sub(this.camera.position).dot(forward));
    return (2 * depth * Math.tan((this.camera.fov * Math.PI) / 360)) / this.height;
  }

  /** The place of a point in CSS pixels of the window, and whether it is before the camera. */
  toScreen(point: Vector3): { x: number; y: number; before: boolean } {
    const seen = point.clone().project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return {
      x: box.left + ((seen.x + 1) / 2) * box.width,
      y: box.top + ((1 - seen.y) / 2) * box.height,
      before: seen.z > -1 && seen.z < 1,
    };
  }

  /** The ray through a place of the window, as origin and direction. */
  ray(x: number, y: number): { origin: Vector3; direction: Vector3 } {
    const box = this.canvas.getBoundingClientRect();
    const place = new Vector3((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height, 0.5);
    const origin = this.camera.position.clone();
    return { origin, direction: place.unproject(this.camera).sub(origin).normalize() };
  }

  private frame(now: number): void {
    this.scheduled = false;
    if (this.lost) return;
    if (this.effort.tooMuch(performance.now() - this.askedAt)) this.drawCheaper();
    const again = this.tick(now);
    const moving = this.controls.update();
    this.renderer.render(this.scene, this.camera);
    this.drawn();
    if (again || moving) this.invalidate();
  }

  /** First fewer pixels, then whatever else the page can do without. */
  private drawCheaper(): void {
    if (this.pixelRatio > 1) {
      this.pixelRatio = 1;
      this.resize();
    } else {
      this.tooSlow();
    }
  }

  private resize(): void {
    this.width = Math.max(1, this.container.clientWidth);
    this.height = Math.max(1, this.container.clientHeight);
    this.renderer.setPixelRatio(Math.min(this.pixelRatio, window.devicePixelRatio || 1));
    this.renderer.setSize(this.width, this.height);
    this.project();
  }

  private project(): void {
    const { left, right, top, bottom } = this.insets;
    this.camera.aspect = this.width / this.height;
    this.camera.setViewOffset(this.width, this.height, (right - left) / 2, (bottom - top) / 2, this.width, this.height);
    this.invalidate();
  }

  private watchContext(): void {
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lost = true;
      this.contextChanged(true);
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.contextChanged(false);
      this.invalidate();
    });
  }
}
