// Boxes around points.
import { Box3, Vector3 } from "three";

/** The box around points that are numbers; empty without any. */
export function boundsOf(points: Float32Array, into = new Box3()): Box3 {
  let [x0, y0, z0] = [Infinity, Infinity, Infinity];
  let [x1, y1, z1] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i];
    const y = points[i + 1];
    const z = points[i + 2];
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
    if (z < z0) z0 = z;
    if (z > z1) z1 = z;
  }
  into.min.set(x0, y0, z0);
  into.max.set(x1, y1, z1);
  return into;
}

/** Half of the longest diagonal of a box, and something sensible for an empty one. */
export function radiusOf(box: Box3): number {
  if (box.isEmpty()) return 1;
  const radius = box.getSize(new Vector3()).length() / 2;
  return radius > 0 && Number.isFinite(radius) ? radius : 1;
}
