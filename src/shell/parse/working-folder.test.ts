import { expect, test } from "vitest";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { judge } from "../../guard/judge/judge.ts";
import { PRESETS } from "../../guard/presets/presets.ts";

const policy = { ...PRESETS.default, version: 1 as const, workspaceRoot: "/srv/repo", home: "/home/dev" };
const verdictOf = (command: string) => judge({ tool: "Bash", input: { command } }, policy, fakeMachine({})).verdict;

/** Folders that are not literal. */
const FOLDERS = [
  ".gi?",
  "?git",
  "./*/",
  "[.]git",
  ".g*",
  "{.git,x}",
  ".g{it,x}",
  "~nobody",
  "~+",
  "~-",
  "-",
  "-1",
  "+1",
  '"$(cat x)"',
  "$(echo '.gi?')",
  "build$(nproc)",
  "a .git",
  "-- -",
  "-P .gi?",
];

test("a folder that is not written out is unknown to every way of going there", () => {
  const ways = [
    "cd %",
    "command cd %",
    "builtin cd %",
    "pushd %",
    "x=1; cd %",
    "cd src; cd %",
    "if true; then cd %; fi",
  ];
  const commands = ways.flatMap((way) =>
    FOLDERS.flatMap((folder) => [
      `${way.replace("%", folder)} && echo x >> config`,
      `${way.replace("%", folder)}; git status`,
    ]),
  );
  expect(commands.filter((command) => verdictOf(command) === "allow")).toEqual([]);
});

test.each([
  "f='.gi?'; cd $f && echo x > config",
  "for f in .gi?; do cd $f; echo x > config; done",
  "git -C .gi? status",
  "env -C .gi? ls",
  "make -C .gi?",
  "pushd; ls",
  "popd; ls",
  "popd +1",
  "pushd src && popd -n && ls",
  "cd src; cd -; ls",
  "false && cd src; cd - && ls",
  "shopt -s dotglob; cat ?env",
])("%s is not allowed", (command) => {
  expect(verdictOf(command)).not.toBe("allow");
});

test.each([
  "cd src && ls",
  "cd 'src' && ls && cd -",
  "cd -P -- src && cat a.ts",
  "pushd src && ls && popd",
  "cd src && cd ../test && cat a.ts",
  "(cd src && npm test)",
  "cd '[id]' && ls",
])("%s is allowed", (command) => {
  expect(verdictOf(command)).toBe("allow");
});
