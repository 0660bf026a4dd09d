import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { openEditor, place, said } from "./support/acp-editor.ts";

test("in the mode Auto an editor sees the reminder, the summary, and why work was cut off", async () => {
  const complete = { calls: [{ name: "task_complete", input: { summary: "It is one word." } }] };
  const here = await place({ turns: [{ text: "Soon." }, complete], after: { text: "Later." } });
  const editor = await openEditor(here);
  const { sessionId } = await editor.begin();
  await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "auto" });
  expect(await editor.ask(sessionId, "what is in a.txt?")).toMatchObject({ stopReason: "end_turn" });
  expect(said(editor.updates)).toMatch(/Soon\.[^]*not finished \(autopilot\)[^]*It is one word\./);
  expect(await editor.ask(sessionId, "and in b.txt?")).toMatchObject({ stopReason: "max_turn_requests" });
  expect(said(editor.updates)).toContain("cut off: it stopped 6 times without saying that the task is complete");
  expect(await editor.close()).toBe(0);
});
