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
  background: 0xf4f5f7,
  ground: 0xe6e8ec,
  grid: 0x9aa3b2,
  obstacle: 0xa9afb8,
  line: 0x4a4f5a,
  wire: 0x1d2430,
  rest: 0x5a6b8c,
  pin: 0x2c3442,
  accent: 0x2f6bd8,
  outline: 0xffffff,
  shadow: 0.22,
  sky: 0xffffff,
  earth: 0xb9b4ac,
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

/** One colour per body, calm and easy to distinguish; they start again after the last. */
export const BODIES = [0xd08770, 0x6c9bc4, 0x8fae7b, 0xc9a55c, 0xa888b5, 0x5fa8a0, 0xc77f93, 0x8a90a6];

/** Of contacts: at rest on each other, sliding, not distinguished. */
export const STICKING = 0x1c9c8a;
export const SLIDING = 0xe8743b;
export const CONTACT = 0xd6456b;
