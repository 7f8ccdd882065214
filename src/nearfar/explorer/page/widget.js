// The page as a part of a notebook: questions travel to the kernel as messages of a widget, wherever that kernel runs.

import { start } from "./app.js";

const PATIENCE = 5000; // milliseconds after which one is told why there is no answer

export function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "nearfar-explorer";
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab's keys, among them B and the arrows
  root.innerHTML = PAGE; // index.html between its marks; bundle.py defines it
  root.addEventListener("keydown", (event) => event.stopPropagation()); // the same for other notebooks
  el.append(root);
  const kernel = new Kernel(model, (text) => (root.querySelector('[data-id="status"]').textContent = text));
  const page = start(root, (...question) => kernel.ask(...question), { theme: themeAround(), inside: true });
  return () => {
    page.then((begun) => begun.end());
    kernel.end();
  };
}

class Kernel {
  constructor(model, say) {
    Object.assign(this, { model, say, asked: new Map(), last: 0 });
    this.own = crypto.getRandomValues(new Uint32Array(2)).join("-"); // several views share a model
    this.hear = (message, buffers) => this.take(message, buffers);
    model.on("msg:custom", this.hear);
  }

  ask(what, query = {}, signal = undefined) {
    return new Promise((resolve, reject) => {
      const question = `${this.own}-${this.last++}`;
      const late = setTimeout(() => this.say("The kernel does not answer. It is busy, or gone; in that case, run the cell again."), PATIENCE);
      this.asked.set(question, { resolve, reject, late });
      signal?.addEventListener("abort", () => this.stop(question));
      this.model.send({ question, what, query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])) });
    });
  }

  take({ question, facts, error }, buffers) {
    const asked = this.asked.get(question);
    if (!asked) return; // another view asked, or nobody waits any more
    this.asked.delete(question);
    clearTimeout(asked.late);
    if (error) {
      asked.reject(new Error(error));
      return;
    }
    const data = buffers?.[0];
    const buffer = data ? data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) : new ArrayBuffer(0);
    asked.resolve({ facts, buffer, at: 0 });
  }

  stop(question) {
    const asked = this.asked.get(question);
    if (!asked) return;
    this.asked.delete(question);
    clearTimeout(asked.late);
    this.model.send({ stop: question });
    asked.reject(new DOMException("Stopped", "AbortError"));
  }

  end() {
    for (const question of [...this.asked.keys()]) this.stop(question);
    this.model.off("msg:custom", this.hear);
  }
}

function themeAround() {
  const { dataset } = document.body;
  if (dataset.jpThemeLight) return dataset.jpThemeLight === "false" ? "dark" : "light"; // JupyterLab
  if (dataset.vscodeThemeKind) return dataset.vscodeThemeKind.endsWith("light") ? "light" : "dark"; // Visual Studio Code
  return null;
}
