import { randomUUID } from "node:crypto";
import { promptText } from "../../agents/deliver-prompt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { NO_AGENT_WORDS, promptArgument, readPrompt } from "../../launch/read-prompt.ts";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { messageOf, UserError } from "../../lib/text/user-error.ts";
import { readWorkOrder } from "../../receipts/run/read-order.ts";
import { MAX_ROUNDS } from "../../receipts/run/run-setup.ts";
import { type Flags, textFlag, textsFlag } from "../flags.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** The work order for a command line: a complete one from a file, or one built from the flags. */
export function orderOf(task: string | undefined, flags: Flags, backend: string): WorkOrder {
  const file = textFlag(flags, "order");
  if (file === undefined) return orderFromFlags(task, flags, backend);
  if (task !== undefined)
    throw new UserError("a task and a work order were both given", { where: "--order", fix: "remove one of them" });
  return readWorkOrder(readJsonFile(file));
}

/** The task from the command line, a file, or stdin. Undefined when there is none, or a work order brings it. */
export async function readTask(given: string | undefined, flags: Flags): Promise<string | undefined> {
  const promptFile = textFlag(flags, "promptFile");
  if (given !== undefined && promptFile !== undefined)
    throw new UserError("more than one task was given", {
      where: "--prompt-file",
      fix: "pass the task as text or as a file, not both",
    });
  // A script that passes a task may read its own list of tasks on stdin, so stdin is left alone then.
  if (given !== undefined && given !== "-") return given === "" ? undefined : promptText(promptArgument(given));
  const file = given ?? promptFile;
  if (file === undefined && textFlag(flags, "order") !== undefined) return undefined;
  const { prompt } = await readPrompt(NO_AGENT_WORDS, { file, passed: [] });
  return prompt === undefined || prompt.length === 0 ? undefined : promptText(prompt);
}

function readJsonFile(file: string): unknown {
  try {
    return parseExactJson(readBoundedText(file === "-" ? "/dev/stdin" : file, MAX_BYTES));
  } catch (cause) {
    throw new UserError(`the work order cannot be read: ${messageOf(cause)}`, {
      where: file,
      fix: "pass a JSON file that matches 'signalbox schema work-order'",
      cause,
    });
  }
}

function orderFromFlags(task: string | undefined, flags: Flags, backend: string): WorkOrder {
  if (task === undefined || task.trim() === "")
    throw new UserError("no task given", {
      fix: 'pass one: signalbox run codex "fix the tests", or --prompt-file FILE',
    });
  const staged = flags["staged"] === true || /^staged$/.test(textFlag(flags, "workspaceMode") ?? "");
  return readWorkOrder({
    id: randomUUID(),
    task,
    lane: staged ? "patch_first" : "workspace_first",
    workspace: {
      root: textFlag(flags, "root") ?? ".",
      mode: staged ? "staged" : "pass_through",
      include: textsFlag(flags, "include"),
      exclude: textsFlag(flags, "exclude"),
    },
    context: { files: textsFlag(flags, "context"), snippets: [] },
    policy: {
      allowed_tools: textsFlag(flags, "allowTool"),
      disallowed_tools: textsFlag(flags, "denyTool"),
      deny_read: textsFlag(flags, "denyRead"),
      deny_write: textsFlag(flags, "denyWrite"),
      allow_network: textsFlag(flags, "allowHost"),
      deny_network: textsFlag(flags, "denyHost"),
      require_approval_for: textsFlag(flags, "approveTool"),
    },
    requirements: { required: [] },
    config: {
      model: textFlag(flags, "model") ?? null,
      vendor: vendorOf(textsFlag(flags, "param").map(readParameter), backend),
      env: Object.fromEntries(textsFlag(flags, "env").map((entry) => pair(entry, "--env"))),
      max_budget_usd: amount(flags, "maxBudgetUsd"),
      max_turns: amount(flags, "maxTurns"),
    },
  });
}

/** A non-negative number, or null when it was not given. */
function amount(flags: Flags, name: string): number | null {
  const text = textFlag(flags, name);
  if (text === undefined) return null;
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new UserError(`${flag} needs a number of 0 or more`, { where: flag, fix: `for example ${flag} 10` });
}

/** A positive time in seconds, or null when it was not given. */
export function seconds(flags: Flags, name: string): number | null {
  const value = amount(flags, name);
  if (value !== 0) return value;
  const flag = `--${name}`;
  throw new UserError(`${flag} needs a number of seconds above 0`, {
    where: flag,
    fix: `for example ${flag} 600, or leave it out`,
  });
}

function pair(entry: string, flag: string): [string, string] {
  const at = entry.indexOf("=");
  if (at > 0) return [entry.slice(0, at), entry.slice(at + 1)];
  throw new UserError("expected NAME=VALUE", {
    where: `${flag} ${entry}`,
    fix: `use ${flag} NAME=VALUE`,
  });
}

/** The value is parsed as JSON if it is valid JSON, otherwise taken as text. */
function readParameter(entry: string): [string, unknown] {
  const [name, text] = pair(entry, "--param");
  if (name === "abp.mode" && text !== "mapped" && text !== "passthrough")
    throw new UserError(`unknown mode ${JSON.stringify(text)}`, {
      where: `--param ${entry}`,
      fix: "use abp.mode=passthrough or abp.mode=mapped",
    });
  try {
    return [name, parseExactJson(text)];
  } catch {
    return [name, text];
  }
}

/** A name with dots is a path (`abp.mode`); any other is a setting of the agent. */
function vendorOf(parameters: readonly (readonly [string, unknown])[], backend: string): Settings {
  let vendor: Settings = { [backend]: {} };
  for (const [name, value] of parameters)
    vendor = withSetting(vendor, name.includes(".") ? name.split(".") : [backend, name], value);
  return vendor;
}

type Settings = Readonly<Record<string, unknown>>;

function withSetting(settings: Settings, [name = "", ...rest]: readonly string[], value: unknown): Settings {
  const inner = settings[name];
  return { ...settings, [name]: rest.length === 0 ? value : withSetting(isRecord(inner) ? inner : {}, rest, value) };
}

export const ROUNDS_HELP = "with --accept: how many times the agent may try until the check passes";

/** How many rounds `auto` has when it has a check. */
export const AUTO_ROUNDS = "5";

/** The flags of `auto`. Without a check there is nothing to try again for. */
export const withAutoRounds = (flags: Flags): Flags =>
  flags["rounds"] === undefined && textsFlag(flags, "accept").length > 0 ? { ...flags, rounds: AUTO_ROUNDS } : flags;

/** The number of rounds; 1 when the flag was not given. */
export function roundsFlag(flags: Flags): number {
  const text = textFlag(flags, "rounds");
  if (text === undefined) return 1;
  const rounds = Number(text);
  if (!/^\d{1,3}$/.test(text) || rounds < 1 || rounds > MAX_ROUNDS)
    throw new UserError(`--rounds needs a whole number from 1 to ${MAX_ROUNDS}`, {
      where: "--rounds",
      fix: "for example --rounds 3",
    });
  if (textsFlag(flags, "accept").length === 0)
    throw new UserError("--rounds needs a check that decides whether the work is done", {
      where: "--rounds",
      fix: 'add one, for example --accept "npm test"',
    });
  return rounds;
}
