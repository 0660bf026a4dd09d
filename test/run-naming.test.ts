import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentEvent } from "../src/contract/agent-event.ts";
import { Receipt } from "../src/contract/receipt.ts";
import { repositoryWith, writeFiles } from "./support/git-repository.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const script = (...steps: unknown[]) => ["--param", `script=${JSON.stringify(steps)}`];
const person = () => ({ cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: tempFolder() } });

test("last names a run wherever an id does, and a beginning that two runs share names none", async () => {
  const options = person();
  const run = async (...words: string[]) => {
    const { stdout } = await signalbox(["run", "mock", "t", "--json", ...words], options);
    return String(AgentEvent.parse(JSON.parse(stdout.split("\n")[0] ?? "")).ext?.["run_id"]);
  };
  const first = await run(...script({ bash: "echo one" }));
  const second = await run("--staged", ...script({ bash: "echo two" }, { write: "b.txt", content: "b" }));
  // No two random ids share a beginning of four characters, so the folder and the log get one more of each.
  const twin = `${second.slice(0, 8)}-0000-4000-8000-000000000000`;
  const runs = join(options.env.HOME, ".signalbox/runs");
  cpSync(join(runs, second), join(runs, twin), { recursive: true });
  const header = readFileSync(join(runs, second, "run.json"), "utf8").replaceAll(second, twin);
  writeFiles(join(runs, twin), { "run.json": header });
  for (const verb of ["apply", "cancel"]) {
    const { code, stderr } = await signalbox([verb, second.slice(0, 8)], options);
    expect([verb, code, stderr.split("\n")[0]]).toEqual([verb, 2, "signalbox: 2 runs match"]);
  }
  rmSync(join(runs, twin), { recursive: true });
  const applied = await signalbox(["apply", "last"], options);
  expect([applied.code, readFileSync(join(options.cwd, "b.txt"), "utf8")]).toEqual([0, "b"]);
  const shown = await signalbox(["audit", "show", "last", "--json"], options);
  expect(shown.stdout.match(/"session":"[^"]+"/g)).toEqual(Array(2).fill(`"session":"${second}"`));
  const older = await signalbox(["audit", "show", first.slice(0, 9), "--json"], options);
  expect(older.stdout.match(/"session":"[^"]+"/g)).toEqual([`"session":"${first}"`]);
  const none = await signalbox(["audit", "show", "nobody"], options);
  expect([none.code, none.stdout, none.stderr.split("\n")[0]]).toEqual([2, "", "signalbox: no records of such a run"]);
  const idle = await signalbox(["cancel", "last"], options);
  expect([idle.code, idle.stderr.split("\n")[0]]).toEqual([2, "signalbox: no such run"]);
});

test("--param sets the mode too: passthrough keeps the agent's own messages, of whole answers as well", async () => {
  const options = person();
  const agent = `'${process.execPath}' '${join(import.meta.dirname, "fixtures/hosts/acp-agent.ts")}'`;
  const task = ["run", "--acp", agent, "say hi \nsay there", "--json", "--param"];
  const { code, stdout } = await signalbox([...task, "abp.mode=passthrough"], options);
  const answer = stdout
    .trim()
    .split("\n")
    .map((line) => AgentEvent.parse(JSON.parse(line)))
    .find(({ type }) => type === "assistant_message");
  expect([code, answer?.ext?.["raw_message"]]).toMatchObject([
    0,
    [{ content: { text: "hi " } }, { sessionUpdate: "agent_message_chunk", content: { text: "there" } }],
  ]);
  const shown = await signalbox(["receipt", "show", "last", "--json"], options);
  expect(Receipt.parse(JSON.parse(shown.stdout)).mode).toBe("passthrough");
  const wrong = await signalbox([...task, "abp.mode=both"], options);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("use abp.mode=passthrough or abp.mode=mapped"),
  ]);
});
