import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { signalbox } from "../support/run-signalbox.ts";
import { program, realAgent, UNATTENDED } from "./real-agent.ts";

/** Each agent as its user starts it without signalbox, in a folder that it trusts. */
const BARE = {
  claude: ["-p", "work", ...UNATTENDED.claude],
  codex: ["exec", ...UNATTENDED.codex, "--dangerously-bypass-hook-trust", "work"],
  copilot: ["-p", "work", ...UNATTENDED.copilot],
} as const;

test.each([
  ["claude", "."],
  ["codex", "."],
  ["codex", "below/it"],
  ["copilot", "."],
  ["copilot", "below/it"],
] as const)("%s that is started by itself in %s of a staged repository is held", async (name, folder) => {
  expect(await work(name, folder)).toEqual({ denied: false, allowed: true });
});

test("claude below the top of a repository does not read what is staged at the top, as docs/staging.md says", async () => {
  expect(await work("claude", "below/it")).toEqual({ denied: true, allowed: true });
});

test("copilot that signalbox starts in a staged repository has each call judged and written down once", async () => {
  await using agent = await realAgent("copilot", {
    turns: [{ shell: "touch denied.txt; sudo true" }, { shell: "touch allowed.txt" }, { text: "done" }],
  });
  trustFolder(agent.env["COPILOT_HOME"] ?? "", agent.cwd);
  await signalbox(["stage", "copilot"], agent);
  expect((await signalbox(["copilot", "-p", "work", "--", ...UNATTENDED.copilot], agent)).code).toBe(0);
  const home = join(agent.env["HOME"] ?? "", ".signalbox");
  expect(await serversLeft(join(home, "servers"))).toEqual([]);
  const lines = readdirSync(join(home, "audit")).flatMap((name) =>
    readFileSync(join(home, "audit", name), "utf8")
      .trimEnd()
      .split("\n"),
  );
  expect(lines.map((line) => JSON.parse(line).verdict)).toEqual(["deny", "allow"]);
});

/** Stages, lets the agent try a call that is denied and one that is allowed, and tells which of them happened. */
async function work(name: keyof typeof BARE, folder: string) {
  await using agent = await realAgent(name, {
    turns: [{ shell: "touch denied.txt; sudo true" }, { shell: "touch allowed.txt" }, { text: "done" }],
  });
  const cwd = join(agent.cwd, folder);
  mkdirSync(cwd, { recursive: true });
  if (agent.env["COPILOT_HOME"] !== undefined) trustFolder(agent.env["COPILOT_HOME"], agent.cwd);
  const staged = await signalbox(["stage", name], { cwd: agent.cwd, env: agent.env });
  expect([staged.code, staged.stderr]).toEqual([0, ""]);
  const run = promisify(execFile)(program(name), BARE[name], { cwd, env: agent.env });
  run.child.stdin?.end();
  await run;
  expect(await serversLeft(join(agent.env["HOME"] ?? "", ".signalbox/servers"))).toEqual([]);
  return { denied: existsSync(join(cwd, "denied.txt")), allowed: existsSync(join(cwd, "allowed.txt")) };
}

/** Servers that go on, when the agent has ended and they had time to notice. */
async function serversLeft(folder: string): Promise<readonly string[]> {
  for (let tries = 0; ; tries++) {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const left = names.filter(
      (name) => name.endsWith(".starting") || (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
    if (left.length === 0 || tries > 200) return left;
    await sleep(100);
  }
}

function trustFolder(copilotHome: string, folder: string): void {
  mkdirSync(copilotHome, { recursive: true });
  writeFileSync(join(copilotHome, "config.json"), JSON.stringify({ trusted_folders: [folder] }));
}
