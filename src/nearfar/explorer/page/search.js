// The search field: names that match while one types, chosen by a click, or by the arrow keys and Enter.

import { Latest } from "./server.js";

let made = 0;

export class Search {
  constructor(part, ask, choose) {
    Object.assign(this, { ask, choose, input: part("search"), list: part("found"), latest: new Latest(), at: -1 });
    this.list.id = `nearfar-found-${made++}`;
    this.input.setAttribute("aria-controls", this.list.id);
    this.input.addEventListener("input", () => this.find());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => setTimeout(() => this.isAsked() || this.close(), 150));
  }

  isAsked() {
    return this.input.matches(":focus");
  }

  find() {
    const text = this.input.value;
    return this.latest.run(async () => {
      const found = text.trim() ? (await this.ask("search", { text })).facts.found : [];
      this.list.replaceChildren(...found.map(([vertex, name], i) => this.item(vertex, name, i)));
      if (text.trim() && !found.length) this.list.append(Object.assign(document.createElement("li"), { textContent: "nothing found", className: "faint" }));
      this.list.hidden = !text.trim() || !this.isAsked(); // one may have gone on meanwhile
      this.input.setAttribute("aria-expanded", !this.list.hidden);
      this.mark(found.length ? 0 : -1);
    });
  }

  item(vertex, name, i) {
    const item = document.createElement("li");
    Object.assign(item, { textContent: name, id: `${this.list.id}-${i}` });
    item.setAttribute("role", "option");
    item.dataset.vertex = vertex;
    item.addEventListener("pointerdown", (event) => event.preventDefault());
    item.addEventListener("click", () => this.take(item));
    return item;
  }

  mark(at) {
    this.at = at;
    [...this.list.children].forEach((item, i) => item.setAttribute("aria-selected", i === at));
    const marked = this.list.children[at];
    if (marked) {
      this.input.setAttribute("aria-activedescendant", marked.id);
      marked.scrollIntoView({ block: "nearest" });
    } else {
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  async key(event) {
    const last = this.list.querySelectorAll("[role=option]").length - 1;
    if (event.key === "ArrowDown") this.mark(Math.min(this.at + 1, last));
    else if (event.key === "ArrowUp") this.mark(Math.max(this.at - 1, Math.min(last, 0)));
    else if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && this.at >= 0) this.take(this.list.children[this.at]);
    else return;
    event.preventDefault();
  }

  take(item) {
    this.input.value = item.textContent;
    this.close();
    this.choose(Number(item.dataset.vertex));
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", false);
    this.mark(-1);
  }
}
