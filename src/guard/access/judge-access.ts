import type { Machine } from "../../contract/machine.ts";
import type { NetworkLists, PathAccess, Policy } from "../../contract/policy.ts";
import type { GuardFinding, Verdict } from "../../contract/verdict.ts";
import { fold } from "../../lib/path/real-path.ts";
import { isWild, matchesSegment } from "../../lib/path/glob.ts";
import type { Target } from "../../lib/net/host-pattern.ts";
import { realMachine } from "../machine/real-machine.ts";
import { compileHosts, type HostLists } from "../rules/host-lists.ts";
import { judgeTarget, judgeUrl } from "./judge-url.ts";
import { judgePath } from "./judge-path.ts";
import { FLOOR_DENY_READ, FLOOR_DENY_WRITE } from "../rules/floors.ts";
import { deniedBy, type GlobList, ready } from "../rules/ready-policy.ts";

/** A path and how it is used. */
interface PathUse {
  readonly access: PathAccess;
  /** Absolute, or relative to the working folder. */
  readonly path: string;
}

/** All findings against a path use that is not a tool call; `outside` is the verdict outside the roots. */
export function judgePathAccess(
  use: PathUse,
  { policy, machine, cwd, outside }: { policy: Policy; machine: Machine; cwd: string; outside: Verdict },
): readonly GuardFinding[] {
  return judgePath({ ...use, glob: false }, { policy: ready(policy), machine, cwd, outside, otherCwds: [] });
}

/** All findings against requesting a URL. */
export function judgeUrlAccess(
  url: string,
  { policy, machine }: { policy: Policy; machine: Machine },
): readonly GuardFinding[] {
  return judgeUrl(url, [], { policy: ready(policy), machine });
}

/** A policy's host lists, compiled for `judgeHostAccess`. Throws for an entry that has no meaning. */
export function compileNetwork(network: NetworkLists): HostLists {
  return { policy: { network }, allowHosts: compileHosts(network.allow), denyHosts: compileHosts(network.deny) };
}

/**
 * All findings against connecting to a host, for whoever opens the connection. `addresses` are what the name resolved
 * to, or undefined as long as it was not resolved.
 */
export function judgeHostAccess(
  target: Target,
  lists: HostLists,
  addresses: readonly string[] | undefined,
): readonly GuardFinding[] {
  const machine = { ...realMachine, addresses: () => addresses };
  return judgeTarget(target, `${target.host}:${target.port}`, { policy: lists, machine });
}

/** All findings of the floors against a workspace change that no call asked for, regardless of its policy. */
export function judgeByFloors(
  use: PathUse,
  { root, home, readLink }: { root: string; home: string; readLink: Machine["readLink"] },
): readonly GuardFinding[] {
  const policy = { ...FLOORS_ONLY, workspaceRoot: root, home };
  return judgePathAccess(use, { policy, machine: { ...realMachine, readLink }, cwd: root, outside: "deny" });
}

const FLOORS_ONLY = {
  version: 1,
  id: "floors",
  rules: [],
  tools: { allow: [], deny: [], ask: [], otherwise: undefined },
  paths: {
    readRoots: ["."],
    writeRoots: ["."],
    denyRead: [],
    denyWrite: [],
    outside: "deny",
    outsideForTools: "deny",
  },
  network: { mode: "none", allow: [], deny: [], schemes: [], ports: [], blockPrivate: true, unlisted: "deny" },
  fallback: "deny",
  interactive: false,
  sandbox: "off",
} as const;

/** Patterns that no policy can lift. */
export const FLOORS = { denyRead: FLOOR_DENY_READ, denyWrite: FLOOR_DENY_WRITE } as const;

/** True if a policy denies writes to the whole folder. */
export function isWriteDenied(folder: string, policy: Policy): boolean {
  return ready(policy).denyWrite.some((list) => deniedBy(list, fold(folder)) !== undefined);
}

/** The floors and these patterns, for walking a folder. */
export function deniedWrites(
  denyWrite: readonly string[],
  { root, home }: { readonly root: string; readonly home: string },
): EntryTest {
  const paths = { ...FLOORS_ONLY.paths, denyWrite };
  return deniedEntries({ ...FLOORS_ONLY, workspaceRoot: root, home, paths }).write;
}

type EntryTest = (path: string, name: string) => boolean;

/** For walking a folder: whether an entry, given by its folded path and name, may not be read or written. */
export function deniedEntries(policy: Policy): { readonly read: EntryTest; readonly write: EntryTest } {
  const { denyRead, denyWrite } = ready(policy);
  return { read: deniedIn(denyRead), write: deniedIn(denyWrite) };
}

/**
 * Whether the lists deny a folded path. The caller knows that no parent is denied, so a pattern can only match the path
 * itself, and its last part the name.
 */
function deniedIn(lists: readonly GlobList[]): EntryTest {
  const globs = lists.flatMap((list) => list.globs).filter(({ lifts }) => !lifts);
  const last = globs.map(({ segments }) => segments.at(-1) ?? "*");
  const plain = new Set(last.filter((name) => !isWild(name)));
  const wild = last.filter(isWild);
  // Most names of a large tree are in it many times.
  const known = new Map<string, boolean>();
  const isSuspect = (name: string) => {
    const isKnown = known.get(name);
    if (isKnown !== undefined) return isKnown;
    const result = plain.has(name) || wild.some((pattern) => matchesSegment(pattern, name));
    known.set(name, result);
    return result;
  };
  return (path, name) => isSuspect(name) && lists.some((list) => deniedBy(list, path) !== undefined);
}
