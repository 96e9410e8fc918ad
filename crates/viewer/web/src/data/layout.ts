// Reads a layout with care: what is missing or odd gets a sensible value, so that the rest of the page can trust it.
import type { Camera, Layout, Light, Vector } from "./types";

type Loose = Record<string, unknown>;

export function readLayout(value: unknown): Layout {
  if (typeof value !== "object" || value === null) {
    throw new Error("The layout of the scene is not an object: server and page are of different versions");
  }
  const loose = value as Loose;
  return {
    name: text(loose.name, "scene"),
    description: text(loose.description, ""),
    solver: text(loose.solver, ""),
    variant: typeof loose.variant === "string" ? loose.variant : null,
    dt: number(loose.dt, 0.01),
    bodies: list(loose.bodies).map((body, i) => ({
      name: text(body.name, `body ${i}`),
      vertices: count(body.vertices),
      triangles: count(body.triangles),
    })),
    obstacles: list(loose.obstacles).map((obstacle, i) => ({
      name: text(obstacle.name, `obstacle ${i}`),
      plane: obstacle.plane === true,
      points: count(obstacle.points),
      triangles: count(obstacle.triangles),
    })),
    lines: list(loose.lines).map((line, i) => ({ name: text(line.name, `line ${i}`), points: count(line.points) })),
    pins: Array.isArray(loose.pins) ? loose.pins.map(count) : [],
    camera: readCamera((loose.camera ?? {}) as Loose),
    lights: list(loose.lights).map(readLight),
  };
}

export function vertexCount(layout: Layout): number {
  return layout.bodies.reduce((sum, body) => sum + body.vertices, 0);
}

export function triangleCount(layout: Layout): number {
  return layout.bodies.reduce((sum, body) => sum + body.triangles, 0);
}

export function linePointCount(layout: Layout): number {
  return layout.lines.reduce((sum, line) => sum + line.points, 0);
}

function readCamera(loose: Loose): Camera {
  const distance = number(loose.distance, 0);
  return {
    direction: vector(loose.direction) ?? [1, -2, 0.8],
    target: vector(loose.target),
    distance: distance > 0 ? distance : null,
    field_of_view: Math.min(120, Math.max(5, number(loose.field_of_view, 35))),
  };
}

function readLight(loose: Loose): Light {
  return {
    direction: vector(loose.direction) ?? [0.3, -0.5, 1],
    color: vector(loose.color) ?? [1, 1, 1],
    intensity: Math.max(0, number(loose.intensity, 1)),
  };
}

function list(value: unknown): Loose[] {
  return Array.isArray(value) ? value.filter((item): item is Loose => typeof item === "object" && item !== null) : [];
}

function text(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function number(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

function count(value: unknown): number {
  return Math.max(0, Math.floor(number(value, 0)));
}

function vector(value: unknown): Vector | null {
  if (!Array.isArray(value) || value.length !== 3 || !value.every((x) => Number.isFinite(x))) return null;
  return [value[0], value[1], value[2]];
}
