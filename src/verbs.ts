import { PACKS } from "./agents/packs.ts";
import type { Verb } from "./commands/command-module.ts";

const launch = () => import("./commands/launch.ts");

/** Every verb, in `--help` order. A module is loaded only when its verb is used. */
export const VERBS: readonly Verb[] = [
  ...PACKS.map(({ program }) => ({
    name: program.name,
    launches: true as const,
    summary: `start ${program.title}`,
    load: launch,
  })),
  { name: "native", summary: "start signalbox's own engine", load: () => import("./commands/native/native.ts") },
  {
    name: "sessions",
    nowIn: "runs",
    summary: "list, show, resume, fork or export conversations",
    load: () => import("./commands/native/sessions.ts"),
  },
  {
    name: "models",
    summary: "list the model providers that native can use",
    load: () => import("./commands/models.ts"),
  },
  {
    name: "context",
    summary: "show the instructions, skills and memory that native would load here",
    parts: { memory: { is: ["memory"], summary: "list or forget what native has stored about this workspace" } },
    load: () => import("./commands/native/context.ts"),
  },
  {
    name: "memory",
    nowIn: "context",
    summary: "list or forget what native has stored about this workspace",
    load: () => import("./commands/native/memory.ts"),
  },
  {
    name: "mcp",
    summary: "list, add, test or remove the MCP servers that native uses",
    load: () => import("./commands/mcp.ts"),
  },
  {
    name: "watch",
    summary: "show what the agents here do, and which of them needs you",
    load: () => import("./commands/watch/watch.ts"),
  },
  {
    name: "dashboard",
    summary: "show the same as a page, for a browser on this machine",
    load: () => import("./commands/watch/dashboard.ts"),
  },
  {
    name: "run",
    summary: "run a task with an agent, check the result, keep a receipt",
    load: () => import("./commands/run/run.ts"),
  },
  {
    name: "auto",
    summary: "the same, as: auto --agent codex --task TEXT",
    load: () => import("./commands/run/run.ts"),
  },
  {
    name: "runs",
    summary: "what happened here: list, show, undo, resume, apply, cancel, restore",
    parts: {
      show: { is: ["receipt", "show"], summary: "what was asked, done, denied and changed" },
      transcript: { is: ["sessions", "show"], summary: "what was said in a conversation with native" },
      undo: { is: ["sessions", "undo"], summary: "undo the last turn of a session: files and messages" },
      redo: { is: ["sessions", "redo"], summary: "take the last undo back" },
      resume: { is: ["sessions", "resume"], summary: "continue a conversation with native" },
      fork: { is: ["sessions", "fork"], summary: "continue from a copy of it" },
      apply: { is: ["apply"], summary: "apply the result of a staged run" },
      cancel: { is: ["cancel"], summary: "end a run" },
      verify: { is: ["receipt", "verify"], summary: "check hashes, signatures, chain and log" },
      diff: { is: ["receipt", "diff"], summary: "where two runs differ" },
      export: { is: ["receipt", "export"], summary: "write a receipt with seal and key, to verify elsewhere" },
      key: { is: ["key", "show"], summary: "print the public key of your seals" },
      prune: { is: ["prune"], summary: "remove what is old" },
    },
    load: () => import("./commands/run/runs.ts"),
  },
  { name: "cancel", nowIn: "runs", summary: "end a run", load: () => import("./commands/run/cancel.ts") },
  {
    name: "apply",
    nowIn: "runs",
    summary: "apply the result of a staged run",
    load: () => import("./commands/run/apply.ts"),
  },
  {
    name: "sidecar",
    summary: "act as a host on stdin/stdout, or test one",
    load: () => import("./commands/run/sidecar.ts"),
  },
  {
    name: "fleet",
    summary: "run tasks on several machines, or later",
    load: () => import("./commands/fleet/fleet.ts"),
  },
  {
    name: "recipe",
    summary: "run workflows of commands, agents and other recipes",
    load: () => import("./commands/recipe/recipe.ts"),
  },
  { name: "agent", summary: "show which agent is active here, and why", load: () => import("./commands/agent.ts") },
  {
    name: "prompt-plan",
    summary: "show how a prompt would be passed to an agent",
    load: () => import("./commands/prompt-plan.ts"),
  },
  ...PACKS.filter(({ nested }) => nested !== undefined).map(({ program }) => ({
    name: `nested-${program.name}`,
    summary: `start ${program.name} for a program that calls it`,
    load: () => import("./commands/nested.ts"),
  })),
  {
    name: "init",
    summary: "put the rules into this repository",
    parts: {
      stage: { is: ["stage"], summary: "install hooks, agents and skills where agents look for them" },
      unstage: { is: ["unstage"], summary: "remove what stage wrote" },
    },
    load: () => import("./commands/stage/init.ts"),
  },
  {
    name: "stage",
    nowIn: "init",
    summary: "install hooks, agents and skills in this repository",
    load: () => import("./commands/stage/stage.ts"),
  },
  {
    name: "unstage",
    nowIn: "init",
    summary: "remove what stage wrote",
    load: () => import("./commands/stage/unstage.ts"),
  },
  {
    name: "guard",
    summary: "explain, allow and look back at decisions",
    parts: {
      audit: { is: ["audit"], summary: "show or verify the log of decisions" },
      trust: { is: ["trust"], summary: "trust the policy and hooks of this workspace" },
    },
    load: () => import("./commands/guard/guard.ts"),
  },
  {
    name: "sandbox",
    summary: "run one command in the sandbox, or show what it can reach",
    parts: { outside: { is: ["outside"], summary: "run one command outside the session's sandbox" } },
    load: () => import("./commands/sandbox.ts"),
  },
  {
    name: "outside",
    nowIn: "sandbox",
    summary: "run one command outside the session's sandbox",
    load: () => import("./commands/outside.ts"),
  },
  {
    name: "prune",
    nowIn: "runs",
    summary: "remove old runs, sessions, launches and audit segments",
    load: () => import("./commands/run/prune.ts"),
  },
  {
    name: "audit",
    nowIn: "guard",
    summary: "verify or show the decision log",
    load: () => import("./commands/audit.ts"),
  },
  {
    name: "trust",
    nowIn: "guard",
    summary: "trust the policy and hooks of this workspace",
    load: () => import("./commands/trust.ts"),
  },
  {
    name: "import",
    summary: "take over an agent's own rules, checked against the agent",
    load: () => import("./commands/import/import.ts"),
  },
  { name: "hook", summary: "answer a single hook event", load: () => import("./commands/hook.ts") },
  {
    name: "xpia-hook",
    summary: "answer a single hook call from stdin",
    load: () => import("./commands/xpia-hook.ts"),
  },
  {
    name: "prove",
    summary: "test that the rules are enforced on the installed agents",
    load: () => import("./commands/prove.ts"),
  },
  {
    name: "receipt",
    nowIn: "runs",
    summary: "list, show, verify and export receipts",
    load: () => import("./commands/receipt/receipt.ts"),
  },
  {
    name: "key",
    nowIn: "runs",
    summary: "print the public key that verifies your seals",
    load: () => import("./commands/key.ts"),
  },
  { name: "schema", summary: "print the JSON Schema of a file or line", load: () => import("./commands/schema.ts") },
  {
    name: "demo",
    summary: "see in seconds what signalbox does, offline",
    load: () => import("./commands/demo.ts"),
  },
  {
    name: "setup",
    summary: "find agents, try the sandbox, choose model and rules",
    load: () => import("./commands/setup.ts"),
  },
  {
    name: "uninstall",
    summary: "remove what signalbox wrote outside of repositories",
    load: () => import("./commands/run/uninstall.ts"),
  },
  { name: "doctor", summary: "check this machine", load: () => import("./commands/doctor.ts") },
  {
    name: "scripted-model",
    summary: "serve a model that plays back a script",
    load: () => import("./commands/scripted-model.ts"),
  },
  {
    name: "completions",
    summary: "print a completion script for your shell",
    load: () => import("./commands/completions.ts"),
  },
];
