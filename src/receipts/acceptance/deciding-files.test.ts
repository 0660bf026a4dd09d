import { expect, test } from "vitest";
import { deciders, roleByName } from "./deciding-files.ts";

test.each([
  ["test", "test/a.js tests/deep/b.py src/__tests__/c.tsx pkg/d_test.go spec/e_spec.rb src/f.test.ts test_g.py"],
  ["test", "src/test/java/HTest.java tests/i.snap testdata/j.json k.golden l.bats m.feature"],
  ["config", "conftest.py tests/conftest.py jest.config.js vitest.config.mts .mocharc.yml .npmrc pytest.ini Makefile"],
  ["config", "GNUmakefile sub/rules.mk .cargo/config.toml tsconfig.json phpunit.xml.dist .rspec justfile go.work"],
  ["config", "x.egg-info/entry_points.txt"],
  [
    "part",
    "package.json sub/pyproject.toml Cargo.toml pom.xml package-lock.json yarn.lock requirements-dev.txt src/lib.rs",
  ],
  [undefined, "src/index.ts README.md lib/latest.js docs/testing.md contest.py src/attest/a.js src/features/b.js"],
] as const)("by their names these are %s: %s", (role, paths) => {
  expect(paths.split(" ").map((path) => [path, roleByName(path)])).toEqual(
    paths.split(" ").map((path) => [path, role]),
  );
});

test("what the user named and what the check runs comes first; hidden modules count only with Python", () => {
  const place = {
    root: "/ws",
    keep: ["data/**", "*.lock"],
    scripts: ["src/run.js"],
    programs: ["python3"],
    modules: ["mine"],
  };
  const paths = [
    "src/run.js",
    "data/a/b.json",
    "yarn.lock",
    "unittest.py",
    "json/__init__.py",
    "lib/json.py",
    "mine.py",
    "difflib.py",
    "pygments.py",
  ];
  const [first, ...others] = paths.map(deciders(place));
  expect([first, others]).toEqual(["script", ["keep", "keep", ...paths.slice(3).map(() => "shadow")]]);
  expect(["unittest.py", "mine.py"].map(deciders({ ...place, programs: ["node"], modules: [] }))).toEqual([
    undefined,
    undefined,
  ]);
});
