// Numbers as people read them: short, with a unit that fits, in the same steps as the pictures of nearfar.

const SMALLER = { // unit: from this value on, divided by this, another unit
  ms: [1e4, 1e3, "s"], s: [180, 60, "min"], min: [300, 60, "h"],
  cm: [1e3, 100, "m"], dm: [1e3, 10, "m"], m: [5e3, 1e3, "km"],
};

export function readable(unit, greatest) {
  let factor = 1;
  while (unit in SMALLER && greatest / factor >= SMALLER[unit][0]) {
    const [, divisor, next] = SMALLER[unit];
    factor *= divisor;
    unit = next;
  }
  return { factor, unit: unit || "" };
}

export function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-4) return value.toExponential(2);
  if (size >= 1000) return value.toLocaleString("en", { maximumFractionDigits: 0 });
  return value.toLocaleString("en", { maximumSignificantDigits: size >= 100 ? 4 : 3 });
}

export function withUnit(value, unit) {
  const fit = readable(unit, Math.abs(value));
  return `${short(value / fit.factor)} ${fit.unit}`.trim();
}

export function time(seconds) {
  return seconds < 1 ? `${short(seconds * 1000)} ms` : `${short(seconds)} s`;
}

export function count(number, one, several = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : several}`;
}

export function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

// Round numbers between two ends, at most `most` steps of 1, 2 or 5: where each is, from 0 to 1, and its text.
export function ticks(low, high, unit, most = 6) {
  const fit = readable(unit, high);
  const [from, to] = [low / fit.factor, high / fit.factor];
  if (!(to > from)) return { unit: fit.unit, marks: [{ at: 0, text: short(from) }] };
  const power = 10 ** Math.floor(Math.log10((to - from) / most));
  const step = power * [1, 2, 5, 10].find((times) => to - from <= most * times * power);
  const first = Math.ceil(from / step - 1e-9);
  const several = Math.floor(to / step + 1e-9) - first + 1;
  const marks = Array.from({ length: several }, (_, i) => ({ at: ((first + i) * step - from) / (to - from), text: round((first + i) * step, step) }));
  return { unit: fit.unit, marks };
}

// A multiple of a step, without the digits that come from adding up.
function round(value, step) {
  if (value === 0) return "0";
  if (step >= 1e4) return value.toLocaleString("en", { notation: "compact" });
  if (step < 1e-4) return value.toExponential(0);
  return value.toLocaleString("en", { maximumFractionDigits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) });
}
