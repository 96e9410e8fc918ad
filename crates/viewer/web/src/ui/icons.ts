// The signs of the buttons, as paths in a square of 20.

export const PLAY = "M6 4l10 6-10 6z";
export const PAUSE = "M6 4h3v12H6zM11 4h3v12h-3z";
export const STEP = "M5 4l7 6-7 6zM13.5 4h2.5v12h-2.5z";
export const BACK = "M15 4l-7 6 7 6zM4 4h2.5v12H4z";
export const RESET = "M4.5 8.5A6 6 0 1 1 4 11M4 4v4.5h4.5";
export const PANEL = "M3 4h14v12H3M12.5 4v12";
export const FIT = "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4";
export const PICTURE = "M3 6h3l1.5-2h5L14 6h3v10H3V6M10 13.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6";
export const FILM = "M3 6h9v8H3V6M12 9.5l5-3v7l-5-3";
export const SHAPE = "M10 3l6 3.5v7L10 17l-6-3.5v-7L10 3M4 6.5l6 3.5 6-3.5M10 10v7";
export const KEEP = "M10 11.5V17M6.5 3.5h7l-1 5 2 3h-9l2-3-1-5";
export const RELEASE = "M4 4l12 12M16 4L4 16";
export const THEME = "M10 3a7 7 0 1 0 7 7 5.2 5.2 0 0 1-7-7";
export const HELP =
  "M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.2v.3M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15";
export const CLOSE = "M5 5l10 10M15 5L5 15";
export const LOOP = "M4 9V8a2 2 0 0 1 2-2h9M12.5 3.5L15 6l-2.5 2.5M16 11v1a2 2 0 0 1-2 2H5M7.5 16.5L5 14l2.5-2.5";
export const DOWN = "M5 8l5 5 5-5";
