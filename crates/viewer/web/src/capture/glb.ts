// Writes the surface that is shown as a binary glTF file, with its colours.

export interface Surface {
  positions: Float32Array;
  normals: Float32Array;
  /** Linear red, green, blue per vertex. */
  colors: Float32Array;
  index: Uint32Array;
}

const FLOAT = 5126;
const UNSIGNED_INT = 5125;
const VERTICES = 34962;
const INDICES = 34963;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** glTF has y up: a turned node keeps the numbers of the vertices as they are in the simulation. */
const Z_UP = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];

export function writeGlb(surface: Surface, name: string): ArrayBuffer {
  const parts: [Float32Array | Uint32Array, number][] = [
    [surface.positions, VERTICES],
    [surface.normals, VERTICES],
    [surface.colors, VERTICES],
    [surface.index, INDICES],
  ];
  const vertices = surface.positions.length / 3;
  const [min, max] = bounds(surface.positions);
  const vector = { componentType: FLOAT, count: vertices, type: "VEC3" };
  let start = 0;
  const bufferViews = parts.map(([data, target]) => {
    const view = { buffer: 0, byteOffset: start, byteLength: data.byteLength, target };
    start += data.byteLength;
    return view;
  });
  const document = {
    asset: { version: "2.0", generator: "Pliant viewer" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ name, mesh: 0, rotation: Z_UP }],
    meshes: [{ name, primitives: [{ attributes: { POSITION: 0, NORMAL: 1, COLOR_0: 2 }, indices: 3, material: 0 }] }],
    materials: [{ doubleSided: true, pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.7 } }],
    accessors: [
      { bufferView: 0, ...vector, min, max },
      { bufferView: 1, ...vector },
      { bufferView: 2, ...vector },
      { bufferView: 3, componentType: UNSIGNED_INT, count: surface.index.length, type: "SCALAR" },
    ],
    bufferViews,
    buffers: [{ byteLength: start }],
  };
  return pack(
    document,
    parts.map(([data]) => data),
    start,
  );
}

function pack(document: object, parts: (Float32Array | Uint32Array)[], binaryBytes: number): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(document));
  const textBytes = 4 * Math.ceil(text.length / 4);
  const total = 12 + 8 + textBytes + 8 + binaryBytes;
  const file = new ArrayBuffer(total);
  const words = new DataView(file);
  [0x46546c67, 2, total, textBytes, JSON_CHUNK].forEach((word, i) => {
    words.setUint32(4 * i, word, true);
  });
  const bytes = new Uint8Array(file);
  bytes.fill(0x20, 20, 20 + textBytes);
  bytes.set(text, 20);
  let at = 20 + textBytes;
  words.setUint32(at, binaryBytes, true);
  words.setUint32(at + 4, BINARY_CHUNK, true);
  at += 8;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return file;
}

function bounds(positions: Float32Array): [number[], number[]] {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, i) => {
    min[i % 3] = Math.min(min[i % 3], value);
    max[i % 3] = Math.max(max[i % 3], value);
  });
  return [min, max];
}
