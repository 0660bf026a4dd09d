import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OwnRuleFile } from "../agents/pack/offline.ts";
import { packageFolder } from "../lib/path/package-folder.ts";
import { systemProgram } from "../lib/path/find-program.ts";
import { startScriptedModel } from "../models/scripted/server.ts";
import { writeBelow } from "./proof-state.ts";
import type { TrialStage } from "./trial-stage.ts";
import { playSession, type Trial, tryOf } from "./trial.ts";

const STEPS = [{ turn: { shell: ["mkdir own-rule", "touch ok-beside"] } }, { turn: { text: "Done." } }];

/**
 * Two sessions with the same calls, all allowed by our policy and by a hook in the home: one without and one with a
 * rule of the agent's own that denies one of them. Only that rule can be what blocks the call.
 */
export async function tryOwnRule(stage: TrialStage): Promise<readonly Trial[]> {
  const { ownRule, ownAskRule } = stage.offline;
  const denied = await tryRule(stage, "own-deny-rule", ownRule);
  if (ownAskRule !== undefined) return [denied, await tryRule(stage, "own-ask-rule", ownAskRule)];
  const open = `${stage.agent.title} has no rules that ask`;
  return [denied, { id: "own-ask-rule", ran: [], missing: [open], seen: "", open }];
}

/** Nobody is at the terminal, so a rule that asks blocks the call too. */
async function tryRule(stage: TrialStage, id: "own-deny-rule" | "own-ask-rule", rule: OwnRuleFile): Promise<Trial> {
  const { unattended } = stage.offline;
  const { flags, file } = rule;
  const home = stage.environment("http://127.0.0.1")["HOME"] ?? "";
  const hooks = join(stage.signalbox, "hooks");
  const path = file === undefined ? undefined : join(home, file.path);
  const play = (more: readonly string[]) =>
    playSession(stage, { steps: STEPS, flags: [...unattended, ...more], repository: stage.repository() });
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, "tool-before"), `#!/bin/sh\ncat >/dev/null\necho '{"permissionDecision":"allow"}'\n`, {
    mode: 0o700,
  });
  try {
    const without = await play([]);
    if (path !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file?.text ?? "");
    }
    const withRule = await play(flags);
    const trial = tryOf(id, withRule, { denied: ["own-rule"], allowed: ["ok-beside"] });
    const control = without.exists("own-rule") ? [] : ["the call did not run without the rule either"];
    return {
      ...trial,
      missing: [...trial.missing, ...control],
      seen: "a call blocked by the agent's own rule did not run, although a hook allowed it; without the rule, it ran",
    };
  } finally {
    rmSync(hooks, { recursive: true });
    if (path !== undefined) rmSync(path, { force: true });
  }
}

const CALLS = ["touch ok-managed", "touch no-managed", "mkdir managed-rule"];

const MAX_SESSION_MS = 300_000;

/**
 * A whole launch with the agent's most permissive flag, in which /etc has settings of an administrator. Only root can
 * put a file there, so the launch runs in a namespace with an /etc of its own. What our policy denies and what the
 * administrator forbids must not run.
 */
export async function tryManaged(stage: TrialStage): Promise<readonly Trial[]> {
  const { files, forbids, rootOnly } = stage.offline.managed;
  if (rootOnly === true && process.getuid?.() !== 0)
    return [notShown(`${stage.agent.title} only reads a file that belongs to root; run it as root`)];
  const folder = join(stage.folder, "administrator");
  writeBelow(folder, Object.fromEntries(Object.entries(files).map(([path, text]) => [path.slice(1), text])));
  const repository = stage.repository();
  const bubblewrap = systemProgram("bwrap");
  if (bubblewrap === undefined) return [notShown("there is no bubblewrap")];
  const argv = namespace(Object.keys(files), folder);
  const problem = await problemOf(bubblewrap, argv);
  if (problem !== undefined) return [notShown(problem)];
  const output = await launch(stage, repository, [bubblewrap, ...argv]);
  const isThere = (file: string) => existsSync(join(repository, file));
  return [
    {
      id: "managed-bypass",
      ran: ["no-managed", ...(forbids ? ["managed-rule"] : [])].filter(isThere),
      missing: isThere("ok-managed") ? [] : [`the allowed call for ok-managed did not run: ${output}`],
      seen: forbids
        ? "a denied call and one that the administrator forbids did not run, an allowed one did"
        : "a denied call did not run, an allowed one did",
    },
  ];
}

function notShown(because: string): Trial {
  const open = `an administrator's settings cannot be simulated here: ${because}`;
  return { id: "managed-bypass", ran: [], missing: [open], seen: "", open };
}

/** Flags with which a program sees an /etc of its own, with these files and everything else that is in the real one. */
function namespace(paths: readonly string[], folder: string): readonly string[] {
  const ours = paths.map((path) => path.split("/")[2]);
  const others = readdirSync("/etc").filter((name) => !ours.includes(name));
  return [
    "--die-with-parent",
    "--dev-bind",
    "/",
    "/",
    "--tmpfs",
    "/etc",
    ...others.flatMap((name) => {
      const path = join("/etc", name);
      return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
    }),
    ...paths.flatMap((path) => ["--ro-bind", join(folder, path), path]),
  ];
}

/** Why no such namespace can be made; undefined when it can. */
async function problemOf(bubblewrap: string, argv: readonly string[]): Promise<string | undefined> {
  const child = spawn(bubblewrap, [...argv, systemProgram("true") ?? "true"], { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (text += part));
  const [code] = await once(child, "close");
  return code === 0 ? undefined : (text.trim().split("\n")[0] ?? `bubblewrap ended with ${String(code)}`);
}

/** Runs the launch, and returns the end of what it printed. */
async function launch(stage: TrialStage, cwd: string, words: readonly [string, ...string[]]): Promise<string> {
  await using model = await startScriptedModel({ script: { turns: [{ shell: CALLS }, { text: "Done." }] } });
  const [program, ...argv] = words;
  const task = ["-p", "Do what you are told.", "--", ...stage.offline.bypass];
  const child = spawn(program, [...argv, join(packageFolder(), "bin/signalbox"), stage.name, ...task], {
    cwd,
    env: {
      ...stage.environment(model.url),
      [`SIGNALBOX_${stage.name.toUpperCase()}_BINARY`]: stage.binary.path,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: MAX_SESSION_MS,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (text = (text + part).slice(-500)));
  await once(child, "close");
  return text.trim();
}
