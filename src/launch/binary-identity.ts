import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type FoundBinary, nativeProgram, programFingerprint } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { atomicWrite } from "../lib/atomic-write.ts";
import { endTree } from "../lib/end-tree.ts";
import { errorCode } from "../lib/error-code.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { parseJson } from "../lib/parse-json.ts";
import { randomId } from "../lib/random-id.ts";
import { readBounded } from "../lib/read-bounded.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { childEnvironment } from "./child-environment.ts";
import { firstLine } from "./first-line.ts";

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
    const value: unknown = parseJson(readBounded(path, MAX_CACHE_BYTES).bytes.toString("utf8"));
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
