import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { InstalledHooks } from "../hooks/install/guarded-start.ts";

/** One start of an agent, as requested by a verb or a proof. */
export interface Launch {
  readonly agent: Agent;
  readonly binary: FoundBinary;
  /** The agent's own flags. */
  readonly flags: readonly string[];
  /** If undefined, the agent gets our terminal or our stdin as it is. */
  readonly prompt?: Buffer | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** The user wants no rules to apply. */
  readonly unguarded?: boolean | undefined;
  /** Don't start where commands cannot run in a sandbox. */
  readonly requireSandbox?: boolean | undefined;
  /** Tools that the guard denies in this launch. */
  readonly deniedTools?: readonly string[] | undefined;
  readonly warn: (text: string) => void;
  /** Set when `signalbox prove` starts the agent, with nobody at the terminal. */
  readonly proofRun?: ProofRun | undefined;
}

interface ProofRun {
  /** A file for the agent's output. */
  readonly output: number;
  /** Ends the agent immediately when aborted. */
  readonly signal: AbortSignal;
  readonly onInstalled: (hooks: InstalledHooks) => void;
}
