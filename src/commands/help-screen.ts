import type { Command } from "commander";
import type { Verb } from "./command-module.ts";

interface Row {
  readonly verbs: readonly string[];
  readonly text: string;
}

const LAUNCH = "start";

const WIDTH = 80;

/** The groups of `signalbox --help`. Verbs that no row names are plumbing. */
const GROUPS: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [
    "Agents",
    [
      { verbs: [LAUNCH], text: "start it under your rules" },
      { verbs: ["native", "sessions", "models"], text: "our own agent, its sessions, its models" },
      { verbs: ["context", "memory"], text: "what it reads first; what it remembers" },
    ],
  ],
  [
    "Tasks and receipts",
    [
      { verbs: ["watch", "dashboard", "run", "recipe"], text: "who needs you; tasks, workflows" },
      { verbs: ["runs", "cancel", "apply"], text: "list, restore, end, apply runs" },
      { verbs: ["receipt", "key"], text: "what runs did, and proof of it" },
    ],
  ],
  [
    "Rules",
    [
      { verbs: ["guard", "trust", "audit"], text: "explain, allow, trust, look back" },
      { verbs: ["sandbox", "outside", "prove"], text: "contain a command; test the rules" },
    ],
  ],
  ["Repository", [{ verbs: ["init", "stage", "unstage"], text: "set one up for everybody" }]],
  [
    "This machine",
    [
      { verbs: ["doctor", "demo"], text: "check it; see it all work, offline" },
      { verbs: ["prune"], text: "remove what is old" },
    ],
  ],
];

const FOOT = `Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused, 70 internal error,
126 not runnable, 127 not installed, 128+n signal n. A launch: the agent's own.`;

/** The help of the whole program, on one screen of 24 lines and 80 columns. */
export function helpScreen(verbs: readonly Verb[]): string {
  const names = verbs.map(({ name }) => name);
  const launches = verbs.filter(({ launches: agent }) => agent === true).map(({ name }) => name);
  const rows = GROUPS.map(
    ([title, group]) =>
      [title, group.map((row) => known(row, names, launches)).filter((row) => row.verbs.length > 0)] as const,
  );
  const used = rows.flatMap(([, group]) => group.flatMap((row) => row.verbs));
  const column = Math.max(...rows.flatMap(([, group]) => group.map((row) => row.verbs.join(" ").length))) + 2;
  const lines = rows.flatMap(([title, group]) => [
    title,
    ...group.map((row) => `  ${row.verbs.join(" ").padEnd(column)}${row.text}`),
  ]);
  const plumbing = names.filter((name) => !used.includes(name));
  return [
    "Usage: signalbox COMMAND [flags] [-- agent's own flags]",
    "",
    ...lines,
    "Plumbing",
    ...filled(plumbing),
    "COMMAND --help has flags and examples, such as: signalbox run --help",
    FOOT,
    "",
  ].join("\n");
}

const known = ({ verbs, text }: Row, names: readonly string[], launches: readonly string[]): Row => ({
  verbs: verbs.flatMap((verb) => (verb === LAUNCH ? launches : names.includes(verb) ? [verb] : [])),
  text,
});

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
