import { expect, test } from "vitest";
import { deniedEvents } from "./agent-event.ts";

test("a denied call is a warning and a failed result that has the call's id, or null", () => {
  expect(deniedEvents({ tool: "Bash", id: "c1" }, "no")).toMatchObject([
    { type: "warning", message: "tool denied: no (Bash)" },
    {
      type: "tool_result",
      tool_name: "Bash",
      tool_use_id: "c1",
      output: { denied: true, reason: "no" },
      is_error: true,
    },
  ]);
  expect(deniedEvents({ tool: "Bash" }, "no")).toMatchObject([{}, { tool_use_id: null }]);
});
