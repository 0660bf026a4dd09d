import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { needs } from "./support/platform.ts";
import { trust } from "../src/guard/policy/trust.ts";
import { applyWanted } from "../src/staging/apply.ts";
import { writeEntry } from "../src/staging/entry.ts";
import { planStage } from "../src/staging/plan-stage.ts";
import { isAlive } from "./support/is-alive.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const HOOK = ".signalbox/hooks/tool-before-own rule";

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly file: string;
}

/** A repository that is staged for Claude Code, and the file in which the server of session `s-1` tells how to reach it. */
async function staged(hook?: string, name = HOOK): Promise<Place> {
  const cwd = tempRepository();
  const user = tempFolder();
  const home = join(user, ".signalbox");
  const env = { HOME: user, PATH: process.env["PATH"], TMPDIR: user };
  if (hook !== undefined) {
    const path = join(cwd, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, hook, { mode: 0o755 });
    trust(home, { path, text: hook, time: "" });
  }
  const request = { root: cwd, home, env, agents: ["claude"] as const, required: false };
  await applyWanted(request, () => planStage(request));
  writeEntry(home);
  const file = join(home, "servers/claude-s-1");
  onTestFinished(() => {
    const { pid } = reach(file) ?? {};
    if (pid !== undefined && isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return { cwd, home, env, file };
}

function reach(file: string) {
  const [port, token, seal, pid] = existsSync(file) ? readFileSync(file, "utf8").trim().split(" ") : [];
  return pid === undefined ? undefined : { port, token, seal, pid: Number(pid) };
}

async function call({ cwd, env }: Place, command: string, event = "tool-before"): Promise<string> {
  const child = spawn(join(cwd, ".claude/hooks/signalbox"), [event], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.end(JSON.stringify({ session_id: "s-1", cwd, tool_name: "Bash", tool_input: { command } }));
  const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
  return said;
}

/** Two calls, and the server that the second one started. */
async function served(place: Place) {
  expect(await call(place, "pwd")).toBe("{}\n");
  expect(readFileSync(place.file, "utf8"), "a lone call starts nothing").toBe("");
  expect(await call(place, "pwd")).toBe("{}\n");
  return await serverOf(place);
}

async function serverOf({ file }: Place, other?: number) {
  for (let tries = 0; tries < 400; tries++) {
    const found = reach(file);
    if (found !== undefined && found.pid !== other) return found;
    await sleep(50);
  }
  throw new Error("no server came");
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 400 && isAlive(pid); tries++) await sleep(50);
  return !isAlive(pid);
}

const logs = ({ home }: Place) => readdirSync(join(home, "audit")).length;
const DENIED = "rm -rf /";

needs("/proc", "process marks")(
  "the second call of a session starts a server, which answers from then on and ends with the session",
  async () => {
    const place = await staged();
    const { pid } = await served(place);
    expect(await call(place, "pwd")).toBe("{}\n");
    const before = logs(place);
    expect(await call(place, DENIED)).toContain('"permissionDecision":"deny"');
    expect(await call(place, "git status")).toBe("{}\n");
    expect(logs(place), "one log for all that the server answered").toBe(before);
    expect(await call(place, "", "session-end")).toBe("{}\n");
    expect(await gone(pid)).toBe(true);
    expect(existsSync(place.file)).toBe(false);
  },
);

needs("/proc", "process marks")("a killed server lets nothing through, and another takes its place", async () => {
  const place = await staged();
  const { pid } = await served(place);
  process.kill(pid, "SIGKILL");
  expect(await call(place, DENIED)).toContain('"permissionDecision":"deny"');
  const { pid: next } = await serverOf(place, pid);
  expect(await call(place, DENIED)).toContain('"permissionDecision":"deny"');
  expect(isAlive(next)).toBe(true);
});

needs("/proc", "process marks")("nobody else's answer counts, whatever stands in the file", async () => {
  const place = await staged();
  await served(place).then(({ pid }) => process.kill(pid, "SIGKILL"));
  const liar = createServer((socket) => socket.on("error", () => {}).end("{}\n\nffffffffffffffffffffffffffffffff 0\n"));
  liar.listen(0, "127.0.0.1");
  await once(liar, "listening");
  onTestFinished(() => void liar.close());
  const address = liar.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  for (const said of [`${port} ${"a".repeat(32)} ${"b".repeat(32)} 1`, "\u0000 x", `${port}`, "1; touch x $(id)"]) {
    writeFileSync(place.file, said);
    expect(await call(place, DENIED), said).toContain('"permissionDecision":"deny"');
    await serverOf(place, 1).then(({ pid }) => process.kill(pid, "SIGKILL"));
  }
});

needs("/proc", "process marks")("many calls at once start one server", async () => {
  const place = await staged();
  await call(place, "pwd");
  const said = await Promise.all(Array.from({ length: 8 }, () => call(place, DENIED)));
  expect(said.filter((each) => each.includes('"deny"'))).toHaveLength(8);
  const { pid } = await serverOf(place);
  const serving = readdirSync("/proc").filter((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      const home = readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`HOME=${place.env["HOME"]}`);
      return home && words.some((word) => /serve\.(?:ts|cjs)$/.test(word));
    } catch {
      return false;
    }
  });
  expect(serving).toEqual([String(pid)]);
});

needs("/proc", "process marks")(
  "a hook of the repository decides through the server too, also when it is gone",
  async () => {
    const place = await staged(
      '#!/bin/sh\ngrep -q forbidden && echo \'{"block":true,"message":"not that"}\' || echo "{}"\n',
    );
    await served(place);
    expect(await call(place, "echo forbidden")).toContain("not that");
    expect(await call(place, "echo fine")).toBe("{}\n");
    rmSync(join(place.cwd, HOOK));
    expect(await call(place, "echo fine")).toMatch(/"permissionDecision":"deny".*own rule/);
  },
);

needs("/proc", "process marks")("a hook of the session's end that takes long runs once", async () => {
  const place = await staged('#!/bin/sh\nsleep 1\necho x >>"$HOME/ran.txt"\n', ".signalbox/hooks/session-end-slow");
  const ran = join(place.env["HOME"] ?? "", "ran.txt");
  const { pid } = await served(place);
  expect(await call(place, "", "session-end")).toBe("{}\n");
  expect(await gone(pid)).toBe(true);
  expect(readFileSync(ran, "utf8")).toBe("x\n");
});

needs("/proc", "process marks")("the server reads a changed policy, and ends with the agent", async () => {
  const place = await staged();
  const agent = spawn(process.execPath, ["-e", AGENT, join(place.cwd, ".claude/hooks/signalbox"), place.cwd], {
    cwd: place.cwd,
    env: place.env,
    stdio: "ignore",
  });
  onTestFinished(() => void agent.kill("SIGKILL"));
  const { pid } = await serverOf(place);
  expect(await call(place, "git status")).toBe("{}\n");
  writeFileSync(join(place.home, "policy.yaml"), "version: 1\nextends: default\ntools:\n  deny: [Bash]\n");
  expect(await call(place, "git status")).toContain('"permissionDecision":"deny"');
  agent.kill("SIGKILL");
  expect(await gone(pid)).toBe(true);
  expect(existsSync(place.file)).toBe(false);
});

/** Calls the hook twice, as an agent would, then does nothing for long. */
const AGENT = `
const { spawnSync } = require("node:child_process");
const [hook, cwd] = process.argv.slice(1);
const input = JSON.stringify({ session_id: "s-1", cwd, tool_name: "Bash", tool_input: { command: "pwd" } });
for (let call = 0; call < 2; call++) spawnSync(hook, ["tool-before"], { input });
setTimeout(() => {}, 60000);
`;
