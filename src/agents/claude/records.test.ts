import { expect, test } from "vitest";
import { isRefusedByAgent } from "../../contract/agent-event.ts";
import { headless } from "./records.ts";

const SOURCES = {
  hook: { decision: "reject", source: "hook", reason_type: "hook" },
  own: { decision: "reject", source: "config", reason_type: "subcommandResults" },
  accepted: { decision: "accept", source: "config", reason_type: "mode" },
};

/** The event for a result as Claude Code 2.1.325 reports it. */
function read(content: string, decision?: keyof typeof SOURCES, is_error = true) {
  const meta = decision === undefined ? [] : [{ id: "1", permission_decision: SOURCES[decision] }];
  const [event] = headless.open().read({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "1", content, is_error }] },
    tool_result_meta: meta,
  });
  if (event?.type !== "tool_result") throw new Error("no result");
  return { output: event.output, byAgent: isRefusedByAgent(event) };
}

const NO_TOOL = "<tool_use_error>Error: No such tool available: Write</tool_use_error>";
const REFUSED = "refused by Claude Code itself, not by signalbox: ";

test.each([
  ["our denial", read("Blocked `rm`", "hook"), { output: { denied: true, reason: "Blocked `rm`" }, byAgent: false }],
  ["its own rule", read("denied.", "own"), { output: { denied: true, reason: `${REFUSED}denied.` }, byAgent: true }],
  [
    "its own rule about a file",
    read("<tool_use_error>File is denied.\nx</tool_use_error>", "own"),
    { output: { denied: true, reason: `${REFUSED}File is denied.\nx` }, byAgent: true },
  ],
  ["a tool that is switched off", read(NO_TOOL), { output: NO_TOOL, byAgent: true }],
  ["a command that ran and failed", read("Exit code 1", "accepted"), { output: "Exit code 1", byAgent: false }],
  ["a failed tool that prints such tags", read(NO_TOOL, "accepted"), { output: NO_TOOL, byAgent: false }],
  ["a failure without tags or decision", read("Exit code 1"), { output: "Exit code 1", byAgent: false }],
  ["a success that prints such tags", read(NO_TOOL, undefined, false), { output: NO_TOOL, byAgent: false }],
])("%s is told from the others", (_, found, expected) => {
  expect(found).toEqual(expected);
});
