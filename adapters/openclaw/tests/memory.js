// Hosts for a test, each with the real memory over a file of its own: PYTHON is a Python that has atmem-core.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

import plugin from "../index.js";
import { FakeOpenClaw } from "./fake_openclaw.js";

export const PYTHON = process.env.PYTHON ?? "python3";
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
export const TOLD = "The code of my gym locker is quillfeather.";
export const ASKED = "What is the code of my gym locker?";
export const TELLTALE = "quillfeather";

let folder;
let number = 0;
const hosts = [];

before(() => (folder = mkdtempSync(join(tmpdir(), "atmem-"))));
after(() => rmSync(folder, { recursive: true }));

export function host(config = {}) {
  const database = join(folder, `${++number}.db`);
  const made = new FakeOpenClaw(plugin, { database, subject: "ada", deadlineMs: 14000, ...COMMAND, ...config });
  made.database = config.database ?? database;
  hosts.push(made);
  return made;
}

function atmem(...words) {
  return execFileSync(PYTHON, ["-c", START, ...words], { encoding: "utf8" });
}

export function notes(one, subject = "ada") {
  return JSON.parse(atmem("notes", "list", one.database, "--subject", subject, "--json")).notes;
}

after(() => Promise.all(hosts.map((one) => one.stop())));
