// The map: the drawing, the view on it, the two pins, the ruler; what happens on it is told to the page.

import { Drawing } from "./drawing.js";
import { withUnit } from "./numbers.js";
import { View } from "./view.js";

const DOTS = 2000; // vertices up to which they are drawn as dots
const NONE = 65535;
export const SWELL = 8; // pixels that the greatest number makes a line wider
const MARGIN = 12; // pixels around the legend
const STEP = 8; // pixels that an arrow key moves a pin at least

export class NetworkMap {
  // `part(id)` finds the elements; `on` has click, hover, leave, target, escape, drag (which, x, y), step (which, vertex).
  constructor(part, on, inside) {
    this.part = part;
    this.canvas = part("canvas");
    this.drawing = new Drawing(this.canvas);
    this.look = { limit: 1, steps: 0, width: 1.6, swell: 0, dot: 5 };
    this.shownAt = {};
    this.asked = false;
    this.view = new View(this.canvas, { ...on, change: () => this.redraw(), hover: (left, top) => on.hover(...this.view.toPlane(left, top)) }, inside);
    for (const which of ["source", "target"]) this.watchPin(which, on);
    part("in").onclick = () => this.view.zoom(1.5);
    part("out").onclick = () => this.view.zoom(1 / 1.5);
    part("whole").onclick = () => this.view.fit();
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => this.restore());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(part("place"));
  }

  setNetwork(points, edges, metres) {
    Object.assign(this, { points, edges, metres });
    const far = [0, 0];
    for (let i = 0; i < points.length; i++) far[i & 1] = Math.max(far[i & 1], Math.abs(points[i]));
    this.ends = new Float32Array(2 * edges.length);
    for (let i = 0; i < edges.length; i++) {
      this.ends[2 * i] = points[2 * edges[i]];
      this.ends[2 * i + 1] = points[2 * edges[i] + 1];
    }
    this.spacing = meanLength(this.ends);
    this.edgeBands = new Uint16Array(edges.length).fill(NONE);
    this.view.setBox(...far);
    this.place();
    this.resize();
    this.view.fit();
  }

  place() {
    this.drawing.place("edges", this.ends);
    this.drawing.place("dots", this.hasDots() ? this.dotEnds() : new Float32Array(0));
  }

  hasDots() {
    return this.points.length / 2 <= DOTS;
  }

  dotEnds() {
    const ends = new Float32Array(2 * this.points.length);
    for (let v = 0; v < this.points.length / 2; v++) {
      const [x, y] = [this.points[2 * v], this.points[2 * v + 1]];
      ends.set([x, y, x, y], 4 * v);
    }
    return ends;
  }

  // Colour by numbers of vertices; what lies between has the colours between.
  colourVertices(bands, swell = 0) {
    const { edges, edgeBands } = this;
    for (let i = 0; i < edges.length; i++) edgeBands[i] = bands[edges[i]];
    this.drawing.colour("edges", edgeBands);
    this.dotBands = Uint16Array.from({ length: this.hasDots() ? 2 * bands.length : 0 }, (_, i) => bands[i >> 1]);
    this.drawing.colour("dots", this.dotBands);
    this.look.swell = swell;
    this.redraw();
  }

  // Colour edges by their own numbers, and draw them as wide as these are great.
  colourEdges(bands) {
    for (let i = 0; i < this.edgeBands.length; i++) this.edgeBands[i] = bands[i >> 1];
    this.drawing.colour("edges", this.edgeBands);
    this.dotBands = new Uint16Array(this.hasDots() ? this.points.length : 0).fill(NONE);
    this.drawing.colour("dots", this.dotBands);
    this.look.swell = SWELL;
    this.redraw();
  }

  setPath(name, vertices) {
    const ends = new Float32Array(4 * Math.max(vertices.length - 1, 0));
    for (let i = 0; i + 1 < vertices.length; i++) {
      ends.set([...this.pointOf(vertices[i]), ...this.pointOf(vertices[i + 1])], 4 * i);
    }
    this.drawing.place(name, ends);
    this.redraw();
  }

  pointOf(v) {
    return [this.points[2 * v], this.points[2 * v + 1]];
  }

  setTheme(theme) {
    this.theme = theme;
    this.drawing.setTheme(theme);
    this.redraw();
  }

  // Put a pin on a vertex, or take it away.
  setPin(which, vertex) {
    this.shownAt[which] = vertex === null ? null : this.pointOf(vertex);
    this.part(which).hidden = vertex === null;
    this.redraw();
  }

  showTip(text, left, top) {
    const tip = this.part("tip");
    tip.hidden = !text;
    tip.textContent = text;
    const across = left > this.view.wide / 2 ? left - tip.offsetWidth - 24 : left;
    tip.style.transform = `translate(${across}px, ${Math.min(top, this.view.high - 60)}px)`;
  }

  watchPin(which, { drag, step }) {
    const pin = this.part(which);
    let held = null;
    pin.addEventListener("pointerdown", (event) => {
      pin.setPointerCapture(event.pointerId);
      held = event.pointerId;
    });
    pin.addEventListener("pointermove", (event) => {
      if (event.pointerId !== held) return;
      const at = this.view.toPlane(...this.view.place(event));
      this.shownAt[which] = at;
      this.redraw();
      drag(which, ...at);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      pin.addEventListener(name, () => {
        if (held !== null) drag(which, null);
        held = null;
      });
    }
    pin.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!way) return;
      event.preventDefault();
      const next = this.beside(this.shownAt[which], way);
      if (next !== null) step(which, next);
    });
  }

  // The nearest vertex that lies in a direction and can be told apart on the screen, or null.
  beside([x, y], [right, up]) {
    const { points } = this;
    let [found, least] = [null, Infinity];
    for (let v = 0; v < points.length / 2; v++) {
      const [across, above] = [points[2 * v] - x, points[2 * v + 1] - y];
      const ahead = across * right + above * up;
      const aside = Math.abs(across * up - above * right);
      const far = ahead + aside;
      if (far < least && aside <= ahead && ahead * this.view.scale >= STEP) [found, least] = [v, far];
    }
    return found;
  }

  end() {
    this.observer.disconnect();
    this.ended = true;
    this.drawing.end();
  }

  resize() {
    const { clientWidth: wide, clientHeight: high } = this.part("place");
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    this.canvas.width = Math.max(Math.round(wide * ratio), 1);
    this.canvas.height = Math.max(Math.round(high * ratio), 1);
    this.view.resize(wide, high, ratio, this.part("legend").offsetHeight + MARGIN);
    this.redraw();
  }

  restore() {
    this.drawing = new Drawing(this.canvas);
    this.drawing.setTheme(this.theme);
    this.place();
    this.drawing.colour("edges", this.edgeBands);
    if (this.dotBands) this.drawing.colour("dots", this.dotBands);
    this.redraw();
  }

  // Draw before the screen is shown next, once for all that changed; `drawn` is then told.
  redraw(drawn = null) {
    if (drawn) (this.waiting ||= []).push(drawn);
    if (this.asked || this.ended || !this.points) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (!this.ended) this.draw();
      for (const tell of (this.waiting || []).splice(0)) tell();
    });
  }

  draw() {
    const zoomed = Math.max(Math.log2(this.view.scale / this.view.least), 0);
    const width = Math.min(1.4 + 0.35 * zoomed, 4);
    this.drawing.draw(this.view, { ...this.look, width, dot: Math.min(5 + zoomed, 0.3 * this.spacing * this.view.scale) });
    for (const [which, at] of Object.entries(this.shownAt)) {
      if (!at) continue;
      const [left, top] = this.view.toScreen(...at);
      this.part(which).style.transform = `translate(${left}px, ${top}px)`;
    }
    this.drawRuler();
  }

  drawRuler() {
    const ruler = this.part("ruler");
    ruler.hidden = !this.metres;
    if (!this.metres) return;
    const most = (120 * this.metres) / this.view.scale;
    const power = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].find((step) => step * power <= most) * power;
    ruler.style.width = `${(length / this.metres) * this.view.scale}px`;
    ruler.firstElementChild.textContent = length >= 1000 ? `${length / 1000} km` : withUnit(length, "m");
  }
}

// The length of an edge on average; dots that are larger than a part of it would hide the edges.
function meanLength(ends) {
  let sum = 0;
  for (let i = 0; i < ends.length; i += 4) sum += Math.hypot(ends[i + 2] - ends[i], ends[i + 3] - ends[i + 1]);
  return ends.length ? (4 * sum) / ends.length : Infinity;
}
