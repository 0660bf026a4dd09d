import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { AGENTS } from "../src/agents/packs.ts";
import { startScriptedModel } from "../src/models/scripted/server.ts";
import { type AgentName, agentCommand, type HookKind, HOOKS, pinned } from "./hooked-agent.ts";
import { interleaved, median, type Subject } from "./measure.ts";
import type { Suite } from "./suite.ts";

const root = join(import.meta.dirname, "..");
const signalbox = join(root, "bin/signalbox");

/**
 * What a guarded launch adds to an agent alone, from the start to the agent's first request and to the exit. Beside it
 * `--version`, which is not guarded, with an empty Node as the floor, and the time of doctor.
 */
export const launch: Suite = async ({ quick }) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-bench-")));
  const env = { ...process.env, PATH: `${pinned}${delimiter}${process.env["PATH"]}` };
  const found = AGENTS.flatMap((agent) => {
    const folder = env.PATH.split(delimiter).find((each) => existsSync(join(each, agent.binary)));
    return folder === undefined ? [] : [{ name: agent.name, program: join(folder, agent.binary) }];
  });
  if (found.length === 0) throw new Error("no agent on PATH: 'npm run test:agents -- --install' brings pinned ones");
  try {
    execFileSync("git", ["init", "-q", cwd]);
    const guarded = await guardedLaunches(cwd, quick ? 5 : 15);
    const subjects: Subject[] = [
      { name: "node -e 0", program: process.execPath, args: ["-e", "0"], cwd, env },
      { name: "signalbox doctor", program: signalbox, args: ["doctor"], cwd, env },
      ...found.flatMap(({ name, program }) => [
        { name: `${name} --version`, program, args: ["--version"], cwd, env },
        { name: `signalbox ${name} -- --version`, program: signalbox, args: [name, "--", "--version"], cwd, env },
      ]),
    ];
    const timings = await interleaved(subjects, quick ? 3 : 15);
    const medianOf = (name: string) => timings.find((timing) => timing.name === name)?.medianMs ?? Number.NaN;
    const added = found.map(({ name }) => ({
      agent: name,
      addedMedianMs: Math.round((medianOf(`signalbox ${name} -- --version`) - medianOf(`${name} --version`)) * 10) / 10,
    }));
    const form = existsSync(join(root, "dist/signalbox.cjs")) ? "bundle" : "sources";
    const rows = timings.map(({ name, medianMs, minMs, maxMs, runs }) => ({
      command: name,
      medianMs,
      minMs,
      maxMs,
      runs,
    }));
    return {
      rows: [...guarded, ...rows],
      result: { suite: "launch", form, guarded, timings, added },
      ratios: ratiosOf(guarded),
    };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
};

const FORMS = HOOKS.filter((kind) => kind === "no hook" || kind.startsWith("signalbox"));

const ratiosOf = (guarded: Awaited<ReturnType<typeof guardedLaunches>>) =>
  Object.fromEntries(
    guarded
      .filter(({ command }) => command.endsWith(": signalbox"))
      .map(({ command, requestMs, requestOverAloneMs }) => [
        `${command}, over alone`,
        requestMs / (requestMs - requestOverAloneMs),
      ]),
  );

interface Launched {
  readonly request: number;
  readonly exit: number;
}

/** One answer without a call, in a repository and a home that are used again, as people do. */
async function guardedLaunches(place: string, rounds: number) {
  const agents = (["claude", "codex"] as const).filter((agent) => existsSync(join(pinned, agent)));
  const entries = agents.flatMap((agent) =>
    FORMS.map((kind) => {
      const times: Launched[] = [];
      return { agent, kind, home: mkdtempSync(join(place, "home-")), times };
    }),
  );
  const cwd = mkdtempSync(join(place, "repo-"));
  execFileSync("git", ["init", "-q", cwd]);
  for (let round = 0; round <= rounds; round++)
    for (const entry of entries) {
      const launched = await launchOnce(entry, cwd);
      if (round > 0) entry.times.push(launched);
    }
  return entries.map(({ agent, kind, times }) => {
    const alone = entries.find((each) => each.agent === agent && each.kind === "no hook")?.times ?? [];
    const of = (list: readonly Launched[], end: keyof Launched) => median(list.map((each) => each[end]));
    return {
      command: `${agent}, one answer: ${kind === "no hook" ? "alone" : kind}`,
      requestMs: Math.round(of(times, "request")),
      requestOverAloneMs: Math.round(of(times, "request") - of(alone, "request")),
      exitOverAloneMs: Math.round(of(times, "exit") - of(alone, "exit")),
      runs: times.length,
    };
  });
}

interface Launching {
  readonly agent: AgentName;
  readonly kind: HookKind;
  readonly home: string;
}

async function launchOnce({ agent, kind, home }: Launching, cwd: string): Promise<Launched> {
  const moments: number[] = [];
  await using model = await startScriptedModel({
    script: { turns: [{ text: "done" }] },
    onRequest: () => void moments.push(performance.now()),
  });
  const { program, args, env } = agentCommand(agent, kind, { home, url: model.url });
  const started = performance.now();
  const child = spawn(program, args, {
    cwd,
    env: { ...env, HOME: home, TMPDIR: home },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end("go");
  const code = await new Promise((resolve) => child.on("exit", resolve));
  const [first = Number.NaN] = moments;
  if (code !== 0 || moments.length === 0) throw new Error(`${agent} with ${kind} ended with ${String(code)}`);
  return { request: first - started, exit: performance.now() - started };
}
