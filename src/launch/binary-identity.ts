import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { type FoundBinary, nativeProgram, programFingerprint } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { randomId } from "../lib/files/random-id.ts";
import { readBoundedText } from "../lib/files/read-file.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { endTree } from "../lib/process/end-tree.ts";
import { hasStarted } from "../lib/process/has-started.ts";
import { printable } from "../lib/text/printable.ts";
import { errorCode, EXIT, UserError } from "../lib/text/user-error.ts";
import { childEnvironment } from "./child-environment.ts";

export interface BinaryIdentity {
  readonly version: string;
  readonly sha256: string;
  /** Hash of the program behind a launcher script, if there is one. */
  readonly nativeSha256: string;
}

export const UNKNOWN_VERSION = "unknown";

type Cache = Record<string, BinaryIdentity>;

const MAX_CACHE_BYTES = 1024 * 1024;

/**
 * The version and hashes of an agent's program. Large files are hashed once and cached until the file changes. With
 * `readOnly` the program is not started and nothing is cached, so a version that is not known yet stays unknown.
 */
export async function identify(
  agent: Agent,
  binary: FoundBinary,
  places: { cache: string; env: NodeJS.ProcessEnv; readOnly?: boolean },
): Promise<BinaryIdentity> {
  const native = nativeProgram(agent, binary);
  const key = programFingerprint(agent, binary);
  const path = join(places.cache, `${agent.name}.json`);
  const known = readCache(path)[key];
  if (known !== undefined) return known;

  const [version, sha256, nativeSha256] = await Promise.all([
    places.readOnly === true ? undefined : versionOf(agent, binary, places.env),
    hashOf(agent, binary.real),
    native === undefined ? "" : hashOf(agent, native),
  ]);
  // Don't cache a failure: the version may be available next time.
  if (version !== undefined) remember(path, { [key]: { version, sha256, nativeSha256 } });
  return { version: version ?? UNKNOWN_VERSION, sha256, nativeSha256 };
}

/** What is already known of an agent's program; undefined until `doctor` or `prove` has looked at it as it is. */
export function knownIdentity(agent: Agent, binary: FoundBinary, cache: string): BinaryIdentity | undefined {
  return readCache(join(cache, `${agent.name}.json`))[programFingerprint(agent, binary)];
}

/** Asks the program itself, in the environment of a launch, and ends any processes it leaves running. */
async function versionOf(agent: Agent, binary: FoundBinary, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const id = randomId();
  try {
    const [program, ...leading] = binary.words;
    return await firstLine(program, [...leading, "--version"], childEnvironment(agent, env, id));
  } finally {
    await endTree({ id });
  }
}

async function hashOf(agent: Agent, path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path, { highWaterMark: 4 * 1024 * 1024 }), hash);
  } catch (cause) {
    throw new UserError(`${agent.title}: cannot read its program (${errorCode(cause) ?? String(cause)})`, {
      where: path,
      fix: `make it readable, or reinstall it: ${agent.install}`,
      exitCode: EXIT.notRunnable,
      cause,
    });
  }
  return hash.digest("hex");
}

function readCache(path: string): Cache {
  try {
    const value: unknown = parseJson(readBoundedText(path, MAX_CACHE_BYTES));
    return isCache(value) ? value : {};
  } catch {
    return {};
  }
}

function isCache(value: unknown): value is Cache {
  const isIdentity = (entry: unknown) =>
    typeof entry === "object" &&
    entry !== null &&
    ["version", "sha256", "nativeSha256"].every(
      (field) => typeof Object.entries(entry).find(([name]) => name === field)?.[1] === "string",
    );
  return typeof value === "object" && value !== null && Object.values(value).every(isIdentity);
}

/** If the home folder is not writable, the next lookup is slower, but nothing breaks. */
function remember(path: string, cache: Cache): void {
  try {
    makeFolder(dirname(path));
    atomicWrite(path, JSON.stringify(cache));
  } catch {
    // Reported by `checkPlaces`.
  }
}

const TIMEOUT_MS = 5000;

/** How long to wait for remaining output after the exit. */
const DRAIN_MS = 200;

const MAX_BYTES = 65_536;

const MAX_CHARACTERS = 80;

/** The first line that a program prints, limited in time and length; undefined if it prints none or fails. */
export async function firstLine(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const code = new Promise<number | null>((resolve) => child.on("exit", resolve).on("error", () => resolve(null)));
  const closed = once(child, "close");
  closed.catch(() => {});
  if (!(await hasStarted(child))) return undefined;
  const timeout = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  try {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text = (text + part).slice(0, MAX_BYTES)));
    // If the program left a daemon behind, the pipe stays open. Its own exit is enough, once its output has arrived.
    if ((await code) !== 0) return undefined;
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    const line = stripVTControlCharacters(text).trim().split("\n")[0] ?? "";
    return line === "" ? undefined : printable(line).slice(0, MAX_CHARACTERS);
  } finally {
    clearTimeout(timeout);
    child.stdout.destroy();
  }
}
