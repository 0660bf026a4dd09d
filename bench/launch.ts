import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { AGENTS } from "../src/agents/packs.ts";
import { interleaved, type Subject } from "./measure.ts";
import type { Suite } from "./suite.ts";

const root = join(import.meta.dirname, "..");
const signalbox = join(root, "bin/signalbox");
const pinned = join(root, "test/agents/.install/node_modules/.bin");

/** What a launch adds to an agent's own `--version`, with an empty Node beside it as the floor, and the time of doctor. */
export const launch: Suite = async ({ quick }) => {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const env = { ...process.env, PATH: `${pinned}${delimiter}${process.env["PATH"]}` };
  const found = AGENTS.flatMap((agent) => {
    const folder = env.PATH.split(delimiter).find((each) => existsSync(join(each, agent.binary)));
    return folder === undefined ? [] : [{ name: agent.name, program: join(folder, agent.binary) }];
  });
  if (found.length === 0) throw new Error("no agent on PATH: 'npm run test:agents -- --install' brings pinned ones");
  try {
    execFileSync("git", ["init", "-q", cwd]);
    const subjects: Subject[] = [
      { name: "node -e 0", program: process.execPath, args: ["-e", "0"], cwd, env },
      { name: "signalbox doctor", program: signalbox, args: ["doctor"], cwd, env },
      ...found.flatMap(({ name, program }) => [
        { name: `${name} --version`, program, args: ["--version"], cwd, env },
        { name: `signalbox ${name} -- --version`, program: signalbox, args: [name, "--", "--version"], cwd, env },
      ]),
    ];
    const timings = await interleaved(subjects, quick ? 5 : 15);
    const median = (name: string) => timings.find((timing) => timing.name === name)?.medianMs ?? Number.NaN;
    const added = found.map(({ name }) => ({
      agent: name,
      addedMedianMs: Math.round((median(`signalbox ${name} -- --version`) - median(`${name} --version`)) * 10) / 10,
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
      rows: [...rows],
      result: { suite: "launch", form, timings, added, doctorMedianMs: median("signalbox doctor") },
    };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
};
