import { canonicalJson } from "../lib/canonical-json.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { BaseAndPresent } from "./base-and-present.ts";
import { rustTests, withRustTests } from "./rust-tests.ts";
import { sectionsOf, withSections } from "./sections.ts";

/** What the check runs, as far as it decides which entries of a manifest or a lockfile count. */
export interface CheckedEntries {
  /** Names of scripts in manifests. */
  readonly scripts: readonly string[];
  /** Packages whose version counts. */
  readonly packages: readonly string[];
}

/**
 * The text of the entries that decide a check, for comparing. Equal texts: nothing that counts has changed, whatever
 * else was added to the file. A file that cannot be read in its own format is compared whole.
 */
export function decidingPart(path: string, text: string, entries: CheckedEntries): string {
  return reader(path)?.part(text, entries) ?? text;
}

/** The present file with the deciding entries of the base in place of its own. */
export function withBasePart(path: string, texts: BaseAndPresent, entries: CheckedEntries): string {
  return reader(path)?.merge?.(texts, entries) ?? texts.base;
}

interface PartReader {
  readonly part: (text: string, entries: CheckedEntries) => string | undefined;
  readonly merge?: (texts: BaseAndPresent, entries: CheckedEntries) => string | undefined;
}

function reader(path: string): PartReader | undefined {
  const name = path.split("/").at(-1) ?? "";
  if (name.endsWith(".rs")) return { part: rustTests, merge: withRustTests };
  if (/^requirements.*\.txt$/.test(name)) return versionLines;
  return READERS[name];
}

/** Keys of package.json that configure a runner, and how packages and scripts are found. */
const PACKAGE_KEYS = "jest vitest mocha ava nyc c8 tap babel workspaces packageManager xo eslintConfig".split(" ");

const manifest: PartReader = {
  part: (text, entries) => mapJson(text, (value) => canonicalJson(manifestPart(value, entries))),
  merge: ({ base, present }, entries) =>
    mapJson(base, (old) =>
      mapJson(present, (now) => `${JSON.stringify(mergedManifest(old, now, entries), null, 2)}\n`),
    ),
};

type Manifest = Readonly<Record<string, unknown>>;

function mergedManifest(old: Manifest, now: Manifest, { scripts, packages }: CheckedEntries): Manifest {
  const rest = Object.entries(now).filter(([key]) => !PACKAGE_KEYS.includes(key));
  const kept = PACKAGE_KEYS.flatMap((key) => (key in old ? [[key, old[key]]] : []));
  const mixed = ["scripts", ...VERSION_KEYS]
    .filter((key) => key in old || key in now)
    .map((key) => {
      const isOurs = (name: string) => (key === "scripts" ? isReached(name, scripts) : packages.includes(name));
      const others = Object.entries(recordOf(now[key])).filter(([name]) => !isOurs(name));
      return [
        key,
        Object.fromEntries([...others, ...Object.entries(recordOf(old[key])).filter(([name]) => isOurs(name))]),
      ];
    });
  return Object.fromEntries([...rest, ...kept, ...mixed]);
}

const VERSION_KEYS = ["dependencies", "devDependencies", "require-dev", "overrides", "resolutions"];

function manifestPart(value: Manifest, { scripts, packages }: CheckedEntries) {
  const versions = VERSION_KEYS.map((key) =>
    Object.fromEntries(Object.entries(recordOf(value[key])).filter(([name]) => packages.includes(name))),
  );
  const reached = Object.entries(recordOf(value["scripts"])).filter(([name]) => isReached(name, scripts));
  const config = Object.fromEntries(PACKAGE_KEYS.map((key) => [key, value[key]]));
  return { scripts: Object.fromEntries(reached), versions, config };
}

/** Package managers run the scripts `preX` and `postX` around `X`. */
const isReached = (name: string, scripts: readonly string[]) =>
  scripts.some((script) => name === script || name === `pre${script}` || name === `post${script}`);

