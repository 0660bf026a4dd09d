import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import type { Machine } from "../../contract/machine.ts";
import type { PathAccess, Policy } from "../../contract/policy.ts";
import type { GuardFinding } from "../../contract/verdict.ts";
import { judgePathAccess } from "../../guard/access/judge-access.ts";
import { lexicalPath, realPath } from "../../lib/path/real-path.ts";
import { errorCode } from "../../lib/text/user-error.ts";

/**
 * Sits between a judged call and the disk. A link can change between judging and opening, so what is opened
 * must be what was judged.
 */
export interface PathGate {
  /** The absolute path that a model means, without following links. */
  readonly absolute: (path: string) => string;
  /** Where a path leads now. */
  readonly real: (path: string) => string;
  /** Remembers where the path of a call led when it was judged. */
  readonly note: (callId: string, real: string) => void;
  /** Throws unless `real` was judged for this call, or needs no judgement. */
  readonly check: (callId: string, real: string, access: PathAccess) => void;
  /** Whether a path below an already checked one may be read, for tools that visit many paths. */
  readonly mayRead: (path: string) => boolean;
}

/** Records of calls that never ran are dropped after this many. */
const MAX_NOTES = 1000;

export function pathGate(policy: Policy, world: Machine): PathGate {
  const notes = new Map<string, string>();
  const absolute = (path: string) =>
    lexicalPath(path === "~" || path.startsWith("~/") ? policy.home + path.slice(1) : path, policy.workspaceRoot);
  const judged = (path: string, access: PathAccess, outside: "allow" | "deny") =>
    judgePathAccess({ access, path }, { policy, machine: world, cwd: policy.workspaceRoot, outside });
  const isObjection = ({ verdict }: GuardFinding) => verdict !== "allow";
  return {
    absolute,
    real(path) {
      try {
        return realPath(absolute(path), "/", world.readLink);
      } catch (error) {
        if (errorCode(error) !== "ENOTDIR") throw error;
        throw new Error(`${absolute(path)} goes through something that is not a folder`, { cause: error });
      }
    },
    note(callId, real) {
      notes.set(callId, real);
      const oldest = notes.keys().next().value;
      if (notes.size > MAX_NOTES && oldest !== undefined) notes.delete(oldest);
    },
    check(callId, real, access) {
      const before = notes.get(callId);
      if (before !== undefined && before !== real)
        throw new Error(
          `the path pointed to ${before} when it was judged, but now points to ${real}; nothing was done`,
        );
      // An `ask` has already been answered for the judged call.
      const objection =
        before === undefined
          ? judged(real, access, "deny").find(isObjection)
          : judged(real, access, "allow").find(({ verdict }) => verdict === "deny");
      if (objection !== undefined) throw new Error(`${real}: ${objection.because}`);
    },
    mayRead: (path) => !judged(path, "read", "allow").some(isObjection),
  };
}

/** The real path of an open descriptor. */
export function openedPath(descriptor: number, path: string): string {
  if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${descriptor}`);
  const real = realpathSync(path);
  const [opened, named] = [fstatSync(descriptor), statSync(real)];
  if (opened.ino !== named.ino || opened.dev !== named.dev)
    throw new Error(`${path} changed while it was being opened`);
  return real;
}

/** Larger files are for grep and for commands. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

interface JudgedFile {
  readonly real: string;
  readonly stat: Stats;
  /** Undefined for a folder. */
  readonly bytes: Buffer | undefined;
}

/** Opens what a call names, checks that it is what was judged, and reads it fully. Never blocks on a FIFO or device. */
export function readJudged(path: string, callId: string, gate: PathGate): JudgedFile {
  const absolute = gate.absolute(path);
  const descriptor = open(absolute, gate);
  try {
    const real = openedPath(descriptor, absolute);
    gate.check(callId, real, "read");
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) return { real, stat, bytes: undefined };
    if (!stat.isFile()) throw new Error(`${absolute} is not a regular file`);
    if (stat.size > MAX_FILE_BYTES)
      throw new Error(
        `${absolute} has ${stat.size} bytes, too many to read; search it with grep, or print some lines with bash: sed -n '1,200p'`,
      );
    return { real, stat, bytes: readAll(descriptor) };
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string, gate: PathGate): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw new Error(`${path} does not exist`, { cause: error });
    if (code === "EACCES") throw new Error(`${path} is not readable by this user`, { cause: error });
    if (code === "ELOOP") throw new Error(`${path} is a link to itself`, { cause: error });
    throw new Error(`${gate.absolute(path)} cannot be opened: ${code ?? String(error)}`, { cause: error });
  }
}

/** Reads to the end instead of to the size: files in /proc report none, and a file may grow. */
function readAll(descriptor: number): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(64 * 1024);
    const read = readSync(descriptor, part, 0, part.length, null);
    if (read === 0) return Buffer.concat(parts);
    size += read;
    if (size > MAX_FILE_BYTES) throw new Error("it grew while being read");
    parts.push(part.subarray(0, read));
  }
}
