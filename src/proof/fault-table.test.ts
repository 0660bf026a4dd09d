import { expect, test } from "vitest";
import { faultLines } from "./fault-table.ts";
import { FAULT_IDS } from "./guarantees.ts";

test("the page names its command and versions, and says for each fault what ran", () => {
  const faults = FAULT_IDS.map((id) => ({
    id,
    bare: id === "fault.exit-1" ? ("ran" as const) : ("none" as const),
    guarded: "blocked" as const,
  }));
  const lines = faultLines([{ agent: "codex", version: "0.166.0", faults }], {
    command: "signalbox prove --faults",
    means: ["Codex: a trusted hook", "Copilot: a plugin"],
  });
  expect(lines[2]).toBe("Made by `signalbox prove --faults` on codex 0.166.0.");
  expect(lines[4]).toContain("(Codex: a trusted hook; Copilot: a plugin)");
  expect(lines.slice(6, 10).map((line) => line.replaceAll(/ +/g, " "))).toEqual([
    "| fault | codex, bare | codex, signalbox |",
    expect.stringMatching(/^\| -+ \| -+ \| -+ \|$/),
    "| the hook exits with 1 | **ran** | blocked |",
    "| the hook exits with 3 | – | blocked |",
  ]);
  expect(lines.length).toBe(8 + FAULT_IDS.length);
});
