import { expect, test } from "vitest";
import { decidingPart, withBasePart } from "./deciding-parts.ts";

const ENTRIES = { scripts: ["test", "unit"], packages: ["vitest", "pytest"] };
const json = (value: unknown) => JSON.stringify(value);
const isSame = (path: string, base: string, present: string) =>
  decidingPart(path, base, ENTRIES) === decidingPart(path, present, ENTRIES);

const MANIFEST = {
  name: "a",
  version: "1.0.0",
  scripts: { test: "vitest", build: "tsc" },
  devDependencies: { vitest: "4" },
};

test.each([
  ["another version", { ...MANIFEST, version: "2.0.0" }, true],
  ["a new dependency", { ...MANIFEST, dependencies: { zod: "4" } }, true],
  ["another build", { ...MANIFEST, scripts: { ...MANIFEST.scripts, build: "x", lint: "y" } }, true],
  ["another test script", { ...MANIFEST, scripts: { test: "true" } }, false],
  ["a script before it", { ...MANIFEST, scripts: { ...MANIFEST.scripts, preunit: "rm -r test" } }, false],
  ["settings of a runner", { ...MANIFEST, jest: { testPathIgnorePatterns: ["."] } }, false],
  ["fewer workspaces", { ...MANIFEST, workspaces: [] }, false],
  ["another runner version", { ...MANIFEST, devDependencies: { vitest: "0" } }, false],
])("in package.json, %s: is the check the same? %s", (_, present, same) => {
  expect(isSame("package.json", json(MANIFEST), json(present))).toBe(same);
});

test("a manifest gets back what decides the check, and keeps the rest", () => {
  const present = {
    ...MANIFEST,
    version: "2.0.0",
    dependencies: { zod: "4" },
    jest: {},
    scripts: { test: "true", lint: "y" },
  };
  const merged: unknown = JSON.parse(
    withBasePart("package.json", { base: json(MANIFEST), present: json(present) }, ENTRIES),
  );
  expect(merged).toEqual({
    name: "a",
    version: "2.0.0",
    dependencies: { zod: "4" },
    devDependencies: { vitest: "4" },
    scripts: { test: "vitest", lint: "y" },
  });
});

test.each([
  [
    "package-lock.json",
    (v: string) => json({ packages: { "node_modules/vitest": { version: v }, "node_modules/a": { version: v } } }),
  ],
  ["yarn.lock", (v: string) => `a@^1:\n  version "1"\n\nvitest@^4:\n  version "${v}"\n  resolved "x"\n`],
  ["pnpm-lock.yaml", (v: string) => `packages:\n  vitest@${v}:\n    resolution: {}\n`],
  ["uv.lock", (v: string) => `[[package]]\nname = "pytest"\nversion = "${v}"\n`],
  ["requirements-dev.txt", (v: string) => `requests==2\npytest==${v}\n`],
])("in %s the version of a runner counts, and that of others does not", (path, text) => {
  expect(isSame(path, text("4.0.0"), text("4.0.1"))).toBe(false);
  expect(isSame(path, text("4.0.0"), `${text("4.0.0")}`)).toBe(true);
  expect(isSame(path, "requests==2\n", "requests==3\n")).toBe(
    path === "requirements-dev.txt" || !path.endsWith(".json"),
  );
});

test("sections of pyproject.toml that concern tests are compared and put back", () => {
  const base = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-q" # quiet\n';
  const present =
    '[project]\nname = "a"\ndependencies = ["zod"]\n\n[tool.pytest.ini_options]\naddopts = "--ignore tests"\n';
  expect(isSame("pyproject.toml", base, base.replace('"a"', '"b"'))).toBe(true);
  expect(isSame("pyproject.toml", base, present)).toBe(false);
  expect(withBasePart("pyproject.toml", { base, present }, ENTRIES)).toBe(
    '[project]\nname = "a"\ndependencies = ["zod"]\n\n[tool.pytest.ini_options]\naddopts = "-q" # quiet\n',
  );
});

test("the tests inside a Rust file are compared and put back, and its code is not", () => {
  const tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(add(\"}\"), '{'); } // }\n}\n";
  const base = `fn add() {}\n${tests}`;
  const present = "fn add() { 1 }\n#[cfg(test)]\nmod tests;\n";
  expect(isSame("src/lib.rs", base, base.replace("{}", "{ 2 }"))).toBe(true);
  expect(isSame("src/lib.rs", base, present)).toBe(false);
  expect(withBasePart("src/lib.rs", { base, present }, ENTRIES)).toBe(`fn add() { 1 }\n\n\n${tests.trimEnd()}\n`);
});

test.each(["package.json", "package-lock.json", "pyproject.toml", "src/lib.rs", "pom.xml", "go.mod"])(
  "a broken %s is compared whole, and is no error",
  (path) => {
    for (const text of ["{", "[", "\0", "#[cfg(test)] mod x {", '{"scripts": 5, "packages": [null]}'])
      expect(isSame(path, text, text)).toBe(true);
    expect(isSame("package.json", "{", "{ ")).toBe(false);
  },
);
