// The colour map plasma (by Nathaniel J. Smith and Stefan van der Walt, CC0) at 33 even steps, and what is not data.
// Each theme takes the part of the map that stands out from its ground, as the pictures of nearfar do.

const PLASMA = (
  "0d0887 220690 310597 3f049c 4c02a1 5901a5 6600a7 7201a8 7e03a8 8a09a5 9511a1 " +
  "a01a9c aa2395 b32c8e bc3587 c43e7f cc4778 d35171 da5a6a e06363 e66c5c eb7655 " +
  "f0804e f58b47 f89540 fba139 fdac33 feb82c fdc527 fcd225 f8df25 f4ed27 f0f921 "
).trim().split(" ").map((hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)));

const THEMES = {
  light: { span: [0, 0.86], none: [211, 214, 218], path: [16, 20, 24], edge: [255, 255, 255] },
  dark: { span: [1, 0.28], none: [61, 69, 78], path: [255, 255, 255], edge: [18, 22, 27] },
};

export function themeOf(name) {
  const theme = THEMES[name];
  return { ...theme, name, ramp: Array.from({ length: 256 }, (_, i) => colourAt(theme, i / 255)) };
}

function colourAt({ span: [low, high] }, share) {
  const place = (low + (high - low) * share) * (PLASMA.length - 1);
  const at = Math.min(Math.floor(place), PLASMA.length - 2);
  return PLASMA[at].map((value, c) => Math.round(value + (PLASMA[at + 1][c] - value) * (place - at)));
}

export function css(colour) {
  return `rgb(${colour.join(" ")})`;
}

// The colour of a share of the greatest distance, with a limit and bands; the shader of drawing.js does the same.
export function shade(theme, share, limit, steps) {
  if (share > limit) return theme.none;
  const inside = share / limit;
  const at = steps ? (Math.min(Math.floor(inside * steps), steps - 1) + 0.5) / steps : inside;
  return theme.ramp[Math.round(at * 255)];
}
