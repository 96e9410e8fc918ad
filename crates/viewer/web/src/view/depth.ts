// Depth without distance: what is drawn a little behind or before where it is, for the depth test alone.
import type { Material } from "three";

/**
 * Moves all points of a material along the rays of the eye by so many metres, away from it if positive. Their places in the
 * picture stay. Unlike an offset of polygons it does not grow with the slope of a surface.
 */
export function moveAlongRays(material: Material, metres: { value: number }): void {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.behind = metres;
    const moved =
      "gl_Position = projectionMatrix * vec4(mvPosition.xyz * (1.0 + behind / max(length(mvPosition.xyz), 1e-9)), 1.0);";
    shader.vertexShader = `uniform float behind;\n${shader.vertexShader}`.replace(
      "#include <project_vertex>",
      `#include <project_vertex>\n${moved}`,
    );
  };
}
