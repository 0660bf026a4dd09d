import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SealFacts } from "../../contract/seal.ts";
import type { AuditEntry, Verdict } from "../../contract/verdict.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { auditHead, openSegment } from "../../guard/audit/write-audit.ts";
import { guardParts } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { definedFields } from "../../lib/json/json-value.ts";
import { markWork } from "../../lib/process/left-work.ts";
import { oneAtATime } from "../../lib/process/tasks.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import { endSession } from "../../sandbox/run/process-tree.ts";
import { runScript } from "../../sandbox/run/run-script.ts";
import { bashArgv, bashEnvironment } from "../../sandbox/run/start-command.ts";
import { isPoison } from "../../shell/model/shell-state.ts";
import { contextVariables, isReserved, renderShell } from "../language/shell-template.ts";
import type { ShellOutcome, ShellRequest } from "../run/run-parts.ts";
import { openRecipeContainment, placeCommand, type ShellSetting } from "./place-command.ts";

/** The shell of a run: every command is judged, recorded, and runs in the run's sandbox. Closing it ends them all. */
export interface RecipeShell extends AsyncDisposable {
  run(request: ShellRequest, signal: AbortSignal): Promise<ShellOutcome>;
  /** Whether commands are contained; opens the sandbox. */
  isContained(): Promise<boolean>;
  /** What the receipt says about the commands so far. */
  facts(): {
    readonly decisions: SealFacts["guard"]["decisions"];
    readonly containment: SealFacts["containment"];
    readonly auditHead: SealFacts["audit_head"];
  };
}

export function openRecipeShell(setting: ShellSetting): RecipeShell {
  const { home, environment, folder } = setting;
  const scripts = join(folder, "scripts");
  // What a killed run left.
  rmSync(scripts, { recursive: true, force: true });
  mkdirSync(scripts, { mode: 0o700 });
  const containment = openRecipeContainment(setting, [scripts]);
  const segment = openSegment(home, { now: realMachine.now, anchor: appendAnchor });
  const session = randomId();
  const mark = markWork(commandMarks(home), session);
  const decisions = { allow: 0, ask: 0, deny: 0 };
  const inTurn = oneAtATime();
  const isSet = (name: string) => isReserved(name) || environment[name] !== undefined;
  let count = 0;
  const judging = {
    ...guardParts(environment, commandScreen(screen)),
    containment,
    append: (entry: AuditEntry) => segment.append(entry),
    note: (verdict: Verdict) => void decisions[verdict]++,
  };
  return {
    async run(request, signal) {
      const rendered = renderShell(request.command, request.context);
      if (rendered.problem !== undefined) return { type: "refused", because: rendered.problem };
      const all = [...contextVariables(request.context), ...rendered.variables, ...Object.entries(request.env)];
      // A shell variable cannot hold NUL. One that the command refers to was refused before.
      const variables = new Map(all.filter(([, value]) => !value.includes("\0")));
      // Where a command runs is noted under its text, so two with the same text must not be in between.
      const judged = judgedScript(rendered.script, variables, isSet);
      const placed = await inTurn(() => placeCommand(judged, request, setting, judging));
      if (placed.type !== "placed") return placed;
      const file = join(scripts, `${++count}.sh`);
      writeScript(file, rendered.script, variables);
      try {
        const line = `. ${shQuote(file)}`;
        const { folder: cwd, timeoutSeconds } = request;
        const argv = placed.inside ? [...placed.argv.slice(0, -1), line] : bashArgv(line);
        const env = scriptEnvironment(setting, placed.inside);
        const end = await runScript({ argv, folder: cwd, environment: env, session, timeoutSeconds }, signal);
        const seen = { output: `${end.stdout}\n${end.stderr}`, command: rendered.script, folder: cwd };
        return { type: "ended", ...end, notes: containment.takeNotes(placed.inside ? seen : undefined) };
      } catch (error) {
        return { type: "refused", because: `the command could not be started: ${messageOf(error)}` };
      } finally {
        rmSync(file, { force: true });
      }
    },
    isContained: async () => (await containment.judged()).contained !== undefined,
    facts() {
      return { decisions: { ...decisions }, containment: containment.facts(), auditHead: auditHead(segment) };
    },
    async [Symbol.asyncDispose]() {
      await endSession(session);
      mark[Symbol.dispose]();
      await containment[Symbol.asyncDispose]();
      segment[Symbol.dispose]();
      rmSync(scripts, { recursive: true, force: true });
    },
  };
}

