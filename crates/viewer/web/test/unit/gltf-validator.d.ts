// The part of the validator that the tests use.
declare module "gltf-validator" {
  export function validateBytes(data: Uint8Array): Promise<{
    issues: { messages: unknown[] };
    info: { totalVertexCount: number; totalTriangleCount: number };
  }>;
}
