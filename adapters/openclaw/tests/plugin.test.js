// The plugin in a small OpenClaw: a note reaches the model, and what happens when memory doesn't answer.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import plugin from "../index.js";
import { isOfAPerson } from "../scope.js";
import { ASKED, host, notes, PYTHON, TELLTALE, TOLD } from "./memory.js";

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

test("a turn is a person's only when nothing says otherwise", () => {
  assert.equal(isOfAPerson({ trigger: "user", inputProvenance: { kind: "external_user" } }), true);
  assert.equal(isOfAPerson({ sessionKey: "agent:main:cronjobs-of-ada" }), true);
  for (const context of [
    ...["cron", "heartbeat", "manual", "memory", "overflow"].map((trigger) => ({ trigger })),
    ...["inter_session", "internal_system"].map((kind) => ({ trigger: "user", inputProvenance: { kind } })),
    { trigger: "user", sessionKey: "agent:main:subagent:x" },
  ]) {
    assert.equal(isOfAPerson(context), false, JSON.stringify(context));
  }
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
