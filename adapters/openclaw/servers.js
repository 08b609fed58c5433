// The memory's processes, one a scope: a server's subject is fixed when it starts. Opened when first asked, kept
// between turns, stopped with the host's service.

import { McpClient, MemoryUnavailable } from "./mcp_client.js";

const MOST_OPEN = 4;

export class Servers {
  #config;
  #open = new Map(); // the least recently used is first

  constructor(config) {
    this.#config = config;
  }

  /** What a tool of this scope's memory answers, within the deadline. */
  async call(scope, tool, args, signal) {
    if (!this.#config.database || !this.#config.subject) {
      throw new MemoryUnavailable("not_configured", "plugins.entries.atmem.config needs database and subject");
    }
    return this.#client(scope).call(tool, args, { deadlineMs: this.#config.deadlineMs, signal });
  }

  /** End all processes. A later call starts one again. */
  async stop() {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((client) => client.stop()));
  }

  #client(scope) {
    const key = JSON.stringify([scope.subject, scope.agent ?? null]);
    let client = this.#open.get(key);
    this.#open.delete(key);
    if (!client || client.ended) client = new McpClient(this.#config.command, this.#words(scope));
    this.#open.set(key, client);
    if (this.#open.size > MOST_OPEN) {
      const [oldest, idle] = this.#open.entries().next().value;
      this.#open.delete(oldest);
      idle.stop();
    }
    return client;
  }

  #words(scope) {
    const { commandArgs, database, project, budgetTokens, deadlineMs, allowBackground } = this.#config;
    return [
      ...commandArgs,
      "mcp",
      database,
      `--subject=${scope.subject}`,
      ...(scope.agent ? [`--agent=${scope.agent}`] : []),
      ...(project ? [`--project=${project}`] : []),
      ...(allowBackground ? ["--allow-background"] : []),
      `--budget-tokens=${budgetTokens}`,
      `--deadline-ms=${deadlineMs}`,
      "--host-tools",
    ];
  }
}
