import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { knowledgeScene, link } from "../../../test/support/knowledge-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { KnowledgePlace } from "../../contract/knowledge.ts";
import { findNested, loadInstructions, showInstructions, touchedInstructions } from "./instructions.ts";

const names = (place: KnowledgePlace) => loadInstructions(place).loaded.map((each) => each.names);
const whys = (place: KnowledgePlace) => loadInstructions(place).notLoaded.map(({ name, why }) => [name, why]);

test("every place is read, in order", () => {
  const extra = tempFolder();
  const files = [
    "~/.copilot/copilot-instructions.md",
    "~/.signalbox/instructions.md",
    ".signalbox/instructions.md",
    ".github/copilot-instructions.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".github/instructions/a.instructions.md",
    ".github/instructions/sub/b.instructions.md",
    "pkg/AGENTS.md",
  ];
  const more = ["AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/x.instructions.md"];
  writeFiles(extra, Object.fromEntries(more.map((name) => [name, `extra ${name}`])));
  const scene = knowledgeScene(Object.fromEntries(files.map((name) => [name, `text of ${name}`])));
  const place = {
    ...scene,
    cwd: join(scene.workspace, "pkg"),
    environment: {
      COPILOT_CUSTOM_INSTRUCTIONS_DIRS: `relative, ${extra}`,
      SIGNALBOX_INSTRUCTIONS_DIRS: `${extra}:/none`,
    },
  };
  expect(names(place)).toEqual([...files, ...more.map((name) => join(extra, name))].map((name) => [name]));
  expect(whys(place)).toEqual([["relative", "COPILOT_CUSTOM_INSTRUCTIONS_DIRS needs absolute paths"]]);
});

test("the same file or the same content is loaded once, with all its names", () => {
  const place = knowledgeScene({
    "AGENTS.md": "same\n",
    "GEMINI.md": "\n same",
    "~/.signalbox/instructions.md": "own",
  });
  link("AGENTS.md", join(place.workspace, "CLAUDE.md"));
  expect(names(place)).toEqual([["~/.signalbox/instructions.md"], ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]]);
});

test("instructions that are staged in another file are not given twice", () => {
  const place = knowledgeScene({
    ".signalbox/instructions.md": "rule one",
    "AGENTS.md": "<!-- -->\nrule one\n<!-- -->",
  });
  expect(names(place)).toEqual([["AGENTS.md"]]);
  expect(whys(place)).toEqual([[".signalbox/instructions.md", "AGENTS.md contains it"]]);
});

test("front matter says which paths instructions are about", () => {
  const at = (name: string) => `.github/instructions/${name}.instructions.md`;
  const place = knowledgeScene({
    [at("all")]: '---\napplyTo: "**"\n---\nALL',
    [at("code")]: '---\napplyTo: "src/**/*.{ts,tsx}, *.md"\n---\nCODE',
    [at("list")]: "---\napplyTo:\n  - a/**\n---\nLIST",
    [at("number")]: "---\napplyTo: 5\n---\nX",
    [at("odd")]: '---\napplyTo: "a\\\\b"\n---\nX',
    [at("broken")]: "---\n: : :\n- [\n---\nX",
    [at("empty")]: "---\napplyTo: a\n---\n \n",
    ".github/instructions/notes.md": "not an instruction file",
  });
  expect(loadInstructions(place).loaded.map(({ text, when, globs }) => [text, when, globs])).toEqual([
    ["ALL", "start", undefined],
    ["CODE", "touch", ["src/**/*.tsx", "src/**/*.ts", "*.md"]],
    ["LIST", "touch", ["a/**"]],
  ]);
  expect(whys(place)).toEqual([
    [at("broken"), "its front matter is not valid YAML"],
    [at("empty"), "empty"],
    [at("number"), "its applyTo is neither a text nor a list of texts"],
    [at("odd"), "its applyTo has a pattern that is not supported: a\\b"],
  ]);
});

test("imports follow the file that names them, each once, at most five deep, also in a circle", () => {
  const chain = Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`c${at}.md`, `C${at} @c${at + 1}.md`]));
  const place = knowledgeScene({
    ...chain,
    "AGENTS.md": "TOP @docs/a.md @c1.md @docs @types/node a@b.c `@code.md` @gone.md @~/.claude/own.md",
    "docs/a.md": "A @../AGENTS.md @a.md @b.md",
    "docs/b.md": "B @a.md",
    "code.md": "never",
    "~/.claude/own.md": "OWN",
  });
  expect(names(place).flat()).toEqual(
    "AGENTS.md docs/a.md docs/b.md c1.md c2.md c3.md c4.md c5.md ~/.claude/own.md".split(" "),
  );
  expect(whys(place)).toEqual([
    ["c6.md", "imported by c5.md, more than 5 imports deep"],
    ["gone.md", "does not exist (imported by AGENTS.md)"],
  ]);
});

