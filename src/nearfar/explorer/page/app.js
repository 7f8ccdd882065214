// The page: what is shown, what it follows from, and which questions it asks. `start` begins it in an element.

import { drawChart, drawLegend } from "./chart.js";
import { themeOf } from "./colours.js";
import { NetworkMap, SWELL } from "./map.js";
import { Metrics } from "./metrics.js";
import { capital, count, time, withUnit } from "./numbers.js";
import { Search } from "./search.js";
import { Latest, numbers } from "./server.js";
import { Table } from "./table.js";

const REACH = 40; // pixels within which a vertex is hovered over

// `ask(what, query, signal)` answers questions; `theme` is light or dark, else what was chosen before, or the system's;
// `inside` tells that the page is a part of another, which the wheel may have to move.
export async function start(root, ask, { theme = null, inside = false } = {}) {
  const page = new Page(root, ask, theme, inside);
  try {
    await page.load();
  } catch (error) {
    page.fail(error);
  }
  return page;
}

class Page {
  constructor(root, ask, theme, inside) {
    Object.assign(this, { root, ask, inside, source: null, target: null, shown: null, rows: new Latest(), paths: new Latest(), hovers: new Latest() });
    this.part = (id) => root.querySelector(`[data-id="${id}"]`);
    this.listen();
    this.setTheme(theme || remembered() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  }

  async load() {
    const { facts } = await this.ask("facts");
    this.facts = facts;
    this.part("title").textContent = facts.name;
    this.part("size").textContent = `${count(facts.vertices, "vertex", "vertices")}, ${count(facts.arcs, "arc")}`;
    this.part("note").textContent = facts.note && `, ${facts.note}`;
    fill(this.part("method"), facts.methods.map((name) => [name, name]));
    fill(this.part("measure"), [["distance", "distance"], ...facts.measures.map(({ name, label }) => [name, label])]);
    this.table = new Table(this.part, (query) => this.lines(query), { source: (v) => this.setSource({ source: v }), target: (v) => this.setTarget({ target: v }) });
    this.table.unit = facts.unit;
    this.search = new Search(this.part, this.ask, (v) => this.choose(v));
    if (facts.map) await this.loadMap();
    else this.withoutMap(facts.why_not);
    if (facts.start !== null) await this.setSource({ source: facts.start });
    const { facts: found } = await this.ask("devices");
    fill(this.part("device"), found.devices.map(({ name, label }) => [name, label ? `${name}: ${label}` : name]));
  }

  async loadMap() {
    const arrays = Promise.all([this.ask("points"), this.ask("edges")]);
    try {
      this.map = new NetworkMap(this.part, {
        click: (x, y) => this.set(this.part("sets-target").checked ? "target" : "source", { x, y }),
        target: (x, y) => this.setTarget({ x, y }),
        hover: (x, y) => this.hover(x, y),
        leave: () => this.endHover(),
        escape: () => this.clear(),
        drag: (which, x, y) => this.drag(which, x, y),
        step: (which, vertex) => this.set(which, { [which]: vertex }),
      }, this.inside);
    } catch {
      this.withoutMap("This browser has no WebGL2, which the map needs. The table shows the same distances.");
      await arrays;
      return;
    }
    const [points, edges] = await arrays;
    this.part("legend").hidden = false; // what is shown leaves room for it
    this.map.setTheme(this.theme);
    this.map.setNetwork(numbers(points, Float32Array), numbers(edges, Uint32Array), this.facts.metres);
  }

  withoutMap(why) {
    this.root.classList.add("no-map");
    this.part("place").hidden = true;
    this.part("message").hidden = false;
    this.part("message").textContent = why;
    this.part("table-box").open = true;
  }

  listen() {
    const { part } = this;
    part("theme").onclick = () => this.setTheme(this.theme.name === "dark" ? "light" : "dark", true);
    for (const id of ["method", "device", "direction"]) part(id).onchange = () => this.again();
    this.metrics = new Metrics(this);
    part("measure").onchange = () => this.metrics.choose(part("measure").value);
    for (const id of ["limit", "steps"]) part(id).oninput = () => this.setLimits();
    part("clear").onclick = () => this.clear();
    part("sets-source").name = part("sets-target").name = `sets-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    part("stop").onclick = () => this.metrics.stop();
  }

  set(which, where) {
    return which === "source" ? this.setSource(where) : this.setTarget(where);
  }

  query(more) {
    return { ...more, method: this.part("method").value, device: this.part("device").value, direction: this.part("direction").value };
  }

  // Show the distances of a source: a vertex, or what is nearest to a point.
  setSource(where) {
    const began = performance.now();
    return this.rows.run(() => this.safely(async () => {
      const late = setTimeout(() => this.say("Searching"), 300);
      const answer = await this.ask("row", this.query(where)).finally(() => clearTimeout(late));
      const { facts } = answer;
      const moved = this.source !== facts.source;
      this.source = facts.source;
      this.row = { ...facts, unit: this.facts.unit, bands: numbers(answer, Uint16Array) };
      this.part("from").textContent = facts.name;
      this.part("source").setAttribute("aria-label", `Source: ${facts.name}. Arrow keys move it.`);
      if (moved && !this.dragging) this.endHover();
      this.map?.setPin("source", this.source);
      if (this.dragging === "source") this.keepPin();
      if (this.part("measure").value === "distance") await this.show(this.row, "distance", "vertex");
      this.root.dataset.rows = Number(this.root.dataset.rows || 0) + 1;
      this.root.dataset.took = performance.now() - began;
      const reached = this.part("direction").value === "from" ? "reached" : "reach it";
      this.say(`${count(facts.count, "vertex", "vertices")} ${reached}, up to ${withUnit(facts.high, this.facts.unit)}`);
      this.ran(facts);
      this.part("answer").hidden = false;
      if (this.target !== null) await this.findPath({ target: this.target });
      await this.table.refresh();
    }));
  }

  // Ask the same again with another method, device or direction.
  again() {
    if (this.source !== null) this.setSource({ source: this.source });
  }

  setTarget(where) {
    return this.paths.run(() => this.safely(() => this.findPath(where)));
  }

  async findPath(where) {
    if (this.source === null) return;
    const answer = await this.ask("path", this.query({ source: this.source, ...where }));
    const { facts } = answer;
    this.target = facts.target;
    this.part("target").setAttribute("aria-label", `Target: ${facts.name}. Arrow keys move it.`);
    this.part("to").textContent = facts.name;
    const found = facts.distance !== null;
    const arcs = Object.assign(document.createElement("small"), { textContent: found ? count(facts.arcs, "arc") : "" });
    this.part("distance").replaceChildren(found ? `${withUnit(facts.distance, this.facts.unit)} ` : "no path", arcs);
    for (const id of ["to-line", "distance"]) this.part(id).hidden = false;
    this.part("way").hidden = !found;
    this.part("names").replaceChildren(...(facts.names || []).map((name) => {
      const item = document.createElement("li");
      item.textContent = name;
      return item;
    }));
    this.endHover();
    this.map?.setPath("path", numbers(answer, Uint32Array));
    this.map?.setPin("target", this.target);
    if (this.dragging === "target") this.keepPin();
    this.root.dataset.paths = Number(this.root.dataset.paths || 0) + 1;
  }

  clear() {
    this.paths.drop();
    this.target = null;
    for (const id of ["to", "distance"]) this.part(id).textContent = "";
    for (const id of ["way", "to-line", "distance"]) this.part(id).hidden = true;
    this.map?.setPath("path", []);
    this.map?.setPin("target", null);
    this.say("B removed");
  }

  // What a search found: the source or the target, on the screen.
  async choose(vertex) {
    const which = this.part("sets-target").checked ? "target" : "source";
    await this.set(which, { [which]: vertex });
    if (this.map) this.map.view.show(...this.map.pointOf(vertex));
  }

  hover(x, y) {
    if (this.source === null || this.dragging) return;
    this.hovered = [x, y];
    this.hovers.run(() => this.safely(async () => {
      const answer = await this.ask("path", this.query({ source: this.source, x, y }));
      if (!this.hovered || this.dragging) return;
      const { view } = this.map;
      const [left, top] = view.toScreen(...this.hovered);
      const [there, above] = view.toScreen(...this.map.pointOf(answer.facts.target));
      const near = Math.hypot(there - left, above - top) <= REACH;
      const { facts } = answer;
      this.map.setPath("hover", near ? numbers(answer, Uint32Array) : []);
      const far = facts.distance === null ? "no path" : withUnit(facts.distance, this.facts.unit);
      this.map.showTip(near ? `${facts.name}: ${far}` : "", left, top);
      this.root.dataset.hovers = Number(this.root.dataset.hovers || 0) + 1;
    }));
  }

  endHover() {
    this.hovered = null;
    this.hovers.drop();
    this.map?.setPath("hover", []);
    this.map?.showTip("", 0, 0);
  }

  // A pin is held at a point, or let go where `x` is null: it then stands on its vertex.
  drag(which, x, y) {
    if (x === null) {
      this.dragging = null;
      this.map.setPin(which, which === "source" ? this.source : this.target);
      return;
    }
    if (y === undefined) return;
    this.dragging = this.part(which).matches(":active") ? which : null;
    this.held = [x, y];
    this.set(which, { x, y });
  }

  keepPin() {
    this.map.shownAt[this.dragging] = this.held;
  }

  async showDistance() {
    if (this.row) await this.show(this.row, "distance", "vertex");
  }

  // Colour the map, the legend and the chart by what was found; done when it is on the screen.
  async show(shown, title, what) {
    this.shown = { ...shown, title, what };
    if (what === "edge") this.map?.colourEdges(shown.bands);
    else this.map?.colourVertices(shown.bands, title === "betweenness" ? SWELL : 0);
    this.setLimits();
    this.part("chart-title").textContent = { distance: "Distances" }[title] || capital(title);
    if (this.map && !document.hidden) await new Promise((done) => this.map.redraw(done));
  }

  setLimits() {
    const { shown, part, theme } = this;
    if (!shown) return;
    const limit = Number(part("limit").value) / 200;
    const steps = Number(part("steps").value);
    const end = shown.low + (shown.high - shown.low) * limit;
    part("limit-label").textContent = limit === 1 ? "none" : withUnit(end, shown.unit);
    part("limit").setAttribute("aria-valuetext", part("limit-label").textContent);
    if (this.map) {
      Object.assign(this.map.look, { limit, steps });
      this.map.redraw();
    }
    const towards = part("direction").value === "from" ? "Distance from A" : "Distance to A";
    part("legend-title").textContent = shown.title === "distance" ? towards : capital(shown.title);
    part("grey").textContent = "out of reach";
    part("grey").hidden = limit === 1 && (shown.what === "edge" || shown.count === this.facts.vertices);
    drawLegend(part("ramp"), part("ticks"), shown, theme, limit, steps);
    drawChart(part("chart"), shown, theme, limit, steps);
  }

  setTheme(name, keep = false) {
    this.theme = themeOf(name);
    this.root.dataset.theme = name;
    this.part("theme").setAttribute("aria-pressed", name === "dark");
    if (keep) remember(name);
    this.map?.setTheme(this.theme);
    this.setLimits();
  }

  async lines(query) {
    if (this.source === null) return null;
    try {
      return (await this.ask("near", this.query({ source: this.source, ...query }))).facts;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  ran(facts) {
    this.part("ran").textContent = `${facts.method || ""} on ${facts.device || "cpu"}: ${time(facts.seconds)}`;
  }

  say(text) {
    this.part("status").textContent = text;
    this.part("message").hidden = !this.root.classList.contains("no-map");
  }

  async safely(task) {
    try {
      await task();
    } catch (error) {
      this.fail(error);
    }
  }

  // Give back what a browser has few of; nothing is asked or drawn any more.
  end() {
    this.metrics.stop();
    for (const line of [this.rows, this.paths, this.hovers]) line.drop();
    this.map?.end();
  }

  fail(error) {
    this.part("status").textContent = error.message;
    this.part("message").textContent = error.message;
    this.part("message").hidden = false;
    this.root.dataset.failed = error.message;
  }
}

function fill(select, choices) {
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
}

function remembered() {
  try {
    return localStorage.getItem("nearfar-theme");
  } catch {
    return null; // a browser may refuse to keep anything
  }
}

function remember(name) {
  try {
    localStorage.setItem("nearfar-theme", name);
  } catch {
    // it is only forgotten
  }
}
