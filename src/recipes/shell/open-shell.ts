import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ContainmentFacts, SealFacts } from "../../contract/seal.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { openSegment } from "../../guard/audit/write-audit.ts";
import { guardParts } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { cleanEnvironment } from "../../lib/clean-environment.ts";
import { endTree } from "../../lib/end-tree.ts";
import { markWork } from "../../lib/left-work.ts";
import { messageOf } from "../../lib/message-of.ts";
import { startTime } from "../../lib/process-table.ts";
import { randomId } from "../../lib/random-id.ts";
import { safePath } from "../../lib/safe-path.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { systemProgram } from "../../lib/system-program.ts";
import { commandScreen } from "../../screen/screen-command.ts";
import { screen } from "../../screen/screen.ts";
import { commandMarks } from "../../tools/command/left-commands.ts";
import type { ShellOutcome, ShellRequest } from "../run/run-parts.ts";
import { oneAtATime } from "../../lib/one-at-a-time.ts";
import { renderShell } from "../template/render-shell.ts";
import { contextVariables, isReserved } from "../template/shell-variables.ts";
import { type ContainmentPlace, openRecipeContainment } from "./open-containment.ts";
import { placeCommand, type PlaceParts } from "./place-command.ts";
import { runScript } from "./run-script.ts";
import { judgedScript, writeScript } from "./script-file.ts";

export interface ShellSetting
  extends
    Omit<ContainmentPlace, "readable">,
    Pick<PlaceParts, "isRead" | "outside" | "ask" | "isInSession" | "alsoJudge"> {
  /** The private folder of the run. */
  readonly folder: string;
}

/** The shell of a run: every command is judged, recorded, and runs in the run's sandbox. Closing it ends them all. */
export interface RecipeShell extends AsyncDisposable {
  run(request: ShellRequest, signal: AbortSignal): Promise<ShellOutcome>;
  /** Whether commands are contained; opens the sandbox. */
  isContained(): Promise<boolean>;
  containment(): ContainmentFacts | undefined;
  decisions(): SealFacts["guard"]["decisions"];
  auditHead(): SealFacts["audit_head"];
}

export function openRecipeShell(setting: ShellSetting): RecipeShell {
  const { home, environment, folder, runId } = setting;
  const scripts = join(folder, "scripts");
  // What a killed run left.
  rmSync(scripts, { recursive: true, force: true });
  mkdirSync(scripts, { mode: 0o700 });
  const containment = openRecipeContainment({ ...setting, readable: [scripts] });
  const segment = openSegment(home, { now: realMachine.now, anchor: appendAnchor });
  const guard = guardParts(environment, commandScreen(screen));
  const session = randomId();
  const mark = markWork(commandMarks(home), session);
  const decisions = { allow: 0, ask: 0, deny: 0 };
  const inTurn = oneAtATime();
  const isSet = (name: string) => isReserved(name) || environment[name] !== undefined;
  let count = 0;
  const parts: PlaceParts = {
    ...setting,
    containment,
    record: { ...guard, session: runId, agent: "recipe", append: (entry) => segment.append(entry) },
    note: (verdict) => void decisions[verdict]++,
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
      const placed = await inTurn(() => placeCommand(judged, request, parts));
      if (placed.type !== "placed") return placed;
      const file = join(scripts, `${++count}.sh`);
      writeScript(file, rendered.script, variables);
      try {
        const end = await runScript({ ...orderFor(file, placed, setting), ...request, session }, signal);
        const seen = { output: `${end.stdout}\n${end.stderr}`, command: rendered.script, folder: request.folder };
        return { type: "ended", ...end, notes: containment.takeNotes(placed.inside ? seen : undefined) };
      } catch (error) {
        return { type: "refused", because: `the command could not be started: ${messageOf(error)}` };
      } finally {
        rmSync(file, { force: true });
      }
    },
    isContained: async () => (await containment.judged()).contained !== undefined,
    containment: () => containment.facts(),
    decisions: () => ({ ...decisions }),
    auditHead() {
      const { hash, count: records } = segment.head();
      return records === 0 ? null : { segment: segment.name, hash, count: records };
    },
    async [Symbol.asyncDispose]() {
      await endTree({ id: session, since: startTime(process.pid) ?? "0" });
      mark[Symbol.dispose]();
      await containment[Symbol.asyncDispose]();
      segment[Symbol.dispose]();
      rmSync(scripts, { recursive: true, force: true });
    },
  };
}

interface Placed {
  readonly argv: readonly string[];
  readonly inside: boolean;
}

/** How a script file is run where its command was placed: argv and environment. */
function orderFor(file: string, { argv, inside }: Placed, { environment, policy }: ShellSetting) {
  const line = `. ${shQuote(file)}`;
  const bash = [systemProgram("bash") ?? "bash", "--noprofile", "--norc", "-c", line];
  const own = { ...cleanEnvironment(environment), ...UNATTENDED, PATH: safePath(environment, policy.workspaceRoot) };
  return {
    argv: inside ? [...argv.slice(0, -1), line] : bash,
    // The sandbox drops secrets itself, but for those that were lent.
    environment: withoutOuter(inside ? { ...environment, ...own } : own),
  };
}

/** Nobody is at the terminal of a command, or reads that there is a newer npm. */
const UNATTENDED = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  npm_config_update_notifier: "false",
};

/** Values of a recipe around this one are not ours. */
const withoutOuter = (environment: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || name.startsWith("RECIPE_VAR_") ? [] : [[name, value]],
    ),
  );