/** The environment of a script. Nobody reads there that there is a newer npm, and values of a recipe around this one are not ours. */
function scriptEnvironment({ environment, policy }: ShellSetting, inside: boolean): Record<string, string> {
  const own = { ...bashEnvironment(environment, policy.workspaceRoot), npm_config_update_notifier: "false" };
  // The sandbox drops secrets itself, but for those that were lent.
  const whole = Object.entries(inside ? { ...environment, ...own } : own);
  return definedFields(Object.fromEntries(whole.filter(([name]) => !name.startsWith("RECIPE_VAR_"))));
}

/** A variable larger than this cannot be passed to a program, so only the script itself sees it. */
const MAX_EXPORTED = 96 * 1024;

const MAX_ALL_EXPORTED = 1024 * 1024;

/**
 * Writes the file that a step's shell reads: first the variables, then the script. Values come from a file because the
 * environment has limits on size and the sandbox drops variables that look like secrets.
 */
export function writeScript(path: string, script: string, variables: ReadonlyMap<string, string>): void {
  let exported = 0;
  const lines = [...variables].map(([name, value]) => {
    const size = Buffer.byteLength(value) + name.length;
    const isExported = size <= MAX_EXPORTED && exported + size <= MAX_ALL_EXPORTED;
    if (isExported) exported += size;
    return `${isExported ? "export " : ""}${name}=${shQuote(value)}\n`;
  });
  writeFileSync(path, `${lines.join("")}${script}\n`, { mode: 0o600, flag: "wx" });
}

const MAX_VALUE = 4096;

const MAX_VALUES = 32 * 1024;

/** Of these, the guard takes only so many in one script, because they are costly to read. */
const COSTLY = /[;|&$*?[`<({'"]/g;

const MAX_COSTLY = 50;

/** Of a variable that programs act on. */
const MAX_SHOWN = 80;

/** What a command prints is unknown to the guard, so it takes the value for text that could be anything. */
const UNKNOWN_VALUE = "$(cat)";

/**
 * What the guard judges: the script, and in front of it the values of the variables that it mentions. A value that is
 * long, or that only programs write, counts as unknown; it must not make the script look like one that is too hard to
 * read. A variable that programs act on (`XDG_CONFIG_HOME`, where git finds settings that start programs) is always
 * there, as if the script set it. `isSet` says which other variables the shell has; those with a default are then known
 * to be empty.
 */
export function judgedScript(
  script: string,
  variables: ReadonlyMap<string, string>,
  isSet: (name: string) => boolean = () => true,
): string {
  const mentioned = new Set([...script.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g)].map((match) => match[1] ?? ""));
  const withDefault = new Set([...script.matchAll(/\$\{([A-Za-z_]\w*):?-/g)].map((match) => match[1] ?? ""));
  const actedOn = [...variables].filter(([name]) => isPoison(name) && !mentioned.has(name));
  let [left, costly] = [MAX_VALUES, MAX_COSTLY];
  const lines = [...mentioned].flatMap((name) => {
    const value = variables.get(name);
    if (value === undefined) return withDefault.has(name) && !isSet(name) ? [`${name}=''\n`] : [];
    const cost = value.match(COSTLY)?.length ?? 0;
    if (value.length > Math.min(MAX_VALUE, left) || cost > costly || /[\u0001-\u0008\u000b-\u001f\u007f]/.test(value))
      return [`${name}=${UNKNOWN_VALUE}\n`];
    [left, costly] = [left - value.length, costly - cost];
    return [`${name}=${shQuote(value)}\n`];
  });
  const shown = actedOn.map(([name, value]) => `${name}=${shQuote(value.slice(0, MAX_SHOWN))}\n`);
  return `${shown.join("")}${lines.join("")}${script}`;
}
