// The plugin in a small OpenClaw, against the real memory: PYTHON is a Python that has atmem-core.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import plugin from "../index.js";
import { FakeOpenClaw } from "./fake_openclaw.js";

const PYTHON = process.env.PYTHON ?? "python3";
const PATHS = (process.env.PYTHONPATH ?? "").split(":").filter(Boolean);
// Words alone: loading a model takes a second of each process, and these tests start many.
const START = `import sys
sys.path[:0] = ${JSON.stringify(PATHS)}
import atmem_core.memory.facade as facade
resolve = facade.resolve
facade.resolve = lambda _: resolve(None)
from atmem_cli.main import main
main()`;
const COMMAND = { command: PYTHON, commandArgs: ["-c", START] };
const TOLD = "The code of my gym locker is quillfeather.";
const ASKED = "What is the code of my gym locker?";
const TELLTALE = "quillfeather";

let folder;
let number = 0;
const hosts = [];

before(() => (folder = mkdtempSync(join(tmpdir(), "atmem-"))));
after(() => rmSync(folder, { recursive: true }));

function host(config = {}) {
  const database = join(folder, `${++number}.db`);
  const made = new FakeOpenClaw(plugin, { database, subject: "ada", deadlineMs: 14000, ...COMMAND, ...config });
  made.database = config.database ?? database;
  hosts.push(made);
  return made;
}

function atmem(...words) {
  return execFileSync(PYTHON, ["-c", START, ...words], { encoding: "utf8" });
}

function notes(one, subject = "ada") {
  return JSON.parse(atmem("notes", "list", one.database, "--subject", subject, "--json")).notes;
}

after(() => Promise.all(hosts.map((one) => one.stop())));

test("what the user said is in the request of a later session, once, and not in the transcript", async () => {
  const one = host();
  await one.say(TOLD);
  one.transcript = [];
  const request = await one.say(ASKED, { sessionId: "s2" });
  assert.equal(request.split(TELLTALE).length, 2);
  assert.match(request, /<atmem-memory/);
  const again = await one.say(ASKED, { sessionId: "s2" });
  assert.equal(again.split(TELLTALE).length, 2);
  assert.doesNotMatch(JSON.stringify(one.transcript), new RegExp(TELLTALE));
  assert.doesNotMatch(await one.say("Write a haiku about the sea.", { sessionId: "s2" }), /<atmem-memory/);
  const [note] = notes(one).filter(({ text }) => text === TOLD);
  assert.deepEqual([note.source, note.scope.agent, note.scope.session], ["user", "main", "s1"]);
  assert.deepEqual(one.warnings, []);
});

test("one agent's notes reach no other, and an agent that is off has no hook and no tool", async () => {
  const one = host({ offForAgents: ["quiet"] });
  await one.say(TOLD);
  one.transcript = [];
  assert.doesNotMatch(await one.say(ASKED, { agentId: "work" }), new RegExp(TELLTALE));
  assert.doesNotMatch(await one.say(ASKED, { agentId: "quiet" }), new RegExp(TELLTALE));
  assert.equal(one.tool("memory_recall", { agentId: "quiet" }), undefined);
  assert.equal(notes(one).some(({ scope }) => scope.agent === "quiet"), false);
});

test("a sender has the memory that the configuration names, or none", async () => {
  const one = host({ shareAcrossAgents: true, senders: { "telegram:7": "ada", "telegram:8": "eve" } });
  await one.say(TOLD);
  one.transcript = [];
  const by = (senderId) => ({ messageProvider: "telegram", senderId });
  assert.match(await one.say(ASKED, by("7")), new RegExp(TELLTALE));
  assert.doesNotMatch(await one.say(ASKED, by("8")), new RegExp(TELLTALE));
  assert.doesNotMatch(await one.say(ASKED, by("9")), new RegExp(TELLTALE));
  assert.doesNotMatch(await one.say(ASKED, by("constructor")), new RegExp(TELLTALE));
  assert.deepEqual(notes(one, "eve").map(({ text }) => text), [ASKED]);
  assert.equal(one.tool("memory_store", { messageChannel: "telegram", requesterSenderId: "9" }), undefined);
});

