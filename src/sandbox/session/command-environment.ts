import { join } from "node:path";
import { DANGEROUS_VARIABLES, SECRET_PARTS, SECRET_WORDS } from "../../lib/process/dangerous-variables.ts";

/** The port of the network door inside the sandbox. */
export const DOOR_PORT = 3128;

/** Sockets of the user's other programs, folders that are hidden, the way to our own hooks, and proxies out there. */
const NOT_INSIDE: readonly string[] = [
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "DBUS_SESSION_BUS_ADDRESS",
  "DBUS_SYSTEM_BUS_ADDRESS",
  "DISPLAY",
  "DOCKER_HOST",
  "CONTAINER_HOST",
  "GPG_AGENT_INFO",
  "GNUPGHOME",
  "NODE_CHANNEL_FD",
  "SIGNALBOX_HOOK_SERVER",
  "SSH_AGENT_PID",
  "SSH_AUTH_SOCK",
  "TMUX",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "XDG_STATE_HOME",
  ...["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
  "npm_config_proxy",
  "npm_config_https_proxy",
];

/** Git settings, some of which hold credentials. Git fails where only some of them are there, so none is passed on. */
const GIT_SETTINGS = "GIT_CONFIG_";

/** Whether a variable points to something that the sandbox does not have. */
export const isNotInside = (name: string): boolean => NOT_INSIDE.includes(name) || name.startsWith(GIT_SETTINGS);

interface CommandPlace {
  readonly home: string;
  /** Where temporary files are private. */
  readonly temporary?: string | undefined;
  /** Names of secrets that commands may have. */
  readonly keep?: readonly string[] | undefined;
  /** The user's PATH. The agent itself is started with another one if commands could plant programs in this one. */
  readonly path?: string | undefined;
}

/**
 * What the client passes on of the environment that it is started in (sandbox-init/client.h has the letters). The same
 * variables as `cleanEnvironment`, and fewer: nothing that points to a hidden folder or a socket outside.
 */
export function environmentRules({ home, temporary, keep = [], path }: CommandPlace): string {
  const loadsCode = DANGEROUS_VARIABLES.filter(({ kind }) => ["preload", "code", "redirect"].includes(kind));
  const prefixes = loadsCode.filter(({ name }) => name.endsWith("*")).map(({ name }) => name.slice(0, -1));
  return records([
    ...keep.map((name) => `k${name}`),
    ...SECRET_WORDS.map((word) => `w${word}`),
    ...SECRET_PARTS.map((part) => `s${part}`),
    ...[...prefixes, GIT_SETTINGS].map((prefix) => `p${prefix}`),
    ...[...NOT_INSIDE, ...loadsCode.map(({ name }) => name).filter((name) => !name.endsWith("*"))].map(
      (name) => `x${name}`,
    ),
    ...Object.entries(fixedVariables(home, temporary)).map(([name, value]) => `=${name}=${value}`),
    path === undefined ? `aPATH=${pathSuffix(home)}` : `=PATH=${path}${pathSuffix(home)}`,
  ]);
}

/** Variables that have the same value in every command. */
export const fixedVariables = (home: string, temporary?: string): Readonly<Record<string, string>> => ({
  HOME: home,
  ...(temporary === undefined ? { TMPDIR: "/tmp" } : { TMPDIR: temporary, TMUX_TMPDIR: temporary }),
  SHELL: "/bin/bash",
  // The user's own folders are read-only, and these tools write there.
  CARGO_HOME: join(home, ".cache/cargo"),
  GOBIN: join(home, ".cache/go/bin"),
  PYTHONUSERBASE: join(home, USER_PACKAGES),
});

/** Where `pip install --user` installs, relative to the home. */
export const USER_PACKAGES = ".cache/python-user";

/** Where `npm install -g` and `npm link` install, relative to the home. */
export const NPM_PREFIX = ".cache/npm-global";

/** What commands installed themselves is found after everything else. */
export const pathSuffix = (home: string): string =>
  [".cache/cargo", ".cache/go", NPM_PREFIX, USER_PACKAGES].map((folder) => `:${join(home, folder, "bin")}`).join("");

/** NUL-terminated records, as the helper reads them. */
export function records(values: readonly string[]): string {
  return values.map((value) => `${value.replaceAll("\0", "")}\0`).join("");
}

/**
 * The variables that lead a command's programs to the door. The user name is the command's id. The password means
 * nothing, but git asks for one on the terminal if there is none. All variables name an HTTP proxy, because httpx does
 * not start without an extra module if one of them names SOCKS.
 */
export function doorVariables(port: number, id: string): Readonly<Record<string, string>> {
  const proxy = `http://${encodeURIComponent(id)}:x@127.0.0.1:${port}`;
  return {
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    no_proxy: LOOPBACK,
    NO_PROXY: LOOPBACK,
    NODE_USE_ENV_PROXY: "1",
  };
}

/** Loopback is the sandbox's own. Private ranges are left out, because nothing there can be reached directly. */
const LOOPBACK = "localhost,127.0.0.1,::1";
