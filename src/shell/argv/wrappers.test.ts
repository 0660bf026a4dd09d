import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { isOnPath } from "../../../test/support/is-on-path.ts";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { judge } from "../../guard/judge/judge.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { PRINTS_ALONE, WRAPPERS } from "./wrappers.ts";

const policy = { ...PRESETS.default, version: 1 as const, workspaceRoot: "/srv/repo", home: "/home/dev" };
const verdictOf = (command: string) => judge({ tool: "Bash", input: { command } }, policy, fakeMachine({})).verdict;

/** Starts each program without a command and with a script on standard input; returns those that run the script. */
function runsItsInput(programs: readonly string[]): readonly string[] {
  const script = programs
    .map((name) => `printf 'printf "ran %%s\\\\n" ${name}\\n' | timeout -k 1 20 ${name} 2>/dev/null`)
    .join("\n");
  const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  return programs.filter((name) => stdout.includes(`ran ${name}\n`));
}

test("no wrapper that is said to print, or to fail, runs its standard input as a script", () => {
  const programs = [...PRINTS_ALONE].filter((name) => isOnPath(name));
  expect(programs).toContain("nice");
  expect(runsItsInput(programs)).toEqual([]);
});

test("those that are said to start a shell include the ones that do", () => {
  const programs = ["linux64", "fakeroot"].filter((name) => isOnPath(name));
  expect(runsItsInput(programs)).toEqual(programs);
  expect(programs.filter((name) => PRINTS_ALONE.has(name))).toEqual([]);
});

test("a wrapper without a command is a shell that reads its input, unless it only prints", () => {
  const names = Object.keys(WRAPPERS).filter((name) => !PRINTS_ALONE.has(name));
  expect(names.filter((name) => verdictOf(name) === "allow")).toEqual([]);
  expect(names.filter((name) => verdictOf(`${name} <<< 'sudo id'`) !== "deny")).toEqual([]);
  expect(names.filter((name) => verdictOf(`echo 'sudo id' | ${name}`) !== "deny")).toEqual([]);
  expect(names.filter((name) => verdictOf(`cat x.sh | ${name}`) === "allow")).toEqual([]);
});

test.each(["allow", "edit", "reload", "permit", "grant", "exec", "export bash", "hook bash"])(
  "direnv %s is not allowed",
  (words) => {
    expect(verdictOf(`direnv ${words}`)).not.toBe("allow");
  },
);

test.each([
  "direnv status",
  "direnv exec . npm test",
  "nice",
  "linux64 ls",
  "setarch x86_64 -R npm test",
  "time npm test",
])("%s is allowed", (command) => {
  expect(verdictOf(command)).toBe("allow");
});

test.each([
  "setarch -R sudo id",
  "setarch x86_64 -R sudo id",
  "linux32 --3gb sudo id",
  "x86_64 sudo id",
  "direnv exec . sudo id",
])("%s is denied", (command) => {
  expect(verdictOf(command)).toBe("deny");
});
