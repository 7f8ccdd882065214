// The page: what is shown, what it follows from, and which questions it asks. `start` begins it in an element.

import { drawChart } from "./chart.js";
import { css, shade, themeOf } from "./colours.js";
import { NetworkMap } from "./map.js";
import { count, readable, short, time, withUnit } from "./numbers.js";
import { Search } from "./search.js";
import { Latest, numbers } from "./server.js";
import { Table } from "./table.js";

const REACH = 40; // pixels within which a vertex is hovered over

export async function start(root, ask) {
  const page = new Page(root, ask);
  try {
    await page.load();
  } catch (error) {
    page.fail(error);
  }
  return page;
}

class Page {
  constructor(root, ask) {
    Object.assign(this, { root, ask, source: null, target: null, shown: null, rows: new Latest(), paths: new Latest(), hovers: new Latest() });
    this.part = (id) => root.querySelector(`[data-id="${id}"]`);
    this.listen();
    this.setTheme(remembered() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  }

  async load() {
    const { facts } = await this.ask("facts");
    this.facts = facts;
    this.part("title").textContent = facts.name;
    this.part("size").textContent = `${count(facts.vertices, "vertex", "vertices")}, ${count(facts.arcs, "arc")}${facts.note ? `, ${facts.note}` : ""}`;
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
        click: (x, y) => (this.part("sets-target").checked ? this.setTarget({ x, y }) : this.setSource({ x, y })),
        target: (x, y) => this.setTarget({ x, y }),
        hover: (x, y) => this.hover(x, y),
        leave: () => this.endHover(),
        escape: () => this.clear(),
        drag: (which, x, y) => this.drag(which, x, y),
      });
    } catch {
      this.withoutMap("This browser has no WebGL2, which the map needs. The table shows the same distances.");
      await arrays;
      return;
    }
    const [points, edges] = await arrays;
    this.map.setTheme(this.theme);
    this.map.setNetwork(numbers(points, Float32Array), numbers(edges, Uint32Array), this.facts.metres);
    this.part("legend").hidden = false;
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
    part("measure").onchange = () => this.setMeasure(part("measure").value);
    for (const id of ["limit", "steps"]) part(id).oninput = () => this.setLimits();
    part("clear").onclick = () => this.clear();
    part("sets-source").name = part("sets-target").name = `sets-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    part("stop").onclick = () => this.working?.abort();
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
      this.say(`From ${facts.name}: ${count(facts.count, "vertex", "vertices")} reached, up to ${withUnit(facts.high, this.facts.unit)}`);
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
    this.part("distance").textContent = found ? `${withUnit(facts.distance, this.facts.unit)}, ${count(facts.arcs, "arc")}` : "no path";
    for (const id of ["clear", "to-label", "distance-label"]) this.part(id).hidden = false;
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
    this.say(found ? `${withUnit(facts.distance, this.facts.unit)} to ${facts.name}` : `No path to ${facts.name}`);
  }

  clear() {
    this.paths.drop();
    this.target = null;
    for (const id of ["to", "distance"]) this.part(id).textContent = "";
    for (const id of ["clear", "way", "to-label", "distance-label"]) this.part(id).hidden = true;
    this.map?.setPath("path", []);
    this.map?.setPin("target", null);
    this.say("B removed");
  }

  // What a search found: the source or the target, on the screen.
  async choose(vertex) {
    const target = this.part("sets-target").checked;
    await (target ? this.setTarget({ target: vertex }) : this.setSource({ source: vertex }));
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
    if (which === "source") this.setSource({ x, y });
    else this.setTarget({ x, y });
  }

  keepPin() {
    this.map.shownAt[this.dragging] = this.held;
  }

  async setMeasure(name) {
    if (name === "distance") {
      if (this.row) await this.show(this.row, "distance", "vertex");
      return;
    }
    this.working = new AbortController();
    this.part("stop").hidden = false;
    this.say(`Finding ${name}`);
    try {
      const answer = await this.ask("measure", { name }, this.working.signal);
      const { facts } = answer;
      const unit = "";
      await this.show({ ...facts, unit, bands: numbers(answer, Uint16Array) }, name, facts.of === "edges" ? "edge" : "vertex");
      this.say(`${name}: from ${short(facts.low)} to ${short(facts.high)}${facts.unserved ? `; ${short(facts.unserved)} not served` : ""}`);
      this.ran(facts);
    } catch (error) {
      this.part("measure").value = "distance";
      if (this.row) await this.show(this.row, "distance", "vertex");
      if (error.name === "AbortError") this.say("Stopped");
      else this.fail(error);
    } finally {
      this.part("stop").hidden = true;
    }
  }

  // Colour the map, the legend and the chart by what was found; done when it is on the screen.
  async show(shown, title, what) {
    this.shown = { ...shown, title, what };
    if (what === "edge") this.map?.colourEdges(shown.bands);
    else this.map?.colourVertices(shown.bands);
    this.setLimits();
    this.part("chart-title").textContent = { distance: "Distances" }[title] || title[0].toUpperCase() + title.slice(1);
    if (this.map && !document.hidden) await new Promise((done) => this.map.redraw(done));
  }

  setLimits() {
    if (!this.shown) return;
    const limit = Number(this.part("limit").value) / 200;
    const steps = Number(this.part("steps").value);
    const end = this.shown.low + (this.shown.high - this.shown.low) * limit;
    this.part("limit-label").textContent = limit === 1 ? "Up to everything" : `Up to ${withUnit(end, this.shown.unit)}`;
    this.part("limit").setAttribute("aria-valuetext", this.part("limit-label").textContent);
    if (this.map) {
      Object.assign(this.map.look, { limit, steps });
      this.map.redraw();
    }
    this.drawLegend(limit, steps, end);
    drawChart(this.part("chart"), this.shown, this.theme, limit, steps);
  }

  drawLegend(limit, steps, end) {
    const stops = Array.from({ length: 65 }, (_, i) => `${css(shade(this.theme, (i / 64) * limit, limit, steps))} ${(100 * i) / 64}%`);
    this.part("ramp").style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
    const { low } = this.shown;
    const { factor, unit } = readable(this.shown.unit, end);
    const at = [0, 0.25, 0.5, 0.75, 1].map((share) => short((low + (end - low) * share) / factor));
    this.part("ticks").replaceChildren(...at.map((text, i) => Object.assign(document.createElement("span"), { textContent: i === 4 ? `${text} ${unit}` : text })));
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
