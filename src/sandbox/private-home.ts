import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { shareLock } from "../lib/lock.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { sha256 } from "../lib/sha256.ts";
import { NPM_PREFIX, USER_PACKAGES } from "./command-environment.ts";
import { type GitSetting, globalSettings, isHarmlessForUser, settingsFile } from "./git-settings.ts";
import { npmRegistries, pipRegistries } from "./registry-settings.ts";
import { writePrivateFile } from "./write-private-file.ts";

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
  // Written anew each time: a command may have changed it, and the user may have too.
  const files = {
    ".gitconfig": `${GIT_HEADER}${settingsFile([...settings, ...OWN_SETTINGS])}`,
    ".npmrc": `${npmRegistries(readSettings(join(place.home, ".npmrc")))}${npmPrefix(place)}`,
    ".config/pip/pip.conf": pipFiles(place).map(readSettings).map(pipRegistries).join(""),
    ".config/pnpm/rc": `store-dir=${join(place.home, ".cache/pnpm-store")}\n`,
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

export const homesFolder = (signalboxHome: string) => join(signalboxHome, "homes");

/** Shared by the sessions that use a home. It lies outside, where commands cannot reach it. */
export const homeLock = (signalboxHome: string, name: string) =>
  join(signalboxHome, "locks", "homes", `${name}.sqlite`);

/** Files that every session writes: their time is when the home was used last. */
export const WRITTEN_AT_START: readonly string[] = [".gitconfig", ".npmrc"];

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
const npmPrefix = ({ home, environment }: HomePlace) =>
  environment["NVM_DIR"] !== undefined || existsSync(join(home, ".nvm")) ? "" : `prefix=${join(home, NPM_PREFIX)}\n`;

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
