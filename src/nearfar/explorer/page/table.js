// Vertices in lines, in the order of their distance or their name, some at a time.

import { withUnit } from "./numbers.js";

const LINES = 50;

export class Table {
  // `ask(query)` returns {lines, count}; `on` has source (vertex) and target (vertex).
  constructor(part, ask, on) {
    Object.assign(this, { part, ask, on, order: "near", unit: null, shown: 0, run: 0 });
    part("table-box").addEventListener("toggle", () => this.refresh());
    part("by-name").firstElementChild.onclick = () => this.sort("name");
    part("by-distance").firstElementChild.onclick = () => this.sort(this.order === "near" ? "far" : "near");
    part("more").onclick = () => this.load();
  }

  sort(order) {
    this.order = order;
    this.refresh();
  }

  // Show the first lines again, if the table is open.
  refresh() {
    if (!this.part("table-box").open) return null;
    this.shown = 0;
    return this.load();
  }

  async load() {
    const run = ++this.run;
    const found = await this.ask({ order: this.order, offset: this.shown, limit: LINES });
    if (run !== this.run || !found) return; // another order, or source, came first
    if (!this.shown) this.part("lines").replaceChildren();
    this.part("lines").append(...found.lines.map((line) => this.line(...line)));
    this.shown += found.lines.length;
    this.part("more").hidden = this.shown >= found.count;
    const sorted = { near: ["none", "ascending"], far: ["none", "descending"], name: ["ascending", "none"] }[this.order];
    this.part("by-name").setAttribute("aria-sort", sorted[0]);
    this.part("by-distance").setAttribute("aria-sort", sorted[1]);
  }

  line(vertex, name, distance) {
    const row = document.createElement("tr");
    const cells = [button(name, `path to ${name}`, () => this.on.target(vertex)),
      distance === null ? "unreached" : withUnit(distance, this.unit),
      button("from here", `source ${name}`, () => this.on.source(vertex))];
    for (const content of cells) {
      const cell = document.createElement("td");
      cell.append(content);
      row.append(cell);
    }
    return row;
  }
}

function button(text, label, act) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: text, onclick: act });
  made.setAttribute("aria-label", label);
  return made;
}
