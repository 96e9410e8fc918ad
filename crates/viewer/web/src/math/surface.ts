// Surfaces of triangles: where they are creased, their normals, their edges.

export interface Creased {
  /** Vertex of the body for each drawn vertex: a vertex on a crease is drawn once for each of its smooth sides. */
  source: Uint32Array;
  /** Three drawn vertices per triangle. */
  index: Uint32Array;
}

/** Splits vertices where neighbouring triangles meet at more than `degrees` at rest, so that edges stay sharp. */
export function splitCreases(triangles: Uint32Array, rest: Float32Array, degrees = 48): Creased {
  const vertices = rest.length / 3;
  const faces = faceNormals(triangles, rest);
  const { first, corners } = cornersOfVertices(triangles, vertices);
  const smallest = Math.cos((degrees * Math.PI) / 180);
  const index = new Uint32Array(triangles.length);
  const source: number[] = [];
  for (let vertex = 0; vertex < vertices; vertex++) {
    const around = corners.subarray(first[vertex], first[vertex + 1]);
    const sides = smoothSides(around, triangles, faces, smallest);
    if (around.length === 0) source.push(vertex);
    const drawn = new Map<number, number>();
    for (let i = 0; i < around.length; i++) {
      let place = drawn.get(sides[i]);
      if (place === undefined) {
        place = source.length;
        source.push(vertex);
        drawn.set(sides[i], place);
      }
      index[around[i]] = place;
    }
  }
  return { source: Uint32Array.from(source), index };
}

/** For each corner at a vertex the smallest corner that a chain of smooth edges joins it with. */
function smoothSides(around: Uint32Array, triangles: Uint32Array, faces: Float32Array, smallest: number): Uint32Array {
  const side = Uint32Array.from(around, (_, i) => i);
  const root = (i: number): number => {
    let at = i;
    while (side[at] !== at) at = side[at];
    return at;
  };
  for (let i = 0; i < around.length; i++) {
    for (let j = 0; j < i; j++) {
      if (!shareEdge(around[i], around[j], triangles)) continue;
      const a = 3 * Math.floor(around[i] / 3);
      const b = 3 * Math.floor(around[j] / 3);
      const cosine = faces[a] * faces[b] + faces[a + 1] * faces[b + 1] + faces[a + 2] * faces[b + 2];
      if (cosine < smallest) continue;
      const [low, high] = [root(i), root(j)].sort((x, y) => x - y);
      side[high] = low;
    }
  }
  return side.map((_, i) => root(i));
}

/** Whether two corners at the same vertex have another vertex in common. */
function shareEdge(corner: number, other: number, triangles: Uint32Array): boolean {
  const start = corner - (corner % 3);
  const otherStart = other - (other % 3);
  const own = triangles[corner];
  for (let i = 0; i < 3; i++) {
    const vertex = triangles[start + i];
    if (vertex === own) continue;
    for (let j = 0; j < 3; j++) if (triangles[otherStart + j] === vertex) return true;
  }
  return false;
}

function faceNormals(triangles: Uint32Array, positions: Float32Array): Float32Array {
  const faces = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    addFaceNormal(triangles, positions, t, faces, t);
    const length = Math.hypot(faces[t], faces[t + 1], faces[t + 2]) || 1;
    for (let i = 0; i < 3; i++) faces[t + i] /= length;
  }
  return faces;
}

function addFaceNormal(index: Uint32Array, p: Float32Array, t: number, out: Float32Array, at: number): void {
  const a = 3 * index[t];
  const b = 3 * index[t + 1];
  const c = 3 * index[t + 2];
  const ux = p[b] - p[a];
  const uy = p[b + 1] - p[a + 1];
  const uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[a];
  const vy = p[c + 1] - p[a + 1];
  const vz = p[c + 2] - p[a + 2];
  out[at] += uy * vz - uz * vy;
  out[at + 1] += uz * vx - ux * vz;
  out[at + 2] += ux * vy - uy * vx;
}

function cornersOfVertices(triangles: Uint32Array, vertices: number): { first: Uint32Array; corners: Uint32Array } {
  const first = new Uint32Array(vertices + 1);
  for (const vertex of triangles) first[vertex + 1]++;
  for (let i = 0; i < vertices; i++) first[i + 1] += first[i];
  const next = first.slice(0, vertices);
  const corners = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) corners[next[triangles[corner]]++] = corner;
  return { first, corners };
}

/** Normals of length one, weighted by area. The loop of every frame: it allocates nothing and calls nothing. */
export function computeNormals(index: Uint32Array, p: Float32Array, normals: Float32Array): void {
  normals.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t];
    const b = 3 * index[t + 1];
    const c = 3 * index[t + 2];
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    normals[a] += nx;
    normals[a + 1] += ny;
    normals[a + 2] += nz;
    normals[b] += nx;
    normals[b + 1] += ny;
    normals[b + 2] += nz;
    normals[c] += nx;
    normals[c + 1] += ny;
    normals[c + 2] += nz;
  }
  for (let i = 0; i < normals.length; i += 3) {
    const squared = normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2;
    const scale = squared > 0 ? 1 / Math.sqrt(squared) : 0;
    normals[i] *= scale;
    normals[i + 1] *= scale;
    normals[i + 2] *= scale;
  }
}

/** Each edge of the triangles once, as pairs of vertices. */
export function edgesOf(triangles: Uint32Array, vertices: number): Uint32Array {
  const keys = new Float64Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) {
    const a = triangles[corner];
    const b = triangles[corner % 3 === 2 ? corner - 2 : corner + 1];
    keys[corner] = Math.min(a, b) * vertices + Math.max(a, b);
  }
  keys.sort();
  const edges: number[] = [];
  for (let i = 0; i < keys.length; i++) {
    if (i > 0 && keys[i] === keys[i - 1]) continue;
    edges.push(Math.floor(keys[i] / vertices), keys[i] % vertices);
  }
  return Uint32Array.from(edges);
}

/** Copies what is stored per vertex of the bodies to the drawn vertices. */
export function spread(from: Float32Array, source: Uint32Array, to: Float32Array): void {
  for (let i = 0; i < source.length; i++) {
    const s = 3 * source[i];
    const t = 3 * i;
    to[t] = from[s];
    to[t + 1] = from[s + 1];
    to[t + 2] = from[s + 2];
  }
}
