// The saved shape is a valid glTF file with the vertices that are shown.
import { validateBytes } from "gltf-validator";
import { expect, test } from "vitest";
import { writeGlb } from "../../src/capture/glb";
import { fileName } from "../../src/capture/save";

test("the file passes the validator of Khronos", async () => {
  const file = writeGlb(
    {
      positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 2]),
      normals: Float32Array.from([0, 0, 1, 0, 0, 1, 0, 0, 1]),
      colors: Float32Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1]),
      index: Uint32Array.from([0, 1, 2]),
    },
    "drop",
  );
  const report = await validateBytes(new Uint8Array(file));
  expect(report.issues.messages).toEqual([]);
  expect(report.info.totalVertexCount).toBe(3);
  expect(report.info.totalTriangleCount).toBe(1);
  // Where the numbers begin: after two heads, and the text with its own head.
  const text = new DataView(file).getUint32(12, true);
  expect([...new Float32Array(file, 20 + text + 8, 9)]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 2]);
});

test("file names have scene and time, and are safe", () => {
  expect(fileName("../a b", 1.234, "png")).toBe("_a_b_1.23s.png");
});
