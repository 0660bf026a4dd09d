import { expect, test } from "vitest";
import { nestedArgv, normaliseNested } from "./normalise-nested.ts";

const ALL = ["--allow-all-tools", "--allow-all-paths"];
const FORBID = "You must not use these tools in this task, whatever comes later: Bash, Edit.";

test.each<[string[], string[]]>([
  [
    ["-p", "hi"],
    [...ALL, "-p", "hi"],
  ],
  [[], ALL],
  [
    ["-p", "P", "--append-system-prompt", "S", "--model", "x"],
    [...ALL, "--model", "x", "-p", "S\n\nP"],
  ],
  [
    ["--prompt=P", "--system-prompt=S"],
    [...ALL, "-p", "S\n\nP"],
  ],
  [["-p=P"], [...ALL, "-p", "P"]],
  [
    ["--add-dir", "/", "-p", "A", "-p", "B"],
    [...ALL, "--add-dir", "/", "-p", "A\n\nB"],
  ],
  [
    ["-p", "", "--append-system-prompt", "S"],
    [...ALL, "-p", "S"],
  ],
  [["-p", ""], ALL],
  [["--prompt="], ALL],
  [
    ["-p", "--allow-all-tools"],
    [...ALL, "-p", "--allow-all-tools"],
  ],
  [
    ["--dangerously-skip-permissions", "--prompt=P"],
    [...ALL, "-p", "P"],
  ],
  [
    ["--dangerously-skip-permissions=true", "-p", "P"],
    [...ALL, "-p", "P"],
  ],
  [
    ["--allow-path", "/x", "-p", "P"],
    ["--allow-path", "/x", "-p", "P"],
  ],
  [
    ["--deny-path=/x", "-p", "P"],
    ["--deny-path=/x", "-p", "P"],
  ],
  [
    ["--allow-all-paths", "-p", "P"],
    ["--allow-all-paths", "-p", "P"],
  ],
  [
    ["--deny-tool", "shell", "-p", "P"],
    ["--deny-tool", "shell", "-p", "P"],
  ],
  [
    ["--allow-tool=write", "-p", "P"],
    ["--allow-tool=write", "-p", "P"],
  ],
  [
    ["--yolo", "-p", "P"],
    ["--yolo", "-p", "P"],
  ],
  [
    ["--allow-all", "-p", "P"],
    ["--allow-all", "-p", "P"],
  ],
  [
    ["--disallowed-tools", "Bash,Edit", "-p", "P"],
    ["-p", `${FORBID}\n\nP`],
  ],
  [
    ["-p", "P", "--append-system-prompt", "S", "--disallowed-tools=Bash Edit"],
    ["-p", `S\n\n${FORBID}\n\nP`],
  ],
  [
    ["--disallowed-tools", "", "-p", "P"],
    ["-p", "P"],
  ],
  [
    ["-p", "P", "--", "-p", "--yolo"],
    [...ALL, "-p", "P", "--", "-p", "--yolo"],
  ],
  [
    ["--model", "x", "--", "file"],
    [...ALL, "--model", "x", "--", "file"],
  ],
  [
    ["--allow-all-toolsish", "-p", "P"],
    [...ALL, "--allow-all-toolsish", "-p", "P"],
  ],
])("%j becomes %j", (args, expected) => {
  expect(nestedArgv(normaliseNested(args))).toEqual(expected);
});

test.each([["-p"], ["--prompt"], ["--system-prompt"], ["--append-system-prompt"], ["--disallowed-tools"]])(
  "%s without its value is an error, at the end and before --",
  (flag) => {
    const error = expect.objectContaining({ message: `${flag} has no value`, exitCode: 2 });
    expect(() => normaliseNested(["--model", "x", flag])).toThrowError(error);
    expect(() => normaliseNested([flag, "--", "x"])).toThrowError(error);
  },
);

test("the forbidden tools are also given as a list, for the guard", () => {
  expect(normaliseNested(["--disallowed-tools", "Bash, Edit", "--disallowed-tools=Web"])).toMatchObject({
    forbiddenTools: ["Bash", "Edit", "Web"],
    undecided: false,
  });
});
