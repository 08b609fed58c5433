// One MCP server on the standard streams of a child process.
//
// Rule: a request ends within its deadline, whatever the child does. A child that ended or talks nonsense is given
// up with all requests that wait; whoever asks next starts another.

import { spawn } from "node:child_process";

const PROTOCOL = "2025-11-25";
const MAX_LINE_CHARS = 1 << 20;

/** What went wrong, by a code; the message holds no text of a query or a memory. */
export class MemoryUnavailable extends Error {
  constructor(code, message) {
    super(message);
    this.name = "MemoryUnavailable";
    this.code = code;
  }
}

export class McpClient {
  #child;
  #ready;
  #waiting = new Map();
  #lastId = 0;
  #unread = "";
  #ended = false;

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env: inherited(process.env) });
    this.#child.on("error", () => this.#end("not_started", `${command} could not be started`));
    this.#child.on("exit", () => this.#end("ended", "the memory's process has ended"));
    this.#child.stdin.on("error", () => this.#end("ended", "the memory's process reads no more"));
    this.#child.stdout.setEncoding("utf8");
    this.#child.stdout.on("data", (text) => this.#read(text));
    // An idle child keeps no host from leaving: it ends when its standard input does.
    for (const part of [this.#child, this.#child.stdin, this.#child.stdout]) part.unref?.();
    this.#ready = this.#greet();
    this.#ready.catch(() => {}); // told to whoever calls
  }

  get ended() {
    return this.#ended;
  }

  /** What a tool answers, structured. The start of the child counts towards the deadline but outlives it. */
  async call(tool, args, { deadlineMs, signal } = {}) {
    return within(deadlineMs, signal, async (gone) => {
      await this.#ready;
      const answer = await this.#request("tools/call", { name: tool, arguments: args }, gone);
      if (answer.isError) throw refused(answer);
      return answer.structuredContent ?? {};
    });
  }

  /** End the child, and wait until it has ended. */
  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) {
      return;
    }
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.ref();
    this.#child.stdin.end();
    const impatient = setTimeout(() => this.#child.kill("SIGKILL"), 3000);
    await exited;
    clearTimeout(impatient);
  }

  async #greet() {
    const clientInfo = { name: "openclaw-atmem", version: "0.1.0" };
    await this.#request("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    this.#send({ method: "notifications/initialized" });
  }

  #request(method, params, gone) {
    if (this.#ended) throw new MemoryUnavailable("ended", "the memory's process has ended");
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      gone?.addEventListener("abort", () => this.#giveUp(id), { once: true });
      this.#send({ id, method, params });
    });
  }

  #giveUp(id) {
    if (!this.#waiting.delete(id) || this.#ended) return;
    this.#send({ method: "notifications/cancelled", params: { requestId: id } });
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #read(text) {
    const lines = (this.#unread + text).split("\n");
    this.#unread = lines.pop();
    if (this.#unread.length > MAX_LINE_CHARS) this.#broken();
    for (const line of lines) if (line.trim()) this.#take(line);
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#broken();
    }
    const asked = this.#waiting.get(message?.id);
    if (!asked) return; // given up since, or a notification
    this.#waiting.delete(message.id);
    if (message.error) asked.reject(new MemoryUnavailable("protocol", `error ${message.error.code}`));
    else asked.resolve(message.result ?? {});
  }

  #broken() {
    this.#end("protocol", "the memory's process wrote what is no message");
    this.#child.kill();
  }

  #end(code, message) {
    this.#ended = true;
    for (const { reject } of this.#waiting.values()) reject(new MemoryUnavailable(code, message));
    this.#waiting.clear();
  }
}

/** Run ``act`` until it is done, the time is over or the signal says stop; ``gone`` tells it of the latter two. */
async function within(deadlineMs, signal, act) {
  const gone = new AbortController();
  let timer;
  const over = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new MemoryUnavailable("deadline", `no answer in ${deadlineMs} ms`)), deadlineMs);
    const stopped = () => reject(new MemoryUnavailable("cancelled", "the call was cancelled"));
    if (signal?.aborted) stopped();
    signal?.addEventListener("abort", stopped, { once: true });
  });
  try {
    return await Promise.race([act(gone.signal), over]);
  } finally {
    clearTimeout(timer);
    gone.abort();
  }
}

/** The server's own sentence, such as "memory failed: StoreBusy (store_busy)": type and code, no text. */
function refused(answer) {
  const told = /^memory failed: \w+ \(\w+\)$/.exec(answer.content?.[0]?.text ?? "");
  return new MemoryUnavailable("tool", told ? told[0] : "the memory refused the call");
}

/** What the child needs to find itself and its settings; a host's keys for models aren't among it. */
function inherited(env) {
  const names = /^(PATH|HOME|LANG|LC_\w+|TMPDIR|TEMP|TMP|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|ATMEM_\w+)$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)));
}