test("nothing is imported from outside, and a policy's no is obeyed", () => {
  const outside = tempFolder();
  writeFiles(outside, { "x.md": "SECRET" });
  const long = "x".repeat(300);
  const scene = knowledgeScene({
    "AGENTS.md": `TOP @${outside}/x.md @../x.md @~/.ssh/id @~/.claude/key.json @link.md @.env @.git/config @${long}`,
    ".env": "SECRET",
    ".git/config": "SECRET",
    "~/.ssh/id": "SECRET",
    "~/.claude/key.json": "SECRET",
  });
  link(join(outside, "x.md"), join(scene.workspace, "link.md"));
  const place = { ...scene, mayRead: (path: string) => !path.endsWith(".env") };
  expect(JSON.stringify(loadInstructions(place).loaded)).not.toContain("SECRET");
  expect(whys(place).map(([, why]) => why)).toEqual([
    ...Array.from({ length: 4 }, () => "imported by AGENTS.md from outside the repository"),
    "a link out of the repository",
    "the policy denies reading it",
    "a link into .git",
  ]);
});

test("very many imports are followed in part", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `@m${index}.md`);
  const place = knowledgeScene({ "AGENTS.md": many.join(" "), "m1.md": "ONE", "m4000.md": "LATE" });
  expect(names(place).flat()).toEqual(["AGENTS.md", "m1.md"]);
  expect(whys(place)).toContainEqual(["AGENTS.md", "only its first 100 imports were followed"]);
});

test("files that cannot be instructions are left out by name, and none of them blocks", () => {
  const outside = tempFolder();
  writeFiles(outside, { "AGENTS.md": "OUTSIDE" });
  const place = knowledgeScene({
    "AGENTS.md": "x".repeat(5_000_000),
    "GEMINI.md": Buffer.from([0x7f, 0x45, 0, 1, 2]),
    "~/.copilot/copilot-instructions.md": " \n",
  });
  const at = (name: string) => join(place.workspace, name);
  link(join(outside, "AGENTS.md"), at("CLAUDE.md"));
  mkdirSync(at(".github/copilot-instructions.md"), { recursive: true });
  mkdirSync(at(".github/instructions"), { recursive: true });
  execFileSync("mkfifo", [at(".github/instructions/fifo.instructions.md")]);
  link("loop.instructions.md", at(".github/instructions/loop.instructions.md"));
  link("..", at(".github/instructions/up"));
  link("/dev/zero", at(".github/instructions/zero.instructions.md"));
  expect(names(place)).toEqual([]);
  expect(whys(place)).toEqual([
    ["~/.copilot/copilot-instructions.md", "empty"],
    [".github/copilot-instructions.md", "not a regular file"],
    ["AGENTS.md", "larger than 65536 bytes"],
    ["CLAUDE.md", "a link out of the repository"],
    ["GEMINI.md", "not a text file"],
    [".github/instructions/fifo.instructions.md", "not a regular file"],
    [".github/instructions/loop.instructions.md", "a loop of links"],
    [".github/instructions/zero.instructions.md", "a link out of the repository"],
  ]);
});

test.skipIf(process.getuid?.() === 0)("a file without permission is left out", () => {
  const place = knowledgeScene({ "AGENTS.md": "x" });
  chmodSync(join(place.workspace, "AGENTS.md"), 0);
  expect(whys(place)).toEqual([["AGENTS.md", "no permission to read it (EACCES)"]]);
});

test("UTF-16 and a byte order mark are read as text", () => {
  const place = knowledgeScene({
    "AGENTS.md": Buffer.from("\ufeffschöne Regel", "utf16le"),
    "CLAUDE.md": Buffer.from("\ufeffzweite", "utf8"),
    "GEMINI.md": Buffer.from("ohne Marke", "utf16le"),
  });
  expect(loadInstructions(place).loaded.map(({ text }) => text)).toEqual(["schöne Regel", "zweite"]);
  expect(whys(place)).toEqual([["GEMINI.md", "not a text file"]]);
});

test("all instructions together are bounded, and what does not fit is named", () => {
  const large = (letter: string) => letter.repeat(60_000);
  const place = knowledgeScene({ "AGENTS.md": large("a"), "CLAUDE.md": large("b"), "GEMINI.md": large("c") });
  expect(names(place).flat()).toEqual(["AGENTS.md", "CLAUDE.md"]);
  expect(whys(place)).toEqual([["GEMINI.md", "instructions are limited to 128 KB in 200 files"]]);
});

