// Opens a GLB independently of pliant: `node glb.mjs validate FILE`, or `node glb.mjs play TIMES FILE`, prints JSON.
//
// `play` gives what three.js shows at each of the times: for each node of the scene the corners of its triangles in the
// world, nodes of no size left out.
import { readFileSync } from "node:fs";
import { AnimationMixer, LoopOnce, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import validator from "gltf-validator";

const [command, ...rest] = process.argv.slice(2);
const bytes = readFileSync(rest.at(-1));
const print = (value) => process.stdout.write(JSON.stringify(value));

if (command === "validate") {
    print(await validator.validateBytes(new Uint8Array(bytes)));
} else {
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const gltf = await new Promise((done, fail) => new GLTFLoader().parse(data, "", done, fail));
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[0]);
    action.setLoop(LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    print(rest[0].split(",").map((time) => shown(gltf.scene, mixer, Number(time))));
}

function shown(scene, mixer, time) {
    mixer.setTime(time);
    scene.updateMatrixWorld(true);
    const corners = {};
    // The one node in the scene turns the axes; what is below it are the objects.
    for (const object of scene.children[0].children) {
        const list = [];
        object.traverse((mesh) => {
            if (mesh.isMesh && mesh.matrixWorld.determinant() !== 0) list.push(...cornersOf(mesh));
        });
        corners[object.userData.name ?? object.name] = list;
    }
    return corners;
}

function cornersOf(mesh) {
    const place = new Vector3();
    // Applies the morph targets with their present weights.
    return Array.from(mesh.geometry.index.array).flatMap((vertex) =>
        mesh.getVertexPosition(vertex, place).applyMatrix4(mesh.matrixWorld).toArray());
}
