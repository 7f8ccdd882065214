// How many vertices lie at which distance, as bars in the colours of the map; and the legend of these colours.

import { css, shade } from "./colours.js";
import { count, readable, short, ticks } from "./numbers.js";

const WIDE = 300;
const HIGH = 100;
const NAMESPACE = "http://www.w3.org/2000/svg";
const MARGIN = 0.06; // of an axis, within which a text does not stick out
const GAP = 4; // pixels between two labels

export function drawChart(box, shown, theme, limit, steps) {
  const what = shown.what === "edge" ? ["edge"] : ["vertex", "vertices"];
  const svg = element("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", preserveAspectRatio: "none" });
  const { factor, unit } = readable(shown.unit, shown.high);
  const most = Math.max(...shown.chart, 1);
  const wide = WIDE / shown.chart.length;
  shown.chart.forEach((number, i) => {
    const high = number ? Math.max((HIGH * number) / most, 1.5) : 0;
    const colour = css(shade(theme, (i + 0.5) / shown.chart.length, limit, steps));
    svg.append(element("rect", { x: i * wide, y: HIGH - high, width: wide - 0.6, height: high, fill: colour }));
  });
  if (limit < 1) svg.append(element("line", { x1: limit * WIDE, x2: limit * WIDE, y1: 0, y2: HIGH }));
  const busiest = shown.chart.indexOf(most);
  const from = shown.low + ((shown.high - shown.low) * busiest) / shown.chart.length;
  svg.setAttribute("aria-label", `${count(shown.count, ...what)}, from ${short(shown.low / factor)} to ${short(shown.high / factor)} ${unit}; ` +
    `most of them near ${short(from / factor)} ${unit}`);
  const axis = Object.assign(document.createElement("p"), { className: "axis" });
  const note = Object.assign(document.createElement("p"), { className: "faint" });
  note.textContent = `The highest bar has ${count(Math.max(...shown.chart), ...what)}.`;
  box.replaceChildren(svg, axis, note);
  drawAxis(axis, shown.low, shown.high, shown.unit); // on the page, where its labels have a width
}

// The colours up to the limit, over an axis of round numbers.
export function drawLegend(ramp, axis, shown, theme, limit, steps) {
  const parts = steps || 64;
  const stops = Array.from({ length: parts }, (_, i) => `${css(shade(theme, ((i + 0.5) / parts) * limit, limit, steps))} ` +
    (steps ? `${(100 * i) / parts}% ${(100 * (i + 1)) / parts}%` : `${(100 * i) / (parts - 1)}%`));
  ramp.style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
  drawAxis(axis, shown.low, shown.low + (shown.high - shown.low) * limit, shown.unit);
}

function drawAxis(axis, low, high, unit) {
  const { marks, unit: fit } = ticks(low, high, unit);
  axis.replaceChildren(...marks.map(({ at, text }, i) => {
    const label = document.createElement("span");
    label.textContent = i === marks.length - 1 ? `${text} ${fit}`.trim() : text;
    label.style.left = `${100 * at}%`;
    label.style.transform = `translateX(${at < MARGIN ? 0 : at > 1 - 2 * MARGIN ? -100 : -50}%)`;
    return label;
  }));
  leaveRoom([...axis.children]);
}

// Take out labels that would touch the next one. The last one stays, as it has the unit.
function leaveRoom(labels) {
  const boxes = labels.map((label) => label.getBoundingClientRect());
  let next = Infinity;
  for (let i = labels.length - 1; i >= 0; i--) {
    if (boxes[i].width && boxes[i].right + GAP > next) labels[i].remove();
    else next = boxes[i].left;
  }
}

function element(name, facts) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [fact, value] of Object.entries(facts)) made.setAttribute(fact, value);
  return made;
}
