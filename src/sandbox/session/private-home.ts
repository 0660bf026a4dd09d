import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shareLock, takeLock } from "../../lib/files/lock.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { openFolder } from "../../lib/files/open-folder.ts";
import {
  allReports,
  discardAll,
  lastChanged,
  oneFile,
  prunableNames,
  pruneCandidates,
  type PruneOrder,
  type PruneReport,
} from "../../lib/files/prune.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { NPM_PREFIX, USER_PACKAGES } from "./command-environment.ts";
import { type GitSetting, globalSettings, isHarmlessForUser, settingsFile } from "./git-settings.ts";

/**
 * The home folder that commands of a workspace see: kept between sessions so that caches stay warm, and private. It
 * gets the user's git name, mail and harmless settings, the registries of npm and pip without logins, and settings that
 * keep tools from writing to the user's read-only folders.
 */
export async function openPrivateHome(place: HomePlace): Promise<PrivateHome> {
  const name = sha256(place.workspace).slice(0, 16);
  const folder = join(homesFolder(place.signalboxHome), name);
  const lock = shareLock(homeLock(place.signalboxHome, name));
  makeFolder(folder);
  const { settings, ignored } = await userGit(place);
  const seen = place.isInPlace === true ? folder : place.home;
  // Written anew each time: a command may have changed it, and the user may have too.
  const files = {
    ".gitconfig": `${GIT_HEADER}${settingsFile([...settings, ...OWN_SETTINGS])}`,
    ".npmrc": `${npmRegistries(readSettings(join(place.home, ".npmrc")))}${npmPrefix(place, seen)}`,
    ".config/pip/pip.conf": pipFiles(place).map(readSettings).map(pipRegistries).join(""),
    ".config/pnpm/rc": `store-dir=${join(seen, ".cache/pnpm-store")}\n`,
    ...userPackages(place.home),
  };
  for (const [path, content] of Object.entries(files)) writePrivateFile(folder, path, content);
  return {
    folder,
    [Symbol.dispose]: () => lock?.[Symbol.dispose](),
    ignore(names) {
      const patterns = names.map((name) => `/${name.replaceAll(/[\\*?[\]!# \n]/g, "?")}\n`);
      writePrivateFile(folder, ".config/git/ignore", [ignored.replace(/\n?$/, "\n"), ...patterns].join(""));
    },
  };
}

const homesFolder = (signalboxHome: string) => join(signalboxHome, "homes");

/** Shared by the sessions that use a home. It lies outside, where commands cannot reach it. */
const homeLock = (signalboxHome: string, name: string) => join(signalboxHome, "locks", "homes", `${name}.sqlite`);

/** Files that every session writes: their time is when the home was used last. */
const WRITTEN_AT_START: readonly string[] = [".gitconfig", ".npmrc"];

/** Until it is disposed or its process dies, no prune removes it. */
interface PrivateHome extends Disposable {
  readonly folder: string;
  /** Makes git ignore what the user ignores in every repository, and these files of the workspace, which are hidden. */
  readonly ignore: (names: readonly string[]) => void;
}

const GIT_HEADER = "# Written by signalbox for commands in the sandbox, from your own settings. Changes are lost.\n";

/** Git cannot write the repository's settings inside, and says that a branch tracks another one although it does not. */
const OWN_SETTINGS: readonly GitSetting[] = [{ name: "branch.autosetupmerge", value: "false" }];

/** `npm install -g` and `npm link` cannot write the usual place. nvm refuses to work if a prefix is set. */
const npmPrefix = ({ home, environment }: HomePlace, seen: string) =>
  environment["NVM_DIR"] !== undefined || existsSync(join(home, ".nvm")) ? "" : `prefix=${join(seen, NPM_PREFIX)}\n`;

const pipFiles = ({ home, environment }: HomePlace) => [
  join(home, ".pip/pip.conf"),
  join(environment["XDG_CONFIG_HOME"] ?? join(home, ".config"), "pip/pip.conf"),
];

/** Makes Python find the user's own packages, which are read-only, after those that commands install. */
function userPackages(home: string): Readonly<Record<string, string>> {
  const folder = join(home, ".local/lib");
  const names = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
  const versions = names.filter((name) => /^python3\.\d+$/.test(name));
  return Object.fromEntries(
    versions.map((version) => [
      `${USER_PACKAGES}/lib/${version}/site-packages/signalbox.pth`,
      `import site; site.addsitedir(${JSON.stringify(join(folder, version, "site-packages"))})\n`,
    ]),
  );
}

const MAX_SETTINGS = 256 * 1024;

/** Settings files are often links. One that is missing, or no file, has no settings. */
function readSettings(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_SETTINGS ? readFileSync(path, "utf8") : "";
}

