import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { checkHint, obviousCheck } from "./obvious-check.ts";

function project(files: Readonly<Record<string, string>>): string {
  const root = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const NPM = { "package.json": '{"scripts":{"test":"vitest"}}' };

test.each([
  [NPM, "npm test"],
  [{ "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, undefined],
  [{ "package.json": "{" }, undefined],
  [{ "pyproject.toml": "[tool.pytest.ini_options]\n" }, "pytest"],
  [{ "pyproject.toml": "[project]\n" }, undefined],
  [{ "Cargo.toml": "[package]\n" }, "cargo test"],
  [{ "go.mod": "module x\n" }, "go test ./..."],
  [{ Makefile: "test:\n\ttrue\ncheck: test\n" }, "make check"],
  [{ Makefile: "check := 1\nall:\n\ttrue\n" }, undefined],
  [{ ...NPM, "Cargo.toml": "" }, undefined],
  [{}, undefined],
])("%j has the obvious check %s", (files, check) => {
  expect(obviousCheck(project(files))).toBe(check);
});

test("a hint is shown once a day for each project", () => {
  const [home, one, other] = [tempFolder(), project(NPM), project(NPM)];
  const line = 'nothing was checked; signalbox claude --accept "npm test" would have';
  expect([checkHint(home, one, "claude"), checkHint(home, one, "claude"), checkHint(home, other, "claude")]).toEqual([
    line,
    undefined,
    line,
  ]);
});
