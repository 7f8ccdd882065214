// How many vertices lie at which distance, as bars in the colours of the map.

import { css, shade } from "./colours.js";
import { count, readable, short } from "./numbers.js";

const WIDE = 300;
const HIGH = 100;
const NAMESPACE = "http://www.w3.org/2000/svg";

export function drawChart(box, shown, theme, limit, steps) {
  const what = shown.what === "edge" ? ["edge"] : ["vertex", "vertices"];
  const svg = element("svg", { viewBox: `0 0 ${WIDE} ${HIGH + 16}`, role: "img", preserveAspectRatio: "none" });
  const { factor, unit } = readable(shown.unit, shown.high);
  const most = Math.max(...shown.chart, 1);
  const wide = WIDE / shown.chart.length;
  shown.chart.forEach((number, i) => {
    const high = number ? Math.max((HIGH * number) / most, 1) : 0;
    const colour = css(shade(theme, (i + 0.5) / shown.chart.length, limit, steps));
    svg.append(element("rect", { x: i * wide, y: HIGH - high, width: wide - 0.6, height: high, fill: colour }));
  });
  if (limit < 1) svg.append(element("line", { x1: limit * WIDE, x2: limit * WIDE, y1: 0, y2: HIGH }));
  const busiest = shown.chart.indexOf(most);
  const from = shown.low + ((shown.high - shown.low) * busiest) / shown.chart.length;
  svg.setAttribute("aria-label", `${count(shown.count, ...what)}, from ${short(shown.low / factor)} to ${short(shown.high / factor)} ${unit}; ` +
    `most of them near ${short(from / factor)} ${unit}`);
  const ends = document.createElement("p");
  ends.className = "faint";
  ends.textContent = `${short(shown.low / factor)} to ${short(shown.high / factor)} ${unit}; the highest bar has ${count(Math.max(...shown.chart), ...what)}`;
  box.replaceChildren(svg, ends);
}

function element(name, facts) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [fact, value] of Object.entries(facts)) made.setAttribute(fact, value);
  return made;
}
