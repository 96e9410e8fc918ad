// The colours of the picture, for light and dark.

export interface Palette {
  background: number;
  ground: number;
  grid: number;
  obstacle: number;
  line: number;
  wire: number;
  rest: number;
  pin: number;
  accent: number;
  outline: number;
  shadow: number;
  sky: number;
  earth: number;
}

export const LIGHT: Palette = {
  background: 0xe9eef5,
  ground: 0xf3f5f8,
  grid: 0xa9b4c4,
  obstacle: 0xb9b3a8,
  line: 0x4a4f5a,
  wire: 0x1d2430,
  rest: 0x5a6b8c,
  pin: 0x2c3442,
  accent: 0x2f6bd8,
  outline: 0xffffff,
  shadow: 0.22,
  sky: 0xffffff,
  earth: 0xd9d2c8,
};

export const DARK: Palette = {
  background: 0x16191f,
  ground: 0x20242c,
  grid: 0x5a6475,
  obstacle: 0x6d747f,
  line: 0xc9ced8,
  wire: 0x0c0f14,
  rest: 0x9fb2d8,
  pin: 0xe8ecf3,
  accent: 0x6ea0ff,
  outline: 0x16191f,
  shadow: 0.4,
  sky: 0xdfe6f2,
  earth: 0x5c5a58,
};

/** One colour per body, those of rendered pictures too; they start again after the last. */
export const BODIES = [0xe26d4f, 0x3a86b6, 0xecb042, 0x499e84, 0x966fb2, 0xd6799e, 0x80a34a, 0x6e7e94];

/** Of contacts: at rest on each other, sliding, not distinguished. */
export const STICKING = 0x1c9c8a;
export const SLIDING = 0xf6c915;
export const CONTACT = 0xb5179e;
