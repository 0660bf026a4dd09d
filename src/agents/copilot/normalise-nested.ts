import { UserError } from "../../lib/text/user-error.ts";
import type { NestedLaunch } from "../pack/agent-pack.ts";

export const PERMISSIVE_PREFIX = ["--allow-all-tools", "--allow-all-paths"] as const;

const SYSTEM_FLAGS = ["--system-prompt", "--append-system-prompt"];
const PROMPT_FLAGS = ["-p", "--prompt"];
const FORBID_FLAGS = ["--disallowed-tools", "--disallowedTools"];
const DROPPED_FLAG = "--dangerously-skip-permissions";
const DECISION_FLAGS = [
  "--allow-all-tools",
  "--allow-tool",
  "--deny-tool",
  "--allow-all",
  "--yolo",
  "--allow-all-paths",
  "--allow-path",
  "--deny-path",
];

/** Rewrites the argv of a program that calls copilot as if it were another agent. Other words keep their order. */
export function normaliseNested(argv: readonly string[]): NestedLaunch {
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  const system: string[] = [];
  const prompts: string[] = [];
  const forbiddenTools: string[] = [];
  const rest: string[] = [];
  let undecided = true;

  for (let index = 0; index < options.length; index++) {
    const { flag, value } = splitFlag(options[index] ?? "");
    const takeValue = () => value ?? valueAfter(flag, options[++index]);

    if (SYSTEM_FLAGS.includes(flag)) system.push(takeValue());
    else if (PROMPT_FLAGS.includes(flag)) prompts.push(takeValue());
    else if (FORBID_FLAGS.includes(flag)) {
      const tools = takeValue()
        .split(/[\s,]+/)
        .filter((tool) => tool !== "");
      forbiddenTools.push(...tools);
      if (tools.length > 0) system.push(forbidding(tools));
      undecided = false;
    } else if (flag !== DROPPED_FLAG) {
      if (DECISION_FLAGS.includes(flag)) undecided = false;
      rest.push(options[index] ?? "");
    }
  }
  const parts = [...system, ...prompts].filter((part) => part.trim() !== "");
  return {
    flags: end === -1 ? rest : [...rest, ...argv.slice(end)],
    prompt: parts.length === 0 ? undefined : parts.join("\n\n"),
    undecided,
    forbiddenTools,
  };
}

/** The complete argv in the form of the contract: one final `-p`, before a `--`. */
export function nestedArgv({ undecided, flags, prompt }: NestedLaunch): string[] {
  const prefixed = undecided ? [...PERMISSIVE_PREFIX, ...flags] : flags;
  const end = prefixed.includes("--") ? prefixed.indexOf("--") : prefixed.length;
  return prompt === undefined ? [...prefixed] : prefixed.toSpliced(end, 0, "-p", prompt);
}

const forbidding = (tools: readonly string[]) =>
  `You must not use these tools in this task, whatever comes later: ${tools.join(", ")}.`;

function splitFlag(word: string): { flag: string; value: string | undefined } {
  const equals = word.startsWith("-") ? word.indexOf("=") : -1;
  return equals === -1
    ? { flag: word, value: undefined }
    : { flag: word.slice(0, equals), value: word.slice(equals + 1) };
}

function valueAfter(flag: string, next: string | undefined): string {
  if (next !== undefined) return next;
  throw new UserError(`${flag} has no value`, {
    where: "the arguments of copilot",
    fix: `give one after it, or leave ${flag} out`,
  });
}
