import { expect, test } from "vitest";
import { agentNamed } from "../packs.ts";
import { refuseWords } from "./refuse.ts";

const REFUSED = {
  agent: agentNamed("claude", ""),
  flags: ["--bare"],
  folders: ["--cd"],
  commands: ["app server", "serve"],
  variables: ["UNSAFE"],
};
const refused =
  (flags: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  () =>
    refuseWords(REFUSED, { flags, env });

test.each([
  ["a flag", ["--bare"], "--bare would disable the guard"],
  ["another folder", ["--cd=/x"], "starts the agent in another folder"],
  ["a sub-command of two words", ["app", "server"], "app server would disable the guard"],
  ["one behind other words", ["x", "app", "--verbose", "server"], "app server would disable the guard"],
  ["a sub-command of one word", ["serve"], "serve would disable the guard"],
])("%s that bypasses the rules is refused", (_, flags, message) => {
  expect(refused(flags)).toThrow(message);
});

test("a variable counts if it is set, and words in another order are something else", () => {
  expect(refused([], { UNSAFE: "1" })).toThrow("UNSAFE would disable the guard");
  expect(refused([], { UNSAFE: "" })).not.toThrow();
  expect(refused(["server", "app"])).not.toThrow();
  expect(refused(["app"])).not.toThrow();
});
