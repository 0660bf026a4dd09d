import type { Agent } from "./pack/agent.ts";

const INFORMATION = ["--version", "-v", "-V", "--help", "-h"];

/** Subcommands of a tool-free word that serve the agent's tools to another program, or let it work on tasks. */
const WORKING = ["serve", "eval"];

interface Start {
  readonly agent: Agent;
  readonly flags: readonly string[];
  readonly prompt?: Buffer | undefined;
}

/** True for an agent's command that runs no tools. False in case of doubt. */
export function runsNoTools({ agent, flags, prompt }: Start): boolean {
  if (prompt !== undefined) return false;
  const [first = "", ...rest] = flags;
  if (rest.length === 0 && INFORMATION.includes(first)) return true;
  if (!agent.toolFree.includes(first) || rest.some((word) => WORKING.includes(word))) return false;
  const known = agent.toolFreeFlags;
  if (known === undefined) return true;
  return !rest.some((word) => agent.unattendedFlags?.test(word)) && flagsOf(rest).every((flag) => known.includes(flag));
}

/** The flags before a `--`, without values in the same word. A `--` right after a flag may be that flag's value. */
function flagsOf(words: readonly string[]): readonly string[] {
  const isFlag = (word: string | undefined) => word?.startsWith("-") === true;
  const end = words.findIndex((word, index) => word === "--" && !isFlag(words[index - 1]));
  return words
    .slice(0, end === -1 ? words.length : end)
    .filter(isFlag)
    .map((word) => word.split("=")[0] ?? "");
}
