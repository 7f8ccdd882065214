// Which part of the plane is on the screen, and how pointers, wheel and keys move it.

const STEP = 0.15; // of the screen, by an arrow key
const STILL = 6; // pixels that a pointer may move and still be a click

export class View {
  // `inside` tells that the wheel moves what is around, unless the map has the focus.
  constructor(canvas, on, inside) {
    Object.assign(this, { canvas, on, inside, x: 0, y: 0, scale: 1, wide: 1, high: 1, ratio: 1, below: 0, pointers: new Map(), moved: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => on.leave());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  // The box of all points: half of its width and height.
  setBox(halfWide, halfHigh) {
    this.half = [halfWide || 1, halfHigh || halfWide || 1];
  }

  // `below` is what the legend hides.
  resize(wide, high, ratio, below) {
    const first = this.wide === 1;
    Object.assign(this, { wide: Math.max(wide, 1), high: Math.max(high, 1), ratio, below });
    if (first && this.half) this.fit();
  }

  fit() {
    const below = Math.min(this.below, this.high / 3);
    this.least = 0.94 * Math.min(this.wide / (2 * this.half[0]), (this.high - below) / (2 * this.half[1]));
    this.scale = this.least;
    this.x = 0;
    this.y = -below / 2 / this.scale;
    this.on.change();
  }

  toScreen(x, y) {
    return [this.wide / 2 + (x - this.x) * this.scale, this.high / 2 - (y - this.y) * this.scale];
  }

  toPlane(left, top) {
    return [this.x + (left - this.wide / 2) / this.scale, this.y - (top - this.high / 2) / this.scale];
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  pan(right, down) {
    this.x -= right / this.scale;
    this.y += down / this.scale;
    this.on.change();
  }

  zoom(factor, left = this.wide / 2, top = this.high / 2) {
    const [x, y] = this.toPlane(left, top);
    this.scale = Math.min(Math.max(this.scale * factor, this.least / 4), this.least * 4096);
    this.x = x - (left - this.wide / 2) / this.scale;
    this.y = y + (top - this.high / 2) / this.scale;
    this.on.change();
  }

  // Move so that a point is on the screen, if it is not.
  show(x, y) {
    const [left, top] = this.toScreen(x, y);
    if (left > 30 && top > 40 && left < this.wide - 30 && top < this.high - 30) return;
    Object.assign(this, { x, y });
    this.on.change();
  }

  down(event) {
    if (event.button > 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    if (!this.pointers.size) Object.assign(this, { moved: false, began: this.place(event) });
    else this.moved = true; // two fingers never click
    this.pointers.set(event.pointerId, this.place(event));
  }

  move(event) {
    const now = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") this.on.hover(...now);
      return;
    }
    if (!this.moved && Math.hypot(now[0] - this.began[0], now[1] - this.began[1]) < STILL) return;
    this.moved = true;
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    else this.pan(now[0] - before[0], now[1] - before[1]);
    this.pointers.set(event.pointerId, now);
  }

  pinch(id, before, now) {
    const [, other] = [...this.pointers].find(([pointer]) => pointer !== id);
    const gap = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 1);
    const middle = (point) => [(point[0] + other[0]) / 2, (point[1] + other[1]) / 2];
    const [from, to] = [middle(before), middle(now)];
    this.pan(to[0] - from[0], to[1] - from[1]);
    this.zoom(gap(now) / gap(before), ...to);
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId) || this.moved || event.type === "pointercancel") return;
    this.on.click(...this.toPlane(...this.place(event)));
  }

  wheel(event) {
    if (this.inside && !event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    this.zoom(Math.exp(-Math.max(Math.min(event.deltaY * lines, 300), -300) / 400), ...this.place(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEP * Math.min(this.wide, this.high);
    const keys = {
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5),
      0: () => this.fit(), Home: () => this.fit(),
      Enter: () => this.on.click(this.x, this.y), b: () => this.on.target(this.x, this.y),
      B: () => this.on.target(this.x, this.y), Escape: () => this.on.escape(),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }
}
