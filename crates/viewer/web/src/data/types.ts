// The shapes of what server and page say to each other; the text is in ../../../PROTOCOL.md.

export type Vector = [number, number, number];

export interface Camera {
  direction: Vector;
  target: Vector | null;
  distance: number | null;
  field_of_view: number;
}

export interface Light {
  direction: Vector;
  color: Vector;
  intensity: number;
}

export interface Layout {
  name: string;
  description: string;
  solver: string;
  variant: string | null;
  dt: number;
  bodies: { name: string; vertices: number; triangles: number }[];
  obstacles: { name: string; plane: boolean; points: number; triangles: number }[];
  lines: { name: string; points: number }[];
  pins: number[];
  camera: Camera;
  lights: Light[];
}

export interface SceneEntry {
  name: string;
  description: string;
  source: string;
  variants: string[];
  default_variant: string | null;
}

export interface Hello {
  kind: "hello";
  pliant: string;
  mode: "live" | "recording";
  client: number;
  scenes: SceneEntry[];
  solvers: { kind: string; available: boolean }[];
}

export type ControlValue = number | Vector;

export interface Control {
  id: string;
  group: string;
  label: string;
  unit: string;
  value: ControlValue;
  min: number;
  max: number;
  log: boolean;
  integer: boolean;
  effect: "live" | "rebuild";
}

export type ParameterValue = number | string | boolean;

export interface Parameter {
  name: string;
  value: ParameterValue;
}

export interface SceneBuilt {
  kind: "scene";
  generation: number;
  layout: Layout;
  controls: Control[];
  parameters: Parameter[];
  variants: string[];
  vertices: number;
  elements: number;
  duration: number;
  /** The probes of the scene, how many numbers each has, and their unit. */
  probes?: { name: string; size: number; unit: string }[];
  notes: string[];
}

export interface Hold {
  id: number;
  client: number;
  vertex: number;
  target: Vector;
  force: Vector;
  /** Whether it stays when its client goes. */
  kept?: boolean;
}

/** Something that speaks against the results of a simulation. */
export interface Finding {
  kind: string;
  level: "doubtful" | "failed";
  tolerated: boolean;
  what: string;
  where: string;
  remedy: string;
}

export interface Stats {
  kind: "stats";
  step: number;
  time: number;
  playing: boolean;
  speed: number | null;
  finished: boolean;
  real_time_factor: number | null;
  step_ms: number | null;
  stages: Record<string, number>;
  contacts: number;
  rows: number;
  sticking: number;
  sliding: number;
  residual: number | null;
  iterations: number | null;
  penetration: number;
  energy: { kinetic: number; elastic: number; potential: number };
  /** The values of each probe: one, or three of a vector. */
  probes?: number[][];
  holds: Hold[];
  clients: number;
  /** Whether the results can be trusted, and what speaks against them. */
  verdict?: "ok" | "doubtful" | "failed";
  warnings?: Finding[];
  /** What the page itself counted in a frame of a recording. */
  counted?: Counted;
}

export interface Counted {
  /** Sum of the sizes of all contact forces, in N. */
  force: number;
  /** Highest von Mises stress in Pa, if the frame has stresses. */
  stress: number | null;
  /** Highest equivalent strain, if the frame has strains. */
  strain: number | null;
}

export interface Applied {
  kind: "applied";
  control: string;
  value: ControlValue;
  effect: "live" | "rebuild";
  took_ms: number;
}

export interface Failure {
  kind: "error";
  at: string;
  text: string;
}

export type FromServer =
  | Hello
  | SceneBuilt
  | Stats
  | Applied
  | Failure
  | { kind: "busy"; text: string }
  | { kind: "ready" };

export type ToServer =
  | { kind: "ack"; frame: number }
  | { kind: "play" | "pause" | "reset" | "release_all" }
  | { kind: "step"; count: number }
  | { kind: "speed"; factor: number | null }
  | { kind: "load"; scene: string; variant: string | null; solver: string | null }
  | { kind: "set"; control: string; value: ControlValue }
  | { kind: "parameter"; name: string; value: ParameterValue }
  | { kind: "hold"; id: number; vertex: number; target: Vector }
  | { kind: "move"; id: number; target: Vector }
  | { kind: "release" | "keep"; id: number }
  | { kind: "show"; stress: boolean; strain: boolean; contacts: boolean };
