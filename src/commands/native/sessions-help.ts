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
