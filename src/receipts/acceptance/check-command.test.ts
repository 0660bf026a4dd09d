import { expect, test } from "vitest";
import { readCheck } from "./check-command.ts";

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    main: "index.js",
    scripts: { pretest: "node tools/prepare.js", test: "npm run unit && ./ci/lint.sh", unit: "vitest run" },
  }),
  "ci/lint.sh": "#!/bin/sh\nset -e\n. ./ci/lib.sh\neslint .\nnode index.js > out.txt\n",
  Makefile:
    ".PHONY: test\nNODE = node\n\nbuild:\n\t./build.sh\n\ntest: unit ; @./scripts/last.sh\n\nunit:\n\t@$(NODE) check.js\n\tcd web && npm test\n\ndeploy:\n\t./deploy.sh\n",
  "web/package.json": JSON.stringify({ scripts: { test: "jest -c jest.ci.js" } }),
};

const read = (check: string) =>
  readCheck([check], { root: "/ws", read: (path) => FILES[path], packageFolders: ["", "web"] });

const NOTHING = { scripts: [], programs: [], manifestScripts: [], modules: [], fileTargets: [] };

test.each([
  ["sh check.sh", { scripts: ["check.sh"], programs: ["sh"] }],
  ["./verify", { scripts: ["verify"] }],
  ["sh /ws/check.sh", { scripts: ["check.sh"], programs: ["sh"] }],
  ["/usr/bin/true", {}],
  ["CI=1 timeout 60 bash -e tools/run.sh --fast", { scripts: ["tools/run.sh"], programs: ["bash"] }],
  ["sh -c 'cd sub && node check.mjs'", { scripts: ["sub/check.mjs"], programs: ["node", "sh"] }],
  [". ./env.sh && pytest -q", { scripts: ["env.sh"], programs: ["pytest"] }],
  ["python3 -m pytest tests", { programs: ["python3"], modules: ["pytest"] }],
  ["uv run python grade.py", { scripts: ["grade.py"], programs: ["python"] }],
  ["node --test", { programs: ["node"] }],
  ["node --require ./hook.js -e 1", { scripts: ["hook.js"], programs: ["node"] }],
  ["npx jest --config=jest.ci.js", { scripts: ["jest.ci.js"], programs: ["jest"] }],
  ["make -f other.mk all", { scripts: ["other.mk"], programs: ["make"] }],
])("%s runs %j", (check, expected) => {
  expect(read(check)).toEqual({ ...NOTHING, ...expected });
});

test.each([
  ['test "$(node main.js)" = hello', ["node", "test"]],
  ["node main.js | grep -q hello", ["grep", "node"]],
  ["node main.js > out.txt && cmp out.txt wanted.txt", ["cmp", "node"]],
  ["node index.js", ["node"]],
  ["node src/cli.js --help", ["node"]],
  ["test -r made.txt", ["test"]],
])("what %s looks at is work, not the check", (check, programs) => {
  expect(read(check)).toEqual({ ...NOTHING, programs });
});

test("scripts of a manifest are followed, with those around them and what they call", () => {
  expect(read("npm test")).toEqual({
    scripts: ["ci/lib.sh", "ci/lint.sh", "tools/prepare.js", "web/jest.ci.js"],
    programs: ["eslint", "jest", "node", "npm", "set", "vitest"],
    manifestScripts: ["test", "unit"],
    modules: [],
    fileTargets: [],
  });
});

test("a target of a makefile is followed, and other targets are not", () => {
  expect(read("make test").scripts).toEqual([
    "check.js",
    "ci/lib.sh",
    "ci/lint.sh",
    "scripts/last.sh",
    "tools/prepare.js",
    "web/jest.ci.js",
  ]);
});

test.each([
  ["make -C web test", ["web/check.sh", "web/rules"], ["web/test"]],
  ["make -f ci.make test", ["ci.make", "web/check.sh"], ["test"]],
])("%s runs the target of that makefile, with its variables and what it includes", (check, scripts, fileTargets) => {
  const files: Readonly<Record<string, string>> = {
    "web/Makefile": "include rules\ntest:\n\tsh $(CHECK)\n",
    "web/rules": "CHECK := check.sh\n",
    "ci.make": "DIR = web\ntest:\n\tsh ${DIR}/check.sh\n",
  };
  const reading = readCheck([check], { root: "/ws", read: (path) => files[path], packageFolders: [] });
  expect([reading.scripts, reading.fileTargets]).toEqual([scripts, fileTargets]);
});

test("a target that is not declared phony is one that a file of its name would skip", () => {
  expect(read("make test").fileTargets).toEqual(["unit"]);
  expect(read("make build").fileTargets).toEqual(["build"]);
  const files: Readonly<Record<string, string>> = { justfile: "test:\n  sh check.sh\n" };
  const reading = readCheck(["just test"], { root: "/ws", read: (path) => files[path], packageFolders: [] });
  expect([reading.scripts, reading.fileTargets]).toEqual([["check.sh"], []]);
});

test.each(["", "((", "'", "$(", "a".repeat(100_000), "npm run ".repeat(2000)])(
  "a check that cannot be read is no error",
  (check) => {
    expect(read(check).scripts).toEqual([]);
  },
);

test("scripts that call each other end", () => {
  const files: Readonly<Record<string, string>> = { "a.sh": "sh b.sh", "b.sh": "sh a.sh" };
  const reading = readCheck(["sh a.sh"], { root: "/ws", read: (path) => files[path], packageFolders: [] });
  expect(reading.scripts).toEqual(["a.sh", "b.sh"]);
});
