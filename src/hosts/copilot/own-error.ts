import { join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import type { AcpTurn } from "../acp/acp.ts";
import { textOf } from "../../agents/pack/record-fields.ts";

/**
 * The text of Copilot's own error, if one ended the turn. Over ACP, such an error is the last text chunk of a turn that
 * otherwise looks successful. Copilot's session record shows whether Copilot or the model wrote it.
 */
export function copilotError(turn: AcpTurn, env: NodeJS.ProcessEnv): string | undefined {
  const [last = "", before = ""] = turn.pieces.toReversed();
  if (!last.startsWith(MARK)) return undefined;
  const message = last.slice(MARK.length);
  const recorded = recordedErrors(turn.sessionId, env);
  const own = recorded === undefined ? !turn.counted || RETRYING.test(before) : recorded.includes(message);
  return own ? message : undefined;
}

const MARK = "Error: ";
/** Used without a record. If the model answered, it used tokens, and an answer does not follow a failed attempt. */
const RETRYING = /^Info: [^\n]{1,200} Retrying\.\.\.$/;

const MAX_BYTES = 64 * 1024 * 1024;

/** The errors in a session's record; undefined if the record cannot be read. */
function recordedErrors(sessionId: string, env: NodeJS.ProcessEnv): readonly string[] | undefined {
  if (!/^[\w-]{1,100}$/.test(sessionId)) return undefined;
  const home = env["COPILOT_HOME"] || join(env["HOME"] ?? "/", ".copilot");
  try {
    const lines = readBounded(join(home, "session-state", sessionId, "events.jsonl"), MAX_BYTES).bytes;
    return lines
      .toString("utf8")
      .split("\n")
      .filter((line) => line.includes('"session.error"'))
      .map(errorIn);
  } catch {
    // Another machine, home, or version of Copilot. Decide from the turn alone.
    return undefined;
  }
}

function errorIn(line: string): string {
  const record: unknown = parseJson(line);
  return isRecord(record) && record["type"] === "session.error" ? textOf(record["data"], "message") : "";
}
