// Questions to the server, and its answers: facts, and an array of numbers.

export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { facts, buffer, at: 4 + length };
}

export function numbers(answer, Type) {
  return new Type(answer.buffer, answer.at, (answer.buffer.byteLength - answer.at) / Type.BYTES_PER_ELEMENT);
}

// Ask over HTTP, relative to the address of the page, which has the token in it.
export async function askServer(what, query = {}, signal = undefined) {
  let reply;
  try {
    reply = await fetch(`${what}?${new URLSearchParams(query)}`, { signal, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. It has ended, or the connection is lost; start it again.");
  }
  if (reply.ok) return unpack(await reply.arrayBuffer());
  const text = await reply.text();
  throw new Error(reply.status === 400 ? JSON.parse(text).error : text);
}

// Run one task at a time; of those that come meanwhile, only the last one.
export class Latest {
  constructor() {
    this.waiting = null;
    this.running = false;
  }

  async run(task) {
    this.waiting = task;
    if (this.running) return;
    this.running = true;
    try {
      while (this.waiting) {
        const next = this.waiting;
        this.waiting = null;
        await next();
      }
    } finally {
      this.running = false;
    }
  }

  drop() {
    this.waiting = null;
  }
}
