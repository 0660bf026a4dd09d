import type { Command } from "commander";
import type { Verb } from "./command-module.ts";

type Rows = readonly (readonly [verbs: string, text: string])[];

type Groups = readonly (readonly [title: string, rows: Rows])[];

/** Stand for the verbs that start an agent: the first ones, and the others. */
const [LAUNCH, OTHERS] = ["AGENT", "OTHERS"];

const WIDTH = 80;

/** What a person uses in the first month: at most twelve verbs. */
const FIRST: Groups = [
  [
    "Work",
    [
      [LAUNCH, "start it under your rules"],
      ["native", "the same with the agent of signalbox itself"],
      ["run", "a task, a check that decides, a receipt"],
      ["runs", "what happened: show, undo, resume, apply, cancel"],
    ],
  ],
  [
    "Rules",
    [
      ["guard", "explain, allow, audit, trust"],
      ["sandbox", "run one command contained"],
      ["prove", "test that the rules hold with your agents"],
      ["init", "put the rules into a repository, for everybody"],
    ],
  ],
  [
    "This machine",
    [
      ["setup", "find agents, try the sandbox, choose model and rules"],
      ["doctor", "check what works"],
    ],
  ],
];

/** The rest. Verbs that no row names are plumbing. */
const MORE: Groups = [
  [
    "More",
    [
      [OTHERS, "start it under your rules too"],
      ["demo", "see it all work, offline"],
      ["import", "take over the rules that you gave to an agent"],
      ["watch dashboard", "what agents do here, and which of them needs you"],
      ["recipe fleet", "workflows, and tasks on several machines, with receipts"],
      ["models mcp context", "native's models, MCP servers, context and memory"],
      ["uninstall", "remove what signalbox wrote outside of repositories"],
    ],
  ],
];

const MAX_LAUNCHES = 3;

const FOOT = `Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused, 70 internal error,
126 not runnable, 127 not installed, 128+n signal n. A launch: the agent's own.`;

/** The help of the whole program: what is used most, or all of it. Fits on a screen of 24 lines and 80 columns. */
export function helpScreen(verbs: readonly Verb[], isAll: boolean): string {
  const launches = verbs.filter(({ launches: agent }) => agent === true).map(({ name }) => name);
  const groups = isAll ? [...FIRST, ...MORE] : FIRST;
  const named = (words: string) =>
    words
      .replace(LAUNCH, launches.slice(0, MAX_LAUNCHES).join(" "))
      .replace(OTHERS, launches.slice(MAX_LAUNCHES).join(" "));
  const column = Math.max(...groups.flatMap(([, rows]) => rows.map(([words]) => named(words).length))) + 2;
  const lines = groups.flatMap(([title, rows]) => [
    title,
    ...rows.map(([words, text]) => `  ${named(words).padEnd(column)}${text}`),
  ]);
  return [
    "Usage: signalbox COMMAND [flags] [-- agent's own flags]",
    ...(isAll ? [...lines, ...others(verbs, groups)] : ["", ...lines, "", "All commands: signalbox help --all"]),
    "COMMAND --help has flags and examples, such as: signalbox run --help",
    ...(isAll ? [] : [FOOT]),
    "",
  ].join("\n");
}

/** Plumbing, and the names that verbs had before they became parts of others. */
function others(verbs: readonly Verb[], groups: Groups): readonly string[] {
  const used = groups.flatMap(([, rows]) => rows.flatMap(([words]) => words.split(" ")));
  const rest = verbs.filter(({ name, launches, nowIn }) => !used.includes(name) && launches !== true && !nowIn);
  const older = verbs.flatMap(({ name, nowIn }) => (nowIn === undefined ? [] : [`${name} (${nowIn})`]));
  return ["Plumbing", ...filled(rest.map(({ name }) => name)), "Older names, now in", ...filled(older)];
}

/** Words in lines of at most the screen's width. */
function filled(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The command-line parser's error, without the user's words, because any of them may be a prompt. */
export function usageMessage(text: string, command: Command): string {
  const hint = command.options.some(({ long }) => long === "--prompt") ? "; pass a prompt with -p" : "";
  return text
    .replace(/^error: /, "")
    .replace(/^(too many arguments.* but got \d+): [^]*\.$/m, `$1${hint}`)
    .replace(/^(option '[^']*') argument '[^]*' is invalid\. /, "$1: ")
    .replace(/^(unknown option '\S*)\s[^]*'/, `$1 …'${hint}`);
}
