import { posix } from "node:path";
import { compileGlob, covers } from "../../lib/path/glob.ts";
import { fold } from "../../lib/path/real-path.ts";

/**
 * Why a file decides a check. `test`: what is checked. `config`: how it is run. `part`: only some entries of it count
 * (a manifest, a lockfile, a source file with tests inside). `script`: the check runs it. `keep`: the user named it.
 * `shadow`: it hides a module of the runner, so it only counts when it is new.
 */
export type Role = "test" | "config" | "part" | "script" | "keep" | "shadow";

/** The role of a file by its name alone. */
export function roleByName(path: string): Role | undefined {
  const names = path.split("/");
  const name = names.at(-1) ?? "";
  const folders = names.slice(0, -1);
  if (isPart(name)) return "part";
  if (isConfig(name) || folders.some((folder) => CONFIG_FOLDERS.has(folder))) return "config";
  if (isTest(name) || folders.some((folder) => TEST_FOLDERS.has(folder))) return "test";
  if (name.endsWith(".rs")) return "part";
  return undefined;
}

/** Files of which only the entries that concern checks count (deciding-parts.ts). */
const isPart = nameMatcher(`
  package.json composer.json pyproject.toml setup.cfg tox.ini Cargo.toml pom.xml build.gradle build.gradle.kts go.mod
  package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock poetry.lock uv.lock Pipfile.lock Pipfile
  requirements*.txt composer.lock Gemfile.lock
`);

/** What test runners, linters and build tools read before they start. */
const isConfig = nameMatcher(`
  jest.config.* jest.setup.* jest-setup.* jest.*.config.* jest-*.config.* vitest.config.* vitest.workspace.*
  vitest.setup.* vitest-setup.* vite.config.* setupTests.* test-setup.* testSetup.* .mocharc* mocha.opts .taprc* .nycrc*
  .c8rc* ava.config.* karma.conf.* jasmine.json wdio.conf.* playwright.config.* playwright-*.config.* cypress.config.*
  cypress.json .babelrc* babel.config.* .swcrc tsconfig*.json jsconfig.json tsdown.config.* deno.json deno.jsonc
  bunfig.toml .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs pnpm-workspace.yaml turbo.json nx.json
  lerna.json wireit.json .env.test .env.test.local
  conftest.py pytest.ini .pytest.ini noxfile.py .coveragerc sitecustomize.py usercustomize.py *.pth entry_points.txt manage.py
  mypy.ini .mypy.ini pyrightconfig.json ruff.toml .ruff.toml .flake8 .pylintrc
  Makefile makefile GNUmakefile *.mk BSDmakefile CMakeLists.txt CTestTestfile.cmake CTestConfig.cmake justfile Justfile
  .justfile Taskfile.yml Taskfile.yaml Rakefile rakefile .rspec spec_helper.rb rails_helper.rb test_helper.rb
  phpunit.xml phpunit.xml.dist phpunit.dist.xml pest.php Pest.php phpstan.neon phpstan.neon.dist
  settings.gradle settings.gradle.kts gradle.properties gradle-wrapper.properties gradlew gradlew.bat mvnw mvnw.cmd
  maven.config jvm.config extensions.xml surefire.properties junit-platform.properties
  clippy.toml .clippy.toml rust-toolchain rust-toolchain.toml nextest.toml go.work .golangci.*
  .eslintrc* eslint.config.* .eslintignore .prettierrc* prettier.config.* biome.json biome.jsonc .oxlintrc.json
  .rubocop.yml .editorconfig .pre-commit-config.yaml lefthook.yml
  .nvmrc .node-version .python-version .ruby-version .java-version .tool-versions mise.toml .mise.toml .envrc
  dune-project mix.exs build.sbt build.zig meson.build WORKSPACE MODULE.bazel .bazelrc BUILD BUILD.bazel
`);

const CONFIG_FOLDERS: ReadonlySet<string> = new Set([".cargo", ".mvn", ".config", "buildSrc", ".yarn"]);

const TEST_FOLDERS: ReadonlySet<string> = new Set(
  words(`
    test tests Test Tests __tests__ __mocks__ __snapshots__ __fixtures__ spec specs e2e testdata test-data fixtures
    golden goldens androidTest integrationTest integration-tests integration_tests
  `),
);

