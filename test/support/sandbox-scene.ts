import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shQuote } from "../../src/lib/text/shell-words.ts";
import { landlockAbi } from "./landlock-scene.ts";
import { FIXTURES, PYTHON } from "./landlock-victim.ts";
import { removeTree } from "../../src/lib/files/folder-tree.ts";
import { PRESETS } from "../../src/guard/presets/presets.ts";
import type { Policy } from "../../src/contract/policy.ts";
import { openSessionSandbox, type SandboxParts, type SessionSandbox } from "../../src/sandbox/open-session-sandbox.ts";
import { findBubblewrap } from "../../src/sandbox/prove-sandbox.ts";

/** Whether this machine can have a sandbox at all; .ci/run makes sure that it can. */
export const hasSandbox = process.platform === "linux" && findBubblewrap("/nowhere") !== undefined;

export interface SandboxScene extends AsyncDisposable {
  readonly home: string;
  readonly workspace: string;
  readonly sandbox: SessionSandbox;
  /** Runs a line inside, or with `bare` outside, in the workspace with the scene's home. */
  run(line: string, options?: SpawnSyncOptions): SceneResult;
  bare(line: string, options?: SpawnSyncOptions): SceneResult;
}

interface SceneResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** Both forms of the sandbox, as far as this machine has them. */
export const FORMS = [
  ...(hasSandbox ? (["bubblewrap"] as const) : []),
  ...(landlockAbi > 0 && existsSync(PYTHON) ? (["landlock"] as const) : []),
];

export type Form = (typeof FORMS)[number];

/** Makes the words after it run as on a machine that refuses user namespaces. */
export const WITHOUT_NAMESPACES = [PYTHON, join(FIXTURES, "without-calls.py"), "userns", "--"];

/** A bubblewrap to which user namespaces are refused. */
export function refusedBubblewrap(folder: string): string {
  const file = join(folder, "bwrap");
  const words = [...WITHOUT_NAMESPACES, findBubblewrap("/nowhere") ?? "/usr/bin/false"].map(shQuote);
  writeFileSync(file, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o755 });
  return file;
}

export interface SceneParts extends Partial<SandboxParts> {
  readonly form?: Form | undefined;
  readonly policy?: Partial<Policy>;
  /** Fills home and workspace before the sandbox is opened. */
  readonly layOut?: (home: string, workspace: string) => void;
  readonly workspaceName?: string;
}

/** A sandbox in a home and a workspace of its own. */
export async function openScene({
  policy,
  layOut,
  workspaceName = "work",
  form = "bubblewrap",
  ...parts
}: SceneParts = {}): Promise<SandboxScene> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-scene-")));
  const home = join(base, "home");
  const workspace = join(home, workspaceName);
  mkdirSync(workspace, { recursive: true });
  layOut?.(home, workspace);
  const environment = { ...process.env, HOME: home, ...parts.environment };
  const own: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "workspace", ...policy };
  const isWeaker = form === "landlock";
  const whole: Policy = isWeaker ? { ...own, landlock: "allow" } : own;
  const refused = isWeaker ? refusedBubblewrap(base) : undefined;
  const sandbox = await openSessionSandbox(whole, {
    signalboxHome: join(home, ".signalbox"),
    ...(refused === undefined ? {} : { findBubblewrap: () => refused }),
    ...parts,
    environment,
  }).catch((error: unknown) => {
    removeTree(base);
    throw error;
  });
  if (!sandbox.contained) {
    removeTree(base);
    throw new Error(`${sandbox.containment.because}: ${sandbox.containment.fix}`);
  }
  const start = (program: string, args: readonly string[], options: SpawnSyncOptions = {}): SceneResult => {
    const result = spawnSync(program, args, {
      cwd: workspace,
      env: environment,
      timeout: 60_000,
      killSignal: "SIGKILL",
      ...options,
    });
    return { code: result.status, signal: result.signal, output: `${String(result.stdout)}${String(result.stderr)}` };
  };
  return {
    home,
    workspace,
    sandbox,
    run: (line, options) => start(sandbox.program, [line], options),
    bare: (line, options) => start("/bin/bash", ["--norc", "--noprofile", "-c", line], options),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      removeTree(base);
    },
  };
}
