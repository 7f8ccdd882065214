// Metrics instead of distances: asked for, watched while they are being found, stopped.

import { capital, short } from "./numbers.js";
import { numbers } from "./server.js";

const LOOK = 500; // milliseconds between two looks at the progress

export class Metrics {
  constructor(page) {
    Object.assign(this, { page, part: page.part, working: null });
  }

  stop() {
    this.working?.abort();
  }

  async choose(name) {
    const { page, part } = this;
    this.stop();
    const working = (this.working = new AbortController());
    part("work").hidden = name === "distance";
    if (name === "distance") return page.showDistance();
    page.say(`Finding ${name}`);
    this.watch(name, working.signal);
    try {
      const answer = await page.ask("measure", { name }, working.signal);
      if (working === this.working) await this.show(name, answer); // else another was chosen meanwhile
    } catch (error) {
      if (working === this.working) await this.giveUp(error);
    } finally {
      working.abort(); // which ends the watch
      if (working === this.working) part("work").hidden = true;
    }
    return null;
  }

  async show(name, answer) {
    const { page } = this;
    const { facts } = answer;
    await page.show({ ...facts, unit: "", bands: numbers(answer, Uint16Array) }, name, facts.of === "edges" ? "edge" : "vertex");
    const how = facts.samples ? `, estimated from ${facts.samples} sources` : "";
    const rest = facts.unserved ? `; ${short(facts.unserved)} not served` : "";
    page.say(`${capital(name)}${how}: from ${short(facts.low)} to ${short(facts.high)}${rest}`);
    page.ran(facts);
  }

  async giveUp(error) {
    this.part("measure").value = "distance";
    await this.page.showDistance();
    if (error.name === "AbortError") this.page.say("Stopped");
    else this.page.fail(error);
  }

  // Show how much of a metric is done, until it is there.
  async watch(name, signal) {
    const bar = this.part("progress");
    bar.removeAttribute("value");
    for (;;) {
      await new Promise((over) => setTimeout(over, LOOK));
      if (signal.aborted) return;
      try {
        const { facts } = await this.page.ask("progress", { name }, signal);
        if (facts.share !== null && !signal.aborted) bar.value = facts.share;
      } catch {
        return; // the question itself tells why there is no answer
      }
    }
  }
}
