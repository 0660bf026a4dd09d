import type { SubVerbHelp } from "../command-module.ts";

const ENGINE = [
  "--model",
  "--effort",
  "--base-url",
  "--accept",
  "--accept-keep",
  "--accept-changed",
  "--accept-timeout",
  "--max-turns",
  "--max-cost",
  "--timeout",
  "--model-idle",
  "--allow-tool",
  "--deny-tool",
  "--skill-directory",
  "--disable-skill",
  "--policy",
  "--preset",
  "--require-sandbox",
  "--json",
];

/** What each subcommand of `sessions` does and reads. */
export const SESSIONS_HELP: Readonly<Record<string, SubVerbHelp>> = {
  list: {
    usage: "[--here] [--json]",
    summary: "list conversations, newest first",
    flags: ["--here", "--json"],
    examples: ["signalbox sessions list --here"],
  },
  show: {
    usage: "SESSION [--json]",
    summary: "show one: its facts, then what was said and done",
    flags: ["--json"],
    examples: ["signalbox sessions show last"],
  },
  dropped: {
    usage: "SESSION [--json]",
    summary: "show what was left out when it was shortened",
    flags: ["--json"],
    examples: ["signalbox sessions dropped last"],
  },
  resume: {
    usage: "SESSION [-p TEXT] [flags]",
    summary: "go on with one, on the terminal or with one prompt",
    flags: ["--prompt", ...ENGINE],
    examples: ["signalbox sessions resume last", 'signalbox sessions resume last -p "now add a test"'],
  },
  undo: {
    usage: "SESSION [--to TURN] [flags]",
    summary: "undo the last turn: its files and its messages",
    flags: ["--to", "--list", "--dry-run", "--force", "--yes", "--json"],
    more: `Files become what they were before the turn; files that it made are removed.
What you changed since is kept and named, unless you pass --force. Files that
git ignores are not in a snapshot and stay. It asks first; 'sessions redo' takes
it back until there is new work. docs/snapshots.md says more.

Exit codes:
  0 done   1 some files could not be restored (the conversation stays as it is)
  2 usage, or no such turn   3 not confirmed, open elsewhere, no snapshot,
  inside a session, or some files were kept`,
    examples: [
      "signalbox sessions undo last --list",
      "signalbox sessions undo last --dry-run",
      "signalbox sessions undo last --to 2 --yes",
    ],
  },
  redo: {
    usage: "SESSION [--dry-run] [--yes] [--json]",
    summary: "redo what was undone",
    flags: ["--dry-run", "--yes", "--json"],
    examples: ["signalbox sessions redo last"],
  },
  fork: {
    usage: "SESSION [--records N] [--json]",
    summary: "copy one, or its first records, into a new one",
    flags: ["--records", "--json"],
    examples: ["signalbox sessions fork 1f0c2d3e --records 40"],
  },
  export: {
    usage: "SESSION [--raw] [--json]",
    summary: "write it as Markdown, secrets redacted",
    flags: ["--raw", "--json"],
    examples: ["signalbox sessions export last > talk.md"],
  },
};

export const SESSIONS_EXAMPLES = [
  "signalbox sessions list --here",
  "signalbox sessions resume last",
  "signalbox sessions export last > talk.md",
];
