// Where the eye goes: the view of the scene file, or one that shows all bodies.
import { type Box3, Vector3 } from "three";
import type { Camera } from "../data/types";
import { radiusOf } from "./bounds";
import type { Stage } from "./stage";

const MARGIN = 1.25;

/** Takes the view that the layout asks for; what it leaves open is fitted to the box. */
export function openView(stage: Stage, view: Camera, box: Box3): void {
  stage.camera.fov = view.field_of_view;
  const direction = new Vector3(...view.direction);
  if (direction.lengthSq() === 0) direction.set(1, -2, 0.8);
  const target = view.target ? new Vector3(...view.target) : centreOf(box);
  moveTo(stage, target, direction.normalize(), view.distance, box);
}

/** Keeps the direction of the view and brings the box into it. */
export function fitView(stage: Stage, box: Box3): void {
  const direction = stage.camera.position.clone().sub(stage.controls.target);
  moveTo(stage, centreOf(box), direction.normalize(), null, box);
}

/** Part of the size of the bodies by which they may leave the middle, and of the rest that the eye makes up for in a frame. */
const LEASH = 0.35;
const CATCH_UP = 0.25;

/** Goes along with bodies that move away, unless somebody has turned the view. */
export function followView(stage: Stage, box: Box3, size: number): void {
  if (stage.turned || box.isEmpty()) return;
  const away = centreOf(box).sub(stage.controls.target);
  const beyond = away.length() - LEASH * size;
  if (!(beyond > 0 && Number.isFinite(beyond))) return;
  away.setLength(CATCH_UP * beyond);
  stage.controls.target.add(away);
  stage.camera.position.add(away);
}

function moveTo(stage: Stage, target: Vector3, direction: Vector3, distance: number | null, box: Box3): void {
  const { camera, controls } = stage;
  // Straight from above the picture has no up: the view is tilted a little.
  if (Math.abs(direction.z) > 0.9999) direction.set(0, -0.01, Math.sign(direction.z)).normalize();
  const radius = radiusOf(box);
  const away = distance ?? distanceFor(stage, box, target, direction);
  stage.turned = false;
  controls.target.copy(target);
  camera.position.copy(target).addScaledVector(direction, away);
  camera.near = Math.max(away, radius) / 500;
  camera.far = 400 * Math.max(away, radius);
  controls.minDistance = radius / 50;
  controls.maxDistance = 60 * radius;
  camera.updateProjectionMatrix();
  controls.update();
  stage.invalidate();
}

/** The smallest distance from which all corners of the box are in the free part of the picture. */
function distanceFor(stage: Stage, box: Box3, target: Vector3, direction: Vector3): number {
  if (box.isEmpty()) return 3;
  const [up, wide] = stage.freeTangents();
  const right = new Vector3().crossVectors(stage.camera.up, direction).normalize();
  const above = new Vector3().crossVectors(direction, right);
  let away = 0;
  for (let corner = 0; corner < 8; corner++) {
    const place = new Vector3(
      corner & 1 ? box.max.x : box.min.x,
      corner & 2 ? box.max.y : box.min.y,
      corner & 4 ? box.max.z : box.min.z,
    ).sub(target);
    const towards = place.dot(direction);
    const needed = Math.max(Math.abs(place.dot(right)) / wide, Math.abs(place.dot(above)) / up);
    away = Math.max(away, towards + MARGIN * needed);
  }
  return Math.max(away, 1e-6);
}

function centreOf(box: Box3): Vector3 {
  return box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
}
