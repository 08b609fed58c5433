// A small OpenClaw: it registers a plugin as often as the real one does, runs its hooks within their time, logs what
// fails and goes on, builds the model's request, and keeps a transcript without what was prepended.

const MODES = ["discovery", "tool-discovery", "discovery", "full"];

export class FakeOpenClaw {
  constructor(plugin, pluginConfig) {
    this.hooks = new Map();
    this.factories = new Map();
    this.services = [];
    this.warnings = [];
    this.requests = [];
    this.transcript = [];
    for (const registrationMode of MODES) this.#register(plugin, pluginConfig, registrationMode);
  }

  #register(plugin, pluginConfig, registrationMode) {
    this.hooks.clear(); // the last registration lives
    const live = { on: (name, handler, { timeoutMs }) => this.hooks.set(name, { handler, timeoutMs }) };
    const result = plugin.register({
      ...live,
      registrationMode,
      pluginConfig,
      logger: { warn: (line) => this.warnings.push(line) },
      registerTool: (make, { name }) => this.factories.set(name, make),
      registerService: (service) => this.services.push(service),
      registerMemoryCapability: ({ promptBuilder }) => (this.promptBuilder = promptBuilder),
    });
    if (result !== undefined) throw new Error("register must be synchronous");
  }

  /** One turn of a user, to a model that says "Noted." */
  async say(text, context = {}, { success = true } = {}) {
    const told = { agentId: "main", sessionKey: "agent:main:t1", sessionId: "s1", trigger: "user", ...context };
    told.runId ??= `r${this.requests.length}`;
    const built = await this.#run("before_prompt_build", { prompt: text, messages: [...this.transcript] }, told);
    const content = [built?.prependContext, text, built?.appendContext].filter(Boolean).join("\n\n");
    const system = [built?.prependSystemContext, built?.systemPrompt].filter(Boolean).join("\n");
    this.requests.push({ system, messages: [...this.transcript, { role: "user", content }] });
    this.transcript.push({ role: "user", content: [{ type: "text", text }] });
    if (success) this.transcript.push({ role: "assistant", content: [{ type: "text", text: "Noted." }] });
    await this.#run("agent_end", { messages: [...this.transcript], success }, told);
    return JSON.stringify(this.requests.at(-1));
  }

  async #run(name, event, context) {
    const { handler, timeoutMs } = this.hooks.get(name);
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`timed out after ${timeoutMs}ms`)), timeoutMs);
    });
    try {
      return await Promise.race([handler(event, context), late]);
    } catch (error) {
      this.warnings.push(`[hooks] ${name} handler failed: ${error.message}`);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A tool as a model of this run sees it; undefined when it sees none. */
  tool(name, context = {}) {
    return this.factories.get(name)({ agentId: "main", ...context }) ?? undefined;
  }

  async stop() {
    for (const service of this.services) await service.stop();
  }
}
