import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";

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

const VERSION_KEYS = ["dependencies", "devDependencies", "require-dev", "overrides", "resolutions"];

/** Package managers run the scripts `preX` and `postX` around `X`. */
const isReached = (name: string, scripts: readonly string[]) =>
  scripts.some((script) => name === script || name === `pre${script}` || name === `post${script}`);

const recordOf = (value: unknown) => (isRecord(value) ? value : {});

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

function manifestPart(value: Manifest, { scripts, packages }: CheckedEntries) {
  const versions = VERSION_KEYS.map((key) =>
    Object.fromEntries(Object.entries(recordOf(value[key])).filter(([name]) => packages.includes(name))),
  );
  const reached = Object.entries(recordOf(value["scripts"])).filter(([name]) => isReached(name, scripts));
  const config = Object.fromEntries(PACKAGE_KEYS.map((key) => [key, value[key]]));
  return { scripts: Object.fromEntries(reached), versions, config };
}

const pinOf = ({ version, resolved, integrity, link }: Readonly<Record<string, unknown>>) => ({
  version,
  resolved,
  integrity,
  link,
});

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

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

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

const sections = (wanted: RegExp): PartReader => ({
  part: (text) => sectionsOf(text, wanted),
  merge: (texts) => withSections(texts, wanted),
});

/** The dependencies of a build file are work; the rest decides how tests run. */
const without = (...blocks: readonly RegExp[]): PartReader => ({
  part: (text) => blocks.reduce((left, block) => left.replaceAll(block, ""), text).replaceAll(/\s+/g, " "),
});

const START = /#\[cfg\((?:all\()?test\b[^\]]*\]/g;

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

/** The wanted sections of a TOML or INI file, as they are written, without blank lines and comments. */
function sectionsOf(text: string, wanted: RegExp): string {
  return split(text)
    .filter(({ name }) => wanted.test(name))
    .map(({ lines }) => lines.filter((line) => !/^\s*(?:[#;].*)?$/.test(line)).join("\n"))
    .join("\n");
}

/** The present file with the wanted sections of the base instead of its own. */
function withSections({ base, present }: BaseAndPresent, wanted: RegExp): string {
  const kept = split(present).filter(({ name }) => !wanted.test(name));
  const restored = split(base).filter(({ name }) => wanted.test(name));
  return [...kept, ...restored].flatMap(({ lines }) => lines).join("\n");
}

interface Section {
  readonly name: string;
  readonly lines: readonly string[];
}

/** What comes before the first header has an empty name. */
function split(text: string): readonly Section[] {
  const found: { name: string; lines: string[] }[] = [{ name: "", lines: [] }];
  for (const line of text.split("\n")) {
    const [, name] = /^\s*\[{1,2}\s*([^[\]]+?)\s*\]{1,2}\s*(?:#.*)?$/.exec(line) ?? [];
    if (name !== undefined) found.push({ name: name.replaceAll(/["']/g, ""), lines: [] });
    found.at(-1)?.lines.push(line);
  }
  return found;
}

/** The `#[cfg(test)]` items of a Rust file. Rust keeps unit tests beside the code they test. */
function rustTests(text: string): string {
  return blocks(text)
    .map(({ from, to }) => text.slice(from, to))
    .join("\n");
}

/** The present code with the tests of the base. */
function withRustTests({ base, present }: BaseAndPresent): string {
  let rest = present;
  for (const { from, to } of blocks(present).toReversed()) rest = rest.slice(0, from) + rest.slice(to);
  return `${rest}\n${rustTests(base)}\n`;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function blocks(text: string): readonly Span[] {
  const found: Span[] = [];
  for (const { index } of text.matchAll(START)) {
    const last = found.at(-1);
    if (last !== undefined && index < last.to) continue;
    found.push({ from: index, to: itemEnd(text, index) });
  }
  return found;
}

/** The end of the item: its closing brace, or a semicolon before any brace. Braces in strings and comments are skipped. */
function itemEnd(text: string, from: number): number {
  const token = /"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{};]/g;
  token.lastIndex = text.indexOf("]", from) + 1;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === "{") depth++;
    if (match[0] === "}" && --depth <= 0) return token.lastIndex;
    if (match[0] === ";" && depth === 0) return token.lastIndex;
  }
  return text.length;
}

/** One file as it was when the work began, and as it is now. */
interface BaseAndPresent {
  readonly base: string;
  readonly present: string;
}
