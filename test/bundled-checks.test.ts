import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, writeFiles } from "./support/git-repository.ts";
import { bundledScene, SUM } from "./support/bundled-scene.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

const MANIFEST =
  '{\n  "scripts": {\n    "test": "npm run unit",\n    "unit": "sh check.sh"\n  },\n  "version": "1"\n}\n';
const RUST = "fn add() {}\n#[test]\nfn adds() {\n  assert_eq!(1, 1);\n}\n";
const FILES = {
  ...SUM,
  "sum.sh": "echo $(($1 + $2))\n",
  "package.json": MANIFEST,
  "check.sh": "true\n",
  "src/lib.rs": RUST,
  "pkg/add_test.go": "package pkg\n",
};

type Change = Readonly<Record<string, string | null>>;

async function changed(change: Change, { command = "true", before = "" } = {}) {
  const { cwd, run } = await bundledScene(FILES);
  const tree = git(cwd, "write-tree").trim();
  if (before !== "") execFileSync("sh", ["-c", before], { cwd });
  writeFiles(
    cwd,
    Object.fromEntries(Object.entries(change).flatMap(([path, text]) => (text === null ? [] : [[path, text]]))),
  );
  for (const [path, text] of Object.entries(change)) if (text === null) rmSync(join(cwd, path));
  return await run("_check-work", { test_command: command, tests_tree: tree });
}

test.each<[string, Change, string, { command?: string; before?: string }?]>([
  ["a test that was changed", { "test/sum.test.sh": "true\n" }, "test/sum.test.sh"],
  ["a test that was deleted", { "pkg/add_test.go": null }, "pkg/add_test.go"],
  ["a script of package.json", { "package.json": MANIFEST.replace("sh check.sh", "true") }, "its scripts"],
  ["a program that the test command names", { "check.sh": "exit 0\n" }, "check.sh", { command: "sh ./check.sh" }],
  ["the Makefile of `make test`", { Makefile: "test:\n\ttrue\n" }, "Makefile", { command: "make test" }],
  ["new settings that can skip tests", { "conftest.py": "" }, "conftest.py"],
  ["an assertion in a Rust file", { "src/lib.rs": RUST.replace("  assert_eq!(1, 1);\n", "") }, "src/lib.rs"],
  [
    "a Rust file that git is told to take for binary",
    { "src/lib.rs": RUST.replace("#[test]", "#[test]\n#[ignore]"), ".gitattributes": "*.rs binary\n" },
    "src/lib.rs",
  ],
  [
    "a test that git is told to overlook",
    { "test/sum.test.sh": "true\n" },
    "test/sum.test.sh",
    { before: "git update-index --skip-worktree test/sum.test.sh" },
  ],
])("%s is refused", async (_, change, named, more) => {
  const { code, steps } = await changed(change, more);
  expect([code, Object.keys(steps)]).toEqual([1, ["tests-kept"]]);
  expect(steps["tests-kept"]?.error).toContain(
    "the tests were changed (if that is wanted: -c allow_test_changes=true)",
  );
  expect(steps["tests-kept"]?.output).toContain(named);
});

test("new tests and changes of code and versions are no changes of tests", async () => {
  const change = {
    "test/more.test.sh": "true\n",
    "sum.sh": "echo $(($2 + $1))\n",
    "package.json": MANIFEST.replace('"1"', '"2"'),
    "src/lib.rs": RUST.replace("fn add() {}", "fn add() { todo!() }"),
    "latest.js": "",
  };
  const { code, steps } = await changed(change, { command: "make test" });
  expect([code, steps["tests-kept"]?.output, steps["tests-pass"]?.status]).toEqual([0, "", "completed"]);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ["npm test", { "package.json": '{"scripts": {"test": "x"}}' }],
  ["pnpm test", { "package.json": '{"scripts": {"test": "x"}}', "pnpm-lock.yaml": "" }],
  ["go test ./...", { "go.mod": "module x\n" }],
  ["cargo test", { "Cargo.toml": "[package]\n" }],
  ["make test", { Makefile: "test: build\n", "package.json": '{"scripts": {"test": "echo \\"no test specified\\""}}' }],
])("the test command %s is found", async (command, files) => {
  const { run } = await bundledScene(files);
  const { code, context } = await run("_find-tests");
  expect([code, context["test_command"], context["state"]]).toEqual([
    0,
    command,
    expect.stringMatching(/^[0-9a-f]{40}$/),
  ]);
});

test("for Python it is pytest, or unittest where there is none; nothing found is said", async () => {
  const [python, nothing] = await Promise.all([
    bundledScene({ "pyproject.toml": "" }).then(({ run }) => run("_find-tests")),
    bundledScene({ "README.md": "" }).then(({ run }) => run("_find-tests")),
  ]);
  expect(python.context["test_command"]).toMatch(/^python3 -m (pytest -q|unittest)$/);
  expect([nothing.code, nothing.steps["test-command"]?.error]).toEqual([
    1,
    "exit code 1: No test command found. Pass it: -c test_command='...'",
  ]);
});

test("without a sandbox our own scripts run, but a test command is judged like any other", async () => {
  const { run, home } = await bundledScene({ ...FILES, "package.json": "{}" });
  withoutSandbox(home);
  const found = await run("_find-tests");
  expect([found.code, found.context["test_command"]]).toEqual([0, "make test"]);
  const tree = String(found.context["state"]);
  const allowed = await run("_check-work", { test_command: "make test", tests_tree: tree });
  expect([allowed.code, allowed.steps["tests-pass"]?.status]).toEqual([0, "completed"]);
  const asked = await run("_check-work", { test_command: "git push origin main", tests_tree: tree });
  expect([asked.code, asked.steps["tests-kept"]?.status, asked.steps["tests-pass"]?.status]).toEqual([
    1,
    "completed",
    "blocked",
  ]);
});
