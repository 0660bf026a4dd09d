import { readlinkSync, realpathSync, statSync, fstatSync } from "node:fs";
import { errorCode } from "../../lib/error-code.ts";
import { judgePathAccess } from "../../guard/judge/judge-access.ts";
import { lexicalPath, realPath } from "../../lib/real-path.ts";
import type { PathAccess, Policy } from "../../contract/policy.ts";
import type { Machine } from "../../contract/machine.ts";

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
  const place = { policy, machine: world, cwd: policy.workspaceRoot };
  const absolute = (path: string) =>
    lexicalPath(path === "~" || path.startsWith("~/") ? policy.home + path.slice(1) : path, policy.workspaceRoot);
  const speaksAgainst = (path: string, access: PathAccess, outside: "allow" | "deny") =>
    judgePathAccess({ access, path }, { ...place, outside }).find(({ verdict }) => verdict !== "allow");
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
      const judged = notes.get(callId);
      if (judged !== undefined && judged !== real)
        throw new Error(
          `the path pointed to ${judged} when it was judged, but now points to ${real}; nothing was done`,
        );
      // An `ask` has already been answered for the judged call.
      const objection =
        judged === undefined
          ? speaksAgainst(real, access, "deny")
          : judgePathAccess({ access, path: real }, { ...place, outside: "allow" }).find(
              ({ verdict }) => verdict === "deny",
            );
      if (objection !== undefined) throw new Error(`${real}: ${objection.because}`);
    },
    mayRead: (path) => speaksAgainst(path, "read", "allow") === undefined,
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
