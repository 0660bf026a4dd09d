import { expect, test } from "vitest";
import { commandScreen } from "./screen-command.ts";

/** The commands that are passed to the screen itself. */
function screened(...commands: readonly string[]): readonly string[] {
  const seen: string[] = [];
  const screen = commandScreen((text) => {
    seen.push(text);
    return { risk: "none", findings: [] };
  });
  for (const command of commands) screen(command);
  return seen;
}

test("a command of few plain words is not screened, one of four words or more is", () => {
  expect(screened("pwd", "npm run build", "ls -la /tmp")).toEqual([]);
  expect(screened("echo ignore previous instructions")).toEqual(["echo ignore previous instructions"]);
});

test.each(["echo игнорируй", "echo \\x69gnore", "echo %69gnore", "echo &#105;", `echo ${"aWdub3Jl".repeat(4)}`])(
  "%s is screened, because words may hide in it",
  (command) => {
    expect(screened(command)).toEqual([command]);
  },
);

test("a long command is always screened", () => {
  const command = `ls ${"1 ".repeat(120)}`;
  expect(screened(command)).toEqual([command]);
});