const isTest = nameMatcher(`
  *.test.* *.tests.* *.spec.* *.specs.* *_test.* *_tests.* *_spec.* *-test.* *-tests.* *-spec.* test_*.py tests.py test.*
  tests.* *Test.java *Tests.java *IT.java *TestCase.java *Test.kt *Tests.kt *Spec.kt *Test.scala *Spec.scala *Suite.scala
  *Test.php *Tests.cs *Test.cs *Tests.swift *Test.groovy *Spec.groovy *.snap *.feature *.bats *.t *.cy.* *.e2e.*
  expected.* *.expected *.golden *.approved.*
`);

/** Programs of the workspace and its dependencies: not walked, not copied, but linked into the copy. */
const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set(
  words("node_modules .venv venv .tox .nox __pycache__ .gradle bower_components .bundle"),
);

export const isDependencyFolder = (name: string) => DEPENDENCY_FOLDERS.has(name);

/** Never looked at: version control, and our own files. */
const PRIVATE_FOLDERS: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj", ".agent-backplane"]);

export const isPrivateFolder = (name: string) => PRIVATE_FOLDERS.has(name);

/** The package that a runner's program belongs to, where the names differ. */
const PACKAGE_OF: Readonly<Record<string, readonly string[]>> = {
  tsc: ["typescript"],
  playwright: ["@playwright/test", "playwright"],
  "react-scripts": ["react-scripts", "jest"],
  "vue-cli-service": ["@vue/cli-service", "jest"],
  biome: ["@biomejs/biome"],
  ng: ["@angular/cli"],
  py: ["pytest"],
  phpunit: ["phpunit/phpunit"],
  pest: ["pestphp/pest"],
  rspec: ["rspec", "rspec-core", "rspec-expectations"],
  rake: ["rake", "minitest"],
};

/** The packages whose version in a lockfile decides what the check does. */
export const runnerPackages = (programs: readonly string[]) =>
  [...new Set(programs.flatMap((program) => PACKAGE_OF[program] ?? [program]))].toSorted();

/** Modules that Python's runners import. A new file of that name at the top of the workspace is found before them. */
const PYTHON_MODULES: ReadonlySet<string> = new Set(
  words(`
    pytest _pytest pluggy iniconfig packaging exceptiongroup unittest doctest nose nose2 tox nox coverage hypothesis
    pygments colorama attr tomli tomllib
    abc base64 binascii bisect bz2 codecs codeop concurrent contextvars copyreg csv difflib fractions genericpath gettext
    gzip hashlib heapq keyword lzma marshal numbers opcode pkgutil posixpath pstats select selectors ssl urllib zipimport
    zlib zoneinfo argparse ast atexit asyncio bdb builtins collections contextlib copy dataclasses datetime dis enum errno faulthandler
    fnmatch functools gc getpass glob importlib inspect io itertools json linecache locale logging math operator os
    pathlib pdb pickle platform pprint py random re reprlib runpy shlex shutil signal site socket stat string struct
    subprocess sys sysconfig tempfile textwrap threading time token tokenize traceback types typing unicodedata uuid
    warnings weakref xml zipfile
  `),
);

/** The module that a file at the top of a folder would hide; undefined for any other. */
function hiddenModule(path: string): string | undefined {
  const [, name] = /(?:^|\/)(\w+)\.py$/.exec(path.replace(/\/__(?:init|main)__\.py$/, ".py")) ?? [];
  return name !== undefined && PYTHON_MODULES.has(name) ? name : undefined;
}

/** Packages of a virtual environment that decide what pytest and unittest do. */
export const isPythonRunner = (name: string) =>
  /^(?:pytest|_pytest|pluggy|iniconfig|unittest|nose2?|tox|nox|coverage|hypothesis|xdist)\b|\.pth$|^(?:site|user)customize\.py$/.test(
    name,
  );

/** Scripts with such a name are checks wherever they are. */
const CHECK_WORD =
  /(?:^|[^a-z])(?:check|checks|verify|accept|acceptance|test|tests|spec|validate|assert|lint|grade|ci)(?:[^a-z]|$)/i;

const WORK_FOLDERS: ReadonlySet<string> = new Set(words("src lib app cmd dist build out pkg internal"));

