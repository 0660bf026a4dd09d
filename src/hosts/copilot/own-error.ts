import { join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import type { AcpTurn } from "../acp/acp.ts";
import { textOf } from "../../agents/pack/record-fields.ts";

/**
 * What Copilot's own error says, when that ended the turn. Over ACP it is the last piece of text of a turn that ends
 * like a good one; whether Copilot or the model said it stands in Copilot's record of the session.
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
/** Without a record: a model that answered has used something, and an answer does not follow a failed attempt. */
const RETRYING = /^Info: [^\n]{1,200} Retrying\.\.\.$/;

const MAX_BYTES = 64 * 1024 * 1024;

/** The errors in the record of a session; undefined where no record can be read. */
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
    // Another machine, another home, or another version of Copilot: then the turn itself must do.
    return undefined;
  }
}

function errorIn(line: string): string {
  const record: unknown = parseJson(line);
  return isRecord(record) && record["type"] === "session.error" ? textOf(record["data"], "message") : "";
}
