import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import * as z from "zod";
import type { OwnRules } from "../../contract/own-rules.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { judgeByOwnRules } from "../../guard/own-rules.ts";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { ENDING_SIGNALS } from "../../lib/process/at-exit.ts";
import { isInsideSession, SESSION_VARIABLE } from "../../lib/process/inside-session.ts";
import { printable } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { AlsoJudge } from "./place-command.ts";

/** The session whose command started this recipe. What holds there holds for the recipe. */
interface CallingSession {
  /** The session's commands are contained, so those of the recipe must be too. */
  readonly requiresSandbox: boolean;
  /** Tools that the session denies its agent. */
  readonly deniedTools: readonly string[];
  /** The agent's own rules about commands. */
  readonly alsoJudge: AlsoJudge | undefined;
}

/** What a recipe needs of the settings of a launch. */
const SessionSettings = z.object({
  workspace: z.string(),
  deniedTools: z.array(z.string()),
  sandbox: z.string().optional(),
  ownRules: z
    .custom<OwnRules>((value) => isRecord(value) && Array.isArray(value["deny"]) && Array.isArray(value["ask"]))
    .optional(),
});

const MAX_BYTES = 16 * 1024 * 1024;

/** Undefined when a person started the recipe. Throws when the session has another workspace. */
export function callingSession(env: NodeJS.ProcessEnv, workspace: string): CallingSession | undefined {
  if (!isInsideSession(env)) return undefined;
  const file = env[SESSION_VARIABLE] ?? "";
  if (file === "") return { requiresSandbox: false, deniedTools: [], alsoJudge: undefined };
  const settings = readSettings(file);
  if (settings.workspace !== workspace)
    throw new UserError("a session starts recipes only in its own workspace", {
      where: workspace,
      fix: `start it in ${settings.workspace}, or from your own terminal`,
      exitCode: EXIT.failed,
    });
  const { ownRules, deniedTools, sandbox } = settings;
  return {
    requiresSandbox: sandbox !== undefined,
    deniedTools,
    alsoJudge:
      ownRules === undefined
        ? undefined
        : (command, cwd) =>
            judgeByOwnRules(command, ownRules, { cwd, workspace, home: homedir(), machine: realMachine }),
  };
}

function readSettings(file: string): z.infer<typeof SessionSettings> {
  try {
    return SessionSettings.parse(parseJson(readBoundedText(file, MAX_BYTES)));
  } catch (cause) {
    throw new UserError("the session that started this recipe cannot be identified", {
      where: SESSION_VARIABLE,
      fix: "restart the agent, or start the recipe from your own terminal",
      exitCode: EXIT.failed,
      cause,
    });
  }
}

/** Asks a yes-or-no question on the terminal. Undefined when nobody is there; a session's terminal is the model's. */
export async function askPerson(question: string, session: CallingSession | undefined): Promise<boolean | undefined> {
  if (session !== undefined || !process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${printable(question)} [y/N] `)).trim());
  } catch {
    // The terminal went away, so nobody said yes.
    return undefined;
  } finally {
    terminal.close();
  }
}

/** Aborts when the user interrupts, or when the recipe's time is up. */
export function openInterruption(seconds: number | undefined): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("interrupted"));
  const timeUp = () => controller.abort(new Error(`its ${seconds} s are used up`));
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  const timer = seconds === undefined ? undefined : setTimeout(timeUp, seconds * 1000);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const signal of ENDING_SIGNALS) process.off(signal, stop);
    },
  };
}
