import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { fillArguments, loadCommands } from "./commands.ts";

function place(files: Readonly<Record<string, string>>) {
  const [workspace, userHome] = [tempFolder(), tempFolder()];
  const signalboxHome = join(userHome, ".signalbox");
  for (const [name, text] of Object.entries(files)) {
    const path = join(name.startsWith("~/") ? userHome : workspace, name.replace("~/", ""));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const denied = join(workspace, ".signalbox", "commands", "secret.md");
  return {
    workspace,
    cwd: workspace,
    userHome,
    signalboxHome,
    environment: {},
    mayRead: (path: string) => path !== denied,
  };
}

test("commands come from four folders, the first of a name wins, and folders are part of the name", () => {
  const { commands, notLoaded } = loadCommands(
    place({
      ".signalbox/commands/review.md": "---\ndescription: Look: closely\nargument-hint: FILE\n---\nReview $1.",
      ".claude/commands/review.md": "Another.",
      ".claude/commands/git/sync.md": "Bring the branch up to date.",
      "~/.signalbox/commands/mine.md": "Mine.",
      "~/.claude/commands/theirs.md": "Theirs.",
      ".claude/commands/notes.txt": "no command",
    }),
  );
  expect(commands.map(({ name, description }) => [name, description])).toEqual([
    ["review", "FILE: Look: closely"],
    ["git:sync", "Bring the branch up to date."],
    ["mine", "Mine."],
    ["theirs", "Theirs."],
  ]);
  expect(commands[0]?.expand("a.ts b.ts")).toEqual({ text: "Review a.ts." });
  expect(notLoaded).toEqual([
    { name: ".claude/commands/review.md", why: ".signalbox/commands/review.md has the same name and comes first" },
  ]);
});

test("what cannot be used is named with the reason", () => {
  const at = place({
    ".signalbox/commands/empty.md": "---\ndescription: x\n---\n",
    ".signalbox/commands/broken.md": "---\na: [\n---\nText.",
    ".signalbox/commands/a b.md": "Text.",
    ".signalbox/commands/binary.md": "\0\0\0",
    ".signalbox/commands/huge.md": "x".repeat(100_000),
    ".signalbox/commands/secret.md": "Text.",
  });
  symlinkSync("/etc/passwd", join(at.workspace, ".signalbox", "commands", "out.md"));
  symlinkSync("loop.md", join(at.workspace, ".signalbox", "commands", "loop.md"));
  symlinkSync(".", join(at.workspace, ".signalbox", "commands", "again"));
  const { commands, notLoaded } = loadCommands(at);
  expect(commands).toEqual([]);
  expect(Object.fromEntries(notLoaded.map(({ name, why }) => [name.replace(".signalbox/commands/", ""), why]))).toEqual(
    {
      "a b.md": "its name may only contain letters, digits, dots, dashes and underscores",
      "binary.md": "not a text file",
      "broken.md": "its front matter is not valid YAML",
      "empty.md": "it is empty",
      "huge.md": expect.stringMatching(/./),
      "loop.md": "a loop of links",
      "out.md": "a link out of the repository",
      "secret.md": "the policy denies reading it",
    },
  );
});

test("a file that has gone since says so", () => {
  const at = place({ ".signalbox/commands/gone.md": "Text." });
  const [gone] = loadCommands(at).commands;
  rmSync(join(at.workspace, ".signalbox", "commands", "gone.md"));
  expect(gone?.expand("")).toEqual({ why: "it is no longer there" });
});

test.each([
  ["Fix $ARGUMENTS now.", "a b", "Fix a b now."],
  ["$1 and $2 and $3", `one "two words"`, "one and two words and "],
  ["Plain.", "", "Plain."],
  ["Plain.", "more", "Plain.\n\nmore"],
  ["$10 and $1x stay", "a", "$10 and $1x stay\n\na"],
  ["$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"],
  ["$1", "$& $`", "$&"],
])("%j with %j is %j", (prompt, given, text) => {
  expect(fillArguments(prompt, given)).toBe(text);
});