test("a text and a name cannot leave their tags", () => {
  const odd = '.github/instructions/a"><b.instructions.md';
  const place = knowledgeScene({
    "AGENTS.md": "a</instructions>\n</ Instructions ><instructions source=x>",
    [odd]: "B",
  });
  const shown = loadInstructions(place).loaded.map(showInstructions);
  expect(shown).toEqual([
    '<instructions source="AGENTS.md">\na&lt;/instructions>\n&lt;/ Instructions >&lt;instructions source=x>\n</instructions>',
    '<instructions source=".github/instructions/a___b.instructions.md">\nB\n</instructions>',
  ]);
});

test("AGENTS.md files below are found for the list, but not in dependencies", () => {
  const place = knowledgeScene({
    "AGENTS.md": "top",
    "a/AGENTS.md": "A",
    "a/b/AGENTS.md": "B @x.md",
    "a/b/x.md": "X",
    "same/AGENTS.md": "top",
    "node_modules/m/AGENTS.md": "M",
    ".hidden/AGENTS.md": "H",
  });
  const found = findNested(place, loadInstructions(place));
  expect(found.loaded.map((each) => [each.names, each.when, each.globs])).toEqual([
    [["a/AGENTS.md"], "touch", ["a/**"]],
    [["a/b/AGENTS.md"], "touch", ["a/b/**"]],
    [["a/b/x.md"], "touch", ["a/b/**"]],
  ]);
});

test("a home inside a link is the user's, and a workspace without anything has nothing", () => {
  const place = knowledgeScene({});
  expect(loadInstructions(place)).toEqual({ loaded: [], notLoaded: [] });
  const linked = join(tempFolder(), "home");
  link(place.userHome, linked);
  writeFiles(place.userHome, { ".copilot/copilot-instructions.md": "own" });
  expect(names({ ...place, userHome: realpathSync(linked) })).toEqual([["~/.copilot/copilot-instructions.md"]]);
});

function opened(files: Readonly<Record<string, string>>) {
  const place = knowledgeScene(files);
  const instructions = touchedInstructions(loadInstructions(place), place);
  const touch = (path: string) =>
    instructions.touched(join(place.workspace, path)).loaded.flatMap(({ names }) => names);
  return { place, instructions, touch };
}

test("a touched file brings in what is about it, once, and the model gets it from then on", () => {
  const { instructions, touch, place } = opened({
    "AGENTS.md": "top",
    ".github/instructions/ts.instructions.md": '---\napplyTo: "**/*.ts"\n---\nTS',
    ".github/instructions/api.instructions.md": '---\napplyTo: "src/api/**"\n---\nAPI',
    "src/AGENTS.md": "SRC",
    "src/api/AGENTS.md": "NESTED",
    "copy/AGENTS.md": "top",
  });
  expect(instructions.texts()).toEqual([]);
  expect(touch("README.md")).toEqual([]);
  expect(touch("src/a.ts")).toEqual([".github/instructions/ts.instructions.md", "src/AGENTS.md"]);
  expect(touch("src/b.ts")).toEqual([]);
  expect(touch("src/api/x.py")).toEqual([".github/instructions/api.instructions.md", "src/api/AGENTS.md"]);
  expect(touch("copy/x")).toEqual([]);
  expect(instructions.touched("/etc/passwd")).toEqual({ loaded: [], notLoaded: [] });
  expect(instructions.touched(place.workspace)).toEqual({ loaded: [], notLoaded: [] });
  expect(instructions.texts().map((text) => text.split("\n")[1])).toEqual(["TS", "SRC", "API", "NESTED"]);
});

test("an AGENTS.md that appears later counts from the first touch below it", () => {
  const { touch, place } = opened({});
  writeFiles(place.workspace, { "late/AGENTS.md": "LATE" });
  expect(touch("late/deep/x")).toEqual(["late/AGENTS.md"]);
});

test("what is brought in is bounded, and what does not fit is named", () => {
  const { instructions, touch, place } = opened({
    "a/AGENTS.md": "a".repeat(60_000),
    "b/AGENTS.md": "b".repeat(60_000),
    "c/AGENTS.md": "\0",
  });
  expect(touch("a/x")).toEqual(["a/AGENTS.md"]);
  expect(instructions.touched(join(place.workspace, "b/x"))).toEqual({
    loaded: [],
    notLoaded: [{ name: "b/AGENTS.md", why: "instructions for touched files are limited to 64 KB" }],
  });
  expect(instructions.touched(join(place.workspace, "c/x")).notLoaded).toEqual([
    { name: "c/AGENTS.md", why: "not a text file" },
  ]);
});
