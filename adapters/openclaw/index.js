// The plugin: which of the host's hooks, tools and services are memory's. It opens nothing; the first call does.

import { readFileSync } from "node:fs";

import { Servers } from "./servers.js";
import { toolFactories } from "./tools.js";
import { recallBefore, storeAfter } from "./turn.js";

const MANIFEST = JSON.parse(readFileSync(new URL("./openclaw.plugin.json", import.meta.url), "utf8"));
const HINT = [
  "## Memory",
  "What memory may add stands beside the user's message. Call memory_recall when that isn't enough.",
];

// A plain object: the host's `definePluginEntry` adds nothing to it, and a test needs no host.
export default {
  id: MANIFEST.id,
  name: MANIFEST.name,
  description: MANIFEST.description,
  kind: MANIFEST.kind,
  register(api) {
    const config = { ...defaults(), ...(api.pluginConfig ?? {}) };
    const servers = new Servers(config);
    for (const { name, make } of toolFactories(servers, config)) api.registerTool(make, { name });
    // The host registers several times a run, and the hooks that live may come from any but these.
    if (["cli-metadata", "setup-only"].includes(api.registrationMode)) return;
    api.registerMemoryCapability?.({
      promptBuilder: ({ availableTools }) => (availableTools.has("memory_recall") ? HINT : []),
    });
    const slack = { timeoutMs: config.deadlineMs + 1000 };
    api.on("before_prompt_build", recallBefore(servers, config, api.logger), slack);
    api.on("agent_end", storeAfter(servers, config, api.logger), slack);
    api.registerService({ id: MANIFEST.id, start() {}, stop: () => servers.stop() });
  },
};

/** Of the manifest's schema: the host checks with it and fills nothing in. */
function defaults() {
  const properties = Object.entries(MANIFEST.configSchema.properties);
  return Object.fromEntries(properties.filter(([, rule]) => "default" in rule).map(([name, rule]) => [name, rule.default]));
}
