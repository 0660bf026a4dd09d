import type { Command } from "commander";

/** What a verb adds to its sub-command. `run` returns the exit code. */
export interface CommandModule {
  configure(command: Command, verb: string): void;
  /** What its first word may be, for completions, where the choice is known. */
  readonly firstWords?: () => readonly string[];
  /** It does something with the words after `--`. */
  readonly takesPassed?: true;
  run(input: CommandInput): Promise<number>;
}

export interface CommandInput {
  readonly verb: string;
  /** Words before `--` that are not flags. */
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  /** Everything after the first `--`, untouched; undefined when there was no `--`. */
  readonly passed: readonly string[] | undefined;
}

export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}

const launch = () => import("./launch.ts");

/** Every verb, in the order of `--help`. A module is loaded only when its verb is used. */
export const VERBS: readonly Verb[] = [
  { name: "claude", summary: "start Claude Code", load: launch },
  { name: "copilot", summary: "start GitHub Copilot CLI", load: launch },
  { name: "codex", summary: "start Codex CLI", load: launch },
  { name: "amplifier", summary: "start Microsoft Amplifier", load: launch },
  { name: "native", summary: "start signalbox's own engine", load: () => import("./native.ts") },
  {
    name: "sessions",
    summary: "list, show, resume, fork or export conversations",
    load: () => import("./sessions.ts"),
  },
  { name: "models", summary: "list the providers of models that native can use", load: () => import("./models.ts") },
  { name: "run", summary: "give a task to an agent, check the result, keep a receipt", load: () => import("./run.ts") },
  { name: "auto", summary: "the same, as: auto --agent codex --task TEXT", load: () => import("./run.ts") },
  { name: "runs", summary: "list what runs and what ran", load: () => import("./runs.ts") },
  { name: "cancel", summary: "end a run", load: () => import("./cancel.ts") },
  { name: "apply", summary: "bring the result of a staged run back", load: () => import("./apply.ts") },
  { name: "sidecar", summary: "be a host on standard streams, or check one", load: () => import("./sidecar.ts") },
  { name: "agent", summary: "print which agent is active here, and why", load: () => import("./agent.ts") },
  { name: "prompt-plan", summary: "print how a prompt would reach an agent", load: () => import("./prompt-plan.ts") },
  {
    name: "nested-copilot",
    summary: "start copilot for a program that calls it",
    load: () => import("./nested-copilot.ts"),
  },
  { name: "init", summary: "make .signalbox/ in this repository", load: () => import("./init.ts") },
  { name: "stage", summary: "put hooks, agents and skills into this repository", load: () => import("./stage.ts") },
  { name: "unstage", summary: "take back what stage wrote", load: () => import("./unstage.ts") },
  { name: "guard", summary: "ask the guard about commands and policies", load: () => import("./guard.ts") },
  { name: "audit", summary: "check or show the log of decisions", load: () => import("./audit.ts") },
  { name: "trust", summary: "trust the policy and the hooks of this workspace", load: () => import("./trust.ts") },
  { name: "hook", summary: "answer one event of an agent", load: () => import("./hook.ts") },
  { name: "xpia-hook", summary: "answer one hook call on standard input", load: () => import("./xpia-hook.ts") },
  { name: "prove", summary: "show on the installed agents that the rules hold", load: () => import("./prove.ts") },
  { name: "receipt", summary: "list, show, check and export receipts", load: () => import("./receipt.ts") },
  { name: "key", summary: "print the key that your seals are checked with", load: () => import("./key.ts") },
  { name: "schema", summary: "print the JSON Schema of a file or line", load: () => import("./schema.ts") },
  { name: "demo", summary: "show in seconds what signalbox is for, offline", load: () => import("./demo.ts") },
  { name: "doctor", summary: "check this machine", load: () => import("./doctor.ts") },
  { name: "scripted-model", summary: "serve a model that plays a script", load: () => import("./scripted-model.ts") },
  { name: "completions", summary: "print a completion script for your shell", load: () => import("./completions.ts") },
];