interface HomePlace {
  /** Commands see it where it is, and not in the place of the user's home. */
  readonly isInPlace?: boolean | undefined;
  readonly signalboxHome: string;
  readonly workspace: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface UserGit {
  readonly settings: readonly GitSetting[];
  /** The patterns that the user ignores in every repository. */
  readonly ignored: string;
}

async function userGit({ home, environment }: HomePlace): Promise<UserGit> {
  const folder = environment["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const files = [join(home, ".gitconfig"), join(folder, "git/config")];
  const settings = files.some((file) => existsSync(file)) ? await globalSettings(home, environment) : [];
  const named = settings.findLast(({ name }) => name === "core.excludesfile")?.value.replace(/^~(?=\/)/, () => home);
  return {
    settings: settings.filter(isHarmlessForUser),
    ignored: readSettings(named ?? join(folder, "git/ignore")),
  };
}

/**
 * Of the user's settings of package managers the lines that name a registry, without the login for it. Inside, npm and
 * pip would otherwise ask the public registry for a company's own packages.
 */
export function npmRegistries(text: string): string {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value = ""] = /^\s*((?:@[\w.~-]+:)?registry)\s*=\s*"?([^"\s]+)"?\s*$/.exec(line) ?? [];
    const url = withoutLogin(value);
    return name === undefined || url === undefined ? [] : [`${name}=${url}`];
  });
  return lines.map((line) => `${line}\n`).join("");
}

const PIP_NAMES = ["index-url", "extra-index-url", "find-links", "trusted-host"];

/** The same for `pip.conf`. A value may go on in indented lines. */
export function pipRegistries(text: string): string {
  const settings = new Map<string, string[]>();
  let values: string[] | undefined;
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const [, named] = /^\[([\w-]+)\]\s*$/.exec(line) ?? [];
    const [, name = "", first = ""] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    if (named !== undefined) [section, values] = [named, undefined];
    else if (/^\s/.test(line)) values?.push(line.trim());
    else if (PIP_NAMES.includes(name.replaceAll("_", "-")) && /^(?:global|install|download)$/.test(section))
      settings.set(`[${section}]\n${name}`, (values = [first]));
    else values = undefined;
  }
  return [...settings]
    .map(([name, given]) => {
      const kept = given.flatMap((value) => value.split(/\s+/)).flatMap((value) => plainValue(name, value) ?? []);
      return kept.length === 0 ? "" : `${name} =\n${kept.map((value) => `    ${value}\n`).join("")}`;
    })
    .join("");
}

const plainValue = (name: string, value: string) =>
  name.endsWith("trusted-host") ? /^[\w.:[\]-]+$/.exec(value)?.[0] : withoutLogin(value);

/** A web address without user name, password, query and fragment, which may hold tokens. */
function withoutLogin(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value) || value.includes("$") || !URL.canParse(value)) return undefined;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`;
}

/**
 * Puts a file into a folder that commands can write. Never through a link that one of them left there, which could lead
 * to the user's own files. Where something else is in the way the file is left out.
 */
function writePrivateFile(root: string, path: string, content: string): void {
  const names = path.split("/");
  const name = names.pop() ?? "";
  try {
    using folder = openFolder(root, names, true);
    if (folder === undefined) return;
    const temporary = folder.at(`.signalbox-${randomId()}.tmp`);
    try {
      writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
      renameSync(temporary, folder.at(name));
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // A folder or a link of a command: it only keeps its own settings from being read.
  }
}

/** Removes private homes of workspaces that no session has used lately, and what killed trials left. */
export function pruneHomes(order: PruneOrder): PruneReport {
  const { names, kept } = prunableNames(homesFolder(order.home));
  const trials = prunableNames(order.home).names.filter((name) => /^trial-\w{6}$/.test(name));
  return allReports([
    { pruned: [], kept },
    ...names.map((name) => pruneHome(name, order)),
    pruneCandidates(
      trials.map((name) => trial(join(order.home, name))),
      order,
    ),
  ]);
}

/** A trial takes seconds. */
const trial = (path: string) =>
  oneFile("a sandbox trial", path, () =>
    lastChanged(path) < Date.now() - HOUR_MS ? undefined : "it may still be active",
  );

const HOUR_MS = 3_600_000;

/** Sessions share the lock of their home; nobody else can take it alone while one of them is alive. */
function pruneHome(name: string, order: PruneOrder): PruneReport {
  const folder = join(homesFolder(order.home), name);
  const what = `sandbox home ${name}`;
  const lock = homeLock(order.home, name);
  const isThere = lastChanged(lock) !== -Infinity;
  if (!isThere && !order.dryRun) makeFolder(dirname(lock));
  using held = isThere || !order.dryRun ? takeLock(lock) : NOTHING;
  const used = Math.max(lastChanged(folder), ...WRITTEN_AT_START.map((path) => lastChanged(join(folder, path))));
  if (!(used < order.before)) return { pruned: [], kept: [] };
  if (held === undefined) return { pruned: [], kept: [{ what, because: "a session uses it" }] };
  return { pruned: [{ what, used, bytes: discardAll([folder], order) }], kept: [] };
}

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };
