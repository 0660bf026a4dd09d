import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runParts } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { newEvent } from "../../contract/agent-event.ts";
import { Receipt } from "../../contract/receipt.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { endByHand } from "./recover-runs.ts";
import { cleanRun, createRunLog } from "./run-log.ts";

test("the receipt of a killed run has the calls that were judged, and each of them once", async () => {
  const [home, root, run_id] = [tempFolder(), tempFolder(), randomUUID()];
  const header = { run_id, work_order_id: randomUUID(), task: "t", agent: "codex", root };
  const owner = { pid: 1, started: "1" };
  const log = createRunLog(home, { ...header, mode: "pass_through", started_at: new Date().toISOString(), owner });
  const input = { command: "ls" };
  const judged = { t: "judged", tool: "Bash", input } as const;
  log.append({ ...judged, verdict: "allow", because: "" });
  const call = { type: "tool_call", tool_name: "shell", tool_use_id: "item_1", input } as const;
  log.append({ t: "event", event: newEvent(call) });
  log.append({ ...judged, input: { command: "rm x" }, verdict: "deny", because: "no" });
  await endByHand(run_id, runParts({ root, home }));
  const file = join(home, "receipts", `${run_id}.json`);
  const { trace } = Receipt.parse(parseExactJson(readFileSync(file, "utf8")));
  expect(trace.slice(0, -2)).toMatchObject([
    { type: "tool_call", tool_use_id: "item_1" },
    { type: "tool_call", tool_use_id: "judged-1", input: { command: "rm x" } },
    { type: "warning", message: "tool denied: no (Bash)" },
    { type: "tool_result", tool_use_id: "judged-1", output: { denied: true, reason: "no" } },
  ]);
});

test("a run that is clean already may be cleaned again, and its end stays", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "closed.json"), "{}");
  writeFileSync(join(folder, "cancel"), "");
  cleanRun(folder);
  cleanRun(folder);
  expect(readdirSync(folder)).toEqual(["closed.json"]);
});
