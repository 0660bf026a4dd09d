import { homedir } from "node:os";
import { judgeByOwnRules } from "../../guard/own-rules.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import * as z from "zod";
import type { OwnRules } from "../../contract/own-rules.ts";
import { isInsideSession, SESSION_VARIABLE } from "../../lib/inside-session.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { AlsoJudge } from "../../recipes/shell/place-command.ts";

/** The session whose command started this recipe. What holds there holds for the recipe. */
export interface CallingSession {
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
    return SessionSettings.parse(parseJson(readBounded(file, MAX_BYTES).bytes.toString("utf8")));
  } catch (cause) {
    throw new UserError("the session that started this recipe cannot be identified", {
      where: SESSION_VARIABLE,
      fix: "restart the agent, or start the recipe from your own terminal",
      exitCode: EXIT.failed,
      cause,
    });
  }
}
