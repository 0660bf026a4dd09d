import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { Offline } from "../agents/pack/offline.ts";
import { workspaceFolders } from "../agents/search-path.ts";
import type { AgentName } from "../contract/agent.ts";
import type { InstalledHooks } from "../hooks/install/guarded-start.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { findProgram } from "../lib/path/find-program.ts";
import { removeTree } from "../lib/files/folder-tree.ts";
import { safePath } from "../lib/path/inside.ts";
import { UserError } from "../lib/text/user-error.ts";
import type { Processes } from "../receipts/run/run-setup.ts";
import type { GuaranteeId } from "./guarantees.ts";
import { offlineEnvironment, offlineOf, writeBelow } from "./proof-state.ts";

/** An installed agent that can be tested. */
export interface Candidate {
  readonly agent: Agent;
  readonly name: AgentName;
  readonly binary: FoundBinary;
}

/** Where one agent is tested: a home, a signalbox folder, and repositories, all thrown away afterwards. */
export interface TrialStage extends Candidate, Disposable {
  readonly offline: Offline;
  readonly version: string;
  readonly folder: string;
  /** The user's signalbox folder, as the agent's launch sees it. */
  readonly signalbox: string;
  /** Creates a repository with these files. */
  readonly repository: (files?: Readonly<Record<string, string>>) => string;
  /** The environment of a launch, with the model at `url` as the only provider. */
  readonly environment: (url: string) => NodeJS.ProcessEnv;
  /** Runs checks in an environment. */
  readonly processesFor: (env: NodeJS.ProcessEnv) => Pick<Processes, "runCheck">;
  /** For tests: breaks the guard, so that a proof has something to find. */
  readonly sabotage: (guard: InstalledHooks) => void;
}

export interface ProveOptions {
  readonly version: string;
  /** The user's environment. Only the path and the language are used. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly tell: (progress: string) => void;
  /** Test only these guarantees; all if undefined. */
  readonly only?: readonly GuaranteeId[] | undefined;
  readonly processesFor: TrialStage["processesFor"];
  readonly sabotage?: TrialStage["sabotage"] | undefined;
}

/** Files that start with `no-` may not be written; everything else is as in the default preset. */
export const PROOF_POLICY = 'version: 1\npaths: { deny_write: ["no-*"] }\n';

const KEPT = ["LANG", "LC_ALL", "TZ"];

/** Opens a stage in a throw-away home, which agents may share. */
export async function openTrialStage(
  { agent, name, binary }: Candidate,
  home: string,
  { version, env, processesFor, sabotage = () => {} }: ProveOptions,
): Promise<TrialStage> {
  const offline = await offlineOf(name);
  // A proof is about the agent and its rules, so programs from the current folder must not be on PATH.
  const path = safePath(env, ...workspaceFolders([currentFolder()], env));
  const git = findProgram("git", path);
  if (git === undefined)
    throw new UserError("git not found", { where: "PATH", fix: "install git (needed for a proof)" });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-proof-")));
  const [signalbox, temporary] = [join(folder, "signalbox"), join(folder, "tmp")];
  for (const made of [signalbox, temporary]) mkdirSync(made, { mode: 0o700 });
  writeFileSync(join(signalbox, "policy.yaml"), PROOF_POLICY);
  const known = Object.fromEntries(KEPT.flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]])));
  const baseEnvironment = { ...known, PATH: path };
  let repositories = 0;
  return {
    agent,
    name,
    offline,
    binary,
    version,
    folder,
    signalbox,
    repository(files = {}) {
      const repository = join(folder, `repository-${++repositories}`);
      execFileSync(git, ["init", "-q", "-b", "main", repository], { env: { ...baseEnvironment, HOME: home } });
      writeBelow(repository, files, 0o755);
      return repository;
    },
    environment: (url) => ({
      ...baseEnvironment,
      HOME: home,
      TERM: "xterm-256color",
      TMPDIR: temporary,
      SIGNALBOX_HOME: signalbox,
      ...offlineEnvironment(offline, url, home),
    }),
    processesFor,
    sabotage,
    [Symbol.dispose]: () => removeTree(folder),
  };
}
