import { expect, test } from "vitest";
import { copilotDialect } from "../agents/copilot/hooks.ts";
import { openLaterQuestions } from "./launch-answerer.ts";

const call = (command: string) => ({
  event: "tool-before" as const,
  via: "second",
  text: JSON.stringify({ sessionId: "s", timestamp: 1, cwd: "/", toolName: "bash", toolArgs: { command } }),
});

test("the second hook asks once about each command that waits, and has no opinion about others", () => {
  const questions = openLaterQuestions(copilotDialect);
  questions.hold("inside a", "why a");
  questions.hold("inside a", "why again");
  const answers = ["inside b", "inside a", "inside a", "inside a"].map((command) =>
    JSON.parse(questions.answer(call(command)).stdout),
  );
  expect(answers).toEqual([
    {},
    expect.objectContaining({ permissionDecision: "ask", permissionDecisionReason: "why a" }),
    expect.objectContaining({ permissionDecision: "ask", permissionDecisionReason: "why again" }),
    {},
  ]);
});

test("a call that cannot be read is refused, and so is a question too many", () => {
  let time = 0;
  const questions = openLaterQuestions(copilotDialect, () => time);
  expect(questions.answer({ ...call(""), text: "{" })).toMatchObject({ exit: 2 });
  for (let index = 0; index < 200; index++) questions.hold(`c${index}`, "why");
  expect(() => questions.hold("one more", "why")).toThrow("too many questions");
  time = 61_000;
  expect(() => questions.hold("later", "why")).not.toThrow();
});