test("a turn of a person that succeeded is stored, once, by who said what, without what was injected", async () => {
  const one = host({ capture: "turn" });
  await one.say("My bike is red.", {}, { success: false });
  for (const context of [{ trigger: "cron" }, { trigger: "heartbeat" }, { sessionKey: "agent:main:subagent:x" }]) {
    await one.say("My canoe is green.", context);
  }
  for (const runId of ["r", "r"]) await one.say(TOLD, { runId });
  one.transcript = [];
  assert.doesNotMatch(await one.say(ASKED, { trigger: "cron" }), /<atmem-memory/);
  const injected = JSON.parse(await one.say(ASKED)).messages.at(-1).content;
  assert.match(injected, new RegExp(TELLTALE));
  await one.say(injected);
  const told = notes(one).map(({ text, source }) => `${source}: ${text}`);
  assert.deepEqual([...new Set(told)].sort(), ["assistant: Noted.", `user: ${TOLD}`, `user: ${ASKED}`].sort());
  assert.equal(told.filter((line) => line.includes(TELLTALE)).length, 1);
  assert.deepEqual(one.warnings, []);
});

test("the tools recall, store and forget over one child, which ends with the service and is opened again", async () => {
  const one = host();
  const names = ["memory_recall", "memory_store", "memory_forget"];
  const [recall, store, forget] = names.map((name) => one.tool(name));
  for (const tool of [recall, store, forget]) assert.equal(Object.keys(tool.parameters.properties).length, 1);
  const stored = await store.execute("1", { text: TOLD });
  const recalled = await recall.execute("2", { query: ASKED });
  assert.match(recalled.content[0].text, new RegExp(TELLTALE));
  assert.equal(recalled.details.decision.support_class, "direct_support");
  const gone = await forget.execute("3", { record_id: stored.details.record_id });
  assert.deepEqual(gone.details.record_ids, [stored.details.record_id]);
  const nothing = await recall.execute("4", { query: ASKED });
  assert.equal(nothing.content[0].text, "Nothing useful is in memory for this.");
  await assert.rejects(forget.execute("5", { record_id: "n-none" }), { code: "tool" });
  const began = performance.now();
  await recall.execute("6", { query: ASKED });
  assert.ok(performance.now() - began < 1000, "a call of an open child starts no Python");
  await one.stop();
  await store.execute("7", { text: "The wifi password at the cabin is brookside." });
  assert.match(await one.say("What is the wifi password at the cabin?"), /brookside/);
});

for (const [what, config, code] of [
  ["is not there", { command: "no-such-program-atmem", commandArgs: [] }, /not_started|ended/],
  ["ends at once", { command: PYTHON, commandArgs: ["-c", "pass"] }, /ended/],
  ["talks nonsense", { command: PYTHON, commandArgs: ["-c", "print('hello', flush=True); input()"] }, /protocol/],
  ["hangs", { command: PYTHON, commandArgs: ["-c", "import sys; sys.stdin.read()"], deadlineMs: 200 }, /deadline/],
  ["has no file", { database: undefined }, /not_configured/],
]) {
  test(`a memory that ${what} ends no turn and is told by its code`, async () => {
    const one = host(config);
    assert.match(await one.say(ASKED), /gym locker/);
    assert.equal(one.warnings.length, 2, one.warnings.join());
    for (const line of one.warnings) {
      assert.match(line, code);
      assert.doesNotMatch(line, /gym locker/);
    }
  });
}

test("a call is cancelled with the run's signal", async () => {
  const one = host({ command: PYTHON, commandArgs: ["-c", "import sys; sys.stdin.read()"] });
  const call = one.tool("memory_recall").execute("1", { query: ASKED }, AbortSignal.timeout(50));
  await assert.rejects(call, { code: "cancelled" });
});

test("each tool is declared, and each option that is read is in the schema", () => {
  const manifest = JSON.parse(readFileSync(new URL("../openclaw.plugin.json", import.meta.url), "utf8"));
  assert.deepEqual([...host().factories.keys()], manifest.contracts.tools);
  const files = ["servers.js", "scope.js", "turn.js", "index.js"];
  const code = files.map((name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8")).join("\n");
  const read = new Set([...code.matchAll(/config\.(\w+)/g)].map((match) => match[1]));
  for (const name of read) assert.ok(name in manifest.configSchema.properties, name);
});

test("a host without a memory slot still gets hooks and tools", () => {
  const registered = [];
  const api = { on: (name) => registered.push(name), registerTool() {}, registerService() {}, logger: {} };
  plugin.register({ ...api, registrationMode: "full", pluginConfig: {} });
  assert.deepEqual(registered, ["before_prompt_build", "agent_end"]);
});
