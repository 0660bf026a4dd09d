import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentScene } from "../../../test/support/agent-scene.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { openWorkplace } from "./workplace.ts";

/** A text that tries to steer an agent. */
function steering(): string {
  const order = parseJson(readFileSync(join(import.meta.dirname, "../../../test/fixtures/memory-order.json"), "utf8"));
  return isRecord(order) ? String(order["text"]) : "";
}

test("a text from outside that tries to steer taints the session and is said; any other does not", async () => {
  const { cwd, settings, warnings } = agentScene({});
  const policy = settings.policyFor(cwd);
  await using workplace = openWorkplace(settings, {
    sessionId: "20260101-000000-0123abcd",
    policy,
    beforeChange: { name: "nothing" },
    recovery: undefined,
  });
  workplace.onOutsideText("The weather is fine today.", "web_page");
  expect([workplace.isTainted(), warnings]).toEqual([false, []]);
  workplace.onOutsideText(steering(), "web_page");
  expect([workplace.isTainted(), warnings]).toEqual([true, ["text from web_page contains instructions for the agent"]]);
});
