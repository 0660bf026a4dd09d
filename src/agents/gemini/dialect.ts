import type { Dialect, Payload } from "../../contract/dialect.ts";
import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { readFields, SNAKE } from "../dialect/fields.ts";
import { isStop, reasonText } from "../dialect/hook-event.ts";

/** Gemini CLI calls the answer `decision`. Its hooks cannot ask a person. */
export const geminiDialect: Dialect = {
  name: "gemini",
  events: {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt-submitted": "BeforeAgent",
    "tool-before": "BeforeTool",
    "tool-after": "AfterTool",
    "agent-stop": "AfterAgent",
    "compact-before": "PreCompress",
  },
  asks: false,
  denialExit: 0,
  read: (event, payload) => readFields(event, payload, SNAKE),
  write,
};

function write(event: HookEventName, answer: HookAnswer): Payload {
  const { verdict, because, input, context, block } = answer;
  if (isStop(event) || (event === "prompt-submitted" && block !== undefined))
    return block === undefined ? {} : { decision: "deny", reason: block };
  if (event === "tool-before" && (verdict === "deny" || verdict === "ask"))
    return { decision: "deny", reason: reasonText(because) };
  const specific = {
    ...(event === "tool-before" && input !== undefined ? { tool_input: input } : {}),
    ...(context === undefined ? {} : { additionalContext: context }),
  };
  return Object.keys(specific).length === 0 ? {} : { hookSpecificOutput: specific };
}