const lockJson: PartReader = {
  part: (text, { packages }) =>
    mapJson(text, (value) => {
      const found = [
        value["packages"],
        value["dependencies"],
        value["packages-dev"],
        value["default"],
        value["develop"],
      ];
      const entries = found.flatMap((list) =>
        Object.entries(isRecord(list) ? list : {}).concat(
          Array.isArray(list) ? list.flatMap((item) => (isRecord(item) ? [[String(item["name"]), item]] : [])) : [],
        ),
      );
      const ours = entries.filter(([name]) =>
        packages.some((each) => name === each || name.endsWith(`node_modules/${each}`)),
      );
      return canonicalJson(ours.map(([name, item]) => [name, isRecord(item) ? pinOf(item) : item]));
    }),
};

const pinOf = ({ version, resolved, integrity, link }: Readonly<Record<string, unknown>>) => ({
  version,
  resolved,
  integrity,
  link,
});

/** Any other lockfile: every line that names a package, with what follows it. */
const versionLines: PartReader = {
  part(text, { packages }) {
    const lines = text.split("\n");
    const named = packages.map((name) => new RegExp(`(?:^|[\\s"'/])${escaped(name)}(?:$|[\\s"'@=<>~!;:(\\[])`));
    return lines
      .flatMap((line, at) => (named.some((pattern) => pattern.test(line)) ? lines.slice(at, at + 3) : []))
      .join("\n");
  },
};

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

const sections = (wanted: RegExp): PartReader => ({
  part: (text) => sectionsOf(text, wanted),
  merge: (texts) => withSections(texts, wanted),
});

/** The dependencies of a build file are work; the rest decides how tests run. */
const without = (...blocks: readonly RegExp[]): PartReader => ({
  part: (text) => blocks.reduce((left, block) => left.replaceAll(block, ""), text).replaceAll(/\s+/g, " "),
});

const READERS: Readonly<Record<string, PartReader>> = {
  "package.json": manifest,
  "composer.json": manifest,
  "pyproject.toml": sections(
    /^tool\.(?:pytest|tox|nox|coverage|hatch|poe|pdm\.scripts|taskipy|rye|mypy|ruff|pyright|pylint|black|isort|uv\.sources)/,
  ),
  "setup.cfg": sections(/^(?:tool:pytest|pytest|aliases|coverage|flake8|mypy|pycodestyle|isort)/),
  "tox.ini": sections(/./),
  Pipfile: sections(/^(?:scripts|pipenv)/),
  "Cargo.toml": sections(/^(?:package$|lib$|test$|bench$|profile|workspace|features|patch|target)/),
  "go.mod": {
    part: (text) =>
      text
        .split("\n")
        .filter((line) => /^\s*(?:go|toolchain|replace|exclude|module)\b/.test(line))
        .join("\n"),
  },
  "pom.xml": without(/<dependencies>[\s\S]*?<\/dependencies>/g, /<version>[^<]*<\/version>/g),
  "build.gradle": without(/^\s*(?:implementation|api|compileOnly|runtimeOnly|annotationProcessor|version)\b.*$/gm),
  "build.gradle.kts": without(/^\s*(?:implementation|api|compileOnly|runtimeOnly|kapt|version)\b.*$/gm),
  "package-lock.json": lockJson,
  "npm-shrinkwrap.json": lockJson,
  "composer.lock": lockJson,
  "Pipfile.lock": lockJson,
  "yarn.lock": versionLines,
  "pnpm-lock.yaml": versionLines,
  "bun.lock": versionLines,
  "poetry.lock": versionLines,
  "uv.lock": versionLines,
  "Gemfile.lock": versionLines,
};

function mapJson<T>(text: string, use: (value: Readonly<Record<string, unknown>>) => T): T | undefined {
  try {
    const value = parseJson(text);
    return isRecord(value) ? use(value) : undefined;
  } catch {
    return undefined;
  }
}

const recordOf = (value: unknown) => (isRecord(value) ? value : {});