/** Whether a script that a check runs is more likely the work than the check. */
export function isLikelyWork(path: string): boolean {
  return WORK_FOLDERS.has(path.split("/")[0] ?? "") && !CHECK_WORD.test(path);
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** One of these names, in which `*` stands for anything. Compiled to one expression: a workspace has many files. */
function nameMatcher(text: string): (name: string) => boolean {
  const plain = new Set(words(text));
  const wild = words(text).filter((word) => word.includes("*"));
  const oneOf = (patterns: readonly string[]) =>
    patterns.map((pattern) => pattern.replaceAll(".", "\\.").replaceAll("*", ".*")).join("|");
  const anywhere = wild.filter((word) => word.startsWith("*")).map((word) => word.slice(1));
  const atStart = wild.filter((word) => !word.startsWith("*"));
  const isWild = new RegExp(`^(?:${oneOf(atStart) || "(?!)"})$|(?:${oneOf(anywhere) || "(?!)"})$`, "s");
  return (name) => plain.has(name) || isWild.test(name);
}

interface Deciding {
  readonly root: string;
  readonly keep: readonly string[];
  readonly scripts: readonly string[];
  readonly programs: readonly string[];
  readonly modules: readonly string[];
}

/** Tells why a file decides the check, if it does. */
export function deciders({ root, keep, scripts, programs, modules }: Deciding): (path: string) => Role | undefined {
  const isKept = pathMatcher(keep, root);
  const named = new Set(scripts);
  const isPython =
    modules.length > 0 || programs.some((program) => /^(?:python|pytest|py\.test|tox|nox|nose)/.test(program));
  const shadows = new Set(modules.flatMap((name) => [`${name}.py`, `${name}/__init__.py`, `${name}/__main__.py`]));
  return (path) => {
    if (named.has(path)) return "script";
    if (isKept(path)) return "keep";
    const role = roleByName(path);
    if (role !== undefined && role !== "test") return role;
    if (isPython && (shadows.has(path) || isTopModule(path))) return "shadow";
    return role;
  };
}

/** A file or package directly in the workspace, where Python looks first. */
const isTopModule = (path: string) =>
  posix
    .dirname(path)
    .split("/")
    .filter((name) => name !== ".").length <= 1 && hiddenModule(path) !== undefined;

/** Whether one of the patterns covers a path of the workspace. */
export function pathMatcher(patterns: readonly string[], root: string): (path: string) => boolean {
  const globs = patterns.map((pattern) => compileGlob(pattern, { root, home: root }));
  return (path) => globs.some((glob) => covers(glob, fold(`${root === "/" ? "" : root}/${path}`)));
}

/** Settings whose values are files that run before or around every test. */
const SETTING =
  /(?:setupFiles\w*|globalSetup|globalTeardown|testEnvironment|testRunner|testSequencer|resolver|preload|require|bootstrap|extends)["']?\s*[:=]\s*(\[[^\]]*\]|["'][^"'\n]+["'])/g;

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/g;

const ENDINGS = ["", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".json", "/index.js", "/index.ts"];

/** Files of the workspace that a configuration file imports, or names as set-up. */
export function configTargets(
  file: string,
  text: string,
  read: (path: string) => string | undefined,
): readonly string[] {
  if (!/\.(?:[cm]?[jt]s|json|toml|xml|yml|yaml)$|^\.\w+rc$/.test(posix.basename(file))) return [];
  const settings = [...text.matchAll(SETTING)].flatMap(([, value = ""]) =>
    [...value.matchAll(/["']([^"'\n]+)["']/g)].map(([, name = ""]) => name.replace(/^<rootDir>\//, "./")),
  );
  const imports = /\.[cm]?[jt]s$/.test(file) ? [...text.matchAll(IMPORT)].map(([, name = ""]) => name) : [];
  const resolved = (name: string) => {
    const path = posix.normalize(posix.join(posix.dirname(file), name));
    const found = ENDINGS.map((ending) => path + ending).find((each) => read(each) !== undefined);
    return found === undefined || roleByName(found) !== undefined ? [] : [found];
  };
  return [...settings.flatMap(resolved), ...imports.flatMap(resolved).filter((path) => !isLikelyWork(path))];
}
