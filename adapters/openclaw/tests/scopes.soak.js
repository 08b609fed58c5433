// Whose memory, what is stored, and the tools. Each test starts several processes of Python.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ASKED, host, notes, TELLTALE, TOLD } from "./memory.js";

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
