import type { Machine } from "../../contract/machine.ts";
import type { PathAccess } from "../../contract/policy.ts";
import type { GuardFinding, Verdict } from "../../contract/verdict.ts";
import { isWild, mayReach } from "../../lib/path/glob.ts";
import { fold, isBelow, lexicalPath, realPath } from "../../lib/path/real-path.ts";
import { deniedBy, type GlobList, type ReadyPolicy } from "../rules/ready-policy.ts";

/** The context in which a path is used. */
export interface PathPlace {
  readonly policy: ReadyPolicy;
  readonly machine: Machine;
  readonly cwd: string;
  /** Other folders it may be resolved from if a `cd` fails. */
  readonly otherCwds: readonly string[];
  /** The verdict outside the roots. */
  readonly outside: Verdict;
  /** Opened by one of the agent's tools rather than by a program, so a stream would block it until it ends. */
  readonly tool?: boolean;
}

export interface PathUse {
  readonly access: PathAccess;
  readonly path: string;
  /** Its wildcards are active. */
  readonly glob: boolean;
  /** Wildcards match a leading dot and, as in git, across folders. */
  readonly dots?: boolean | undefined;
}

const ALWAYS_OPEN = new Set([
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/tty",
  "/dev/zero",
  "/dev/urandom",
  "/dev/random",
]);

/** All findings against one use of a path; empty if it is allowed. */
export function judgePath(use: PathUse, place: PathPlace): readonly GuardFinding[] {
  const objection = objectToPath(use.path);
  if (objection !== undefined)
    return [{ ...objection, code: "path-text", rule: "floor:path-text", fragment: use.path }];
  const path = use.path === "~" || use.path.startsWith("~/") ? place.policy.policy.home + use.path.slice(1) : use.path;
  const lexical = lexicalPath(path, place.cwd);
  if (use.access !== "delete") {
    if (lexical === "/dev/null" || (ALWAYS_OPEN.has(lexical) && place.tool !== true)) return [];
    const stream = judgeStream(use, lexical, place.tool === true);
    if (stream !== undefined) return [stream];
  }
  const fixed = use.glob ? fixedPart(lexical) : undefined;
  const real = realPath(fixed ?? path, place.cwd, place.machine.readLink);
  const spellings = new Set(
    [lexical, fixed === undefined ? real : real + lexical.slice(fixed.length)].flatMap(variants),
  );
  for (const cwd of place.otherCwds) spellings.add(fold(lexicalPath(path, cwd)));
  const denied = findDenied(use, [...spellings], place.policy);
  if (denied !== undefined) return [denied];
  return [
    ...judgeInstructions(use, [...spellings], place.policy),
    ...judgeSpecial(use, real, place),
    ...judgeRoots(use, { lexical, real }, place),
  ];
}

const DESCRIPTOR = /^\/dev\/fd\/|^\/proc\/[^/]+\/(?:task\/[^/]+\/)?fd\//;

/** Devices and open descriptors, recognized by name. */
function judgeStream(use: PathUse, path: string, tool: boolean): GuardFinding | undefined {
  const finding = { code: "path-special", rule: "floor:special", fragment: use.path };
  if (tool && (DESCRIPTOR.test(path) || /^\/dev\/(?!shm\/)/.test(path)))
    return { ...finding, verdict: "deny", because: "the path is a device or a stream, not a file" };
  return use.access === "read" && DESCRIPTOR.test(path)
    ? { ...finding, verdict: "ask", because: "the target of a file descriptor is only known at run time" }
    : undefined;
}

/** A pipe, socket or device under any other name, and anything mounted into the workspace. */
function judgeSpecial(use: PathUse, real: string, place: PathPlace): readonly GuardFinding[] {
  const { machine, policy } = place;
  const finding = { verdict: "ask", rule: "floor:special", fragment: use.path } as const;
  if (!use.glob && use.access !== "delete" && machine.kind?.(real) === "special")
    return [{ ...finding, code: "path-special", because: `${real} is a device, pipe or socket, not a regular file` }];
  if (use.access === "read" || machine.mounts === undefined) return [];
  const root = realPath(policy.policy.workspaceRoot, "/", machine.readLink);
  if (!isBelow(real, root)) return [];
  const mount = machine.mounts().find((point) => point !== root && isBelow(point, root) && isBelow(real, point));
  return mount === undefined
    ? []
    : [{ ...finding, code: "path-mount", because: `${mount} is a mount inside the workspace that leads elsewhere` }];
}

function judgeInstructions(
  use: PathUse,
  spellings: readonly string[],
  { askWrite }: ReadyPolicy,
): readonly GuardFinding[] {
  if (use.access === "read") return [];
  const source =
    spellings.map((spelling) => deniedBy(askWrite, spelling)).find((found) => found !== undefined) ??
    (use.glob ? aimedAt(askWrite, use, spellings) : undefined);
  if (source === undefined) return [];
  const because = `agents read ${source} as instructions, so it needs approval before it is ${ACCESS[use.access]}`;
  return [{ verdict: "ask", code: "path-instructions", rule: askWrite.name, because, fragment: use.path }];
}

/** The first entry that a pattern appears to target. */
function aimedAt(list: GlobList, { dots = false }: PathUse, spellings: readonly string[]): string | undefined {
  return list.globs.find((glob) => !glob.lifts && spellings.some((path) => mayReach(glob, path, dots)))?.source;
}

function findDenied(use: PathUse, spellings: readonly string[], policy: ReadyPolicy): GuardFinding | undefined {
  for (const list of use.access === "read" ? policy.denyRead : policy.denyWrite) {
    for (const spelling of spellings) {
      const source = deniedBy(list, spelling);
      if (source !== undefined)
        return denial(
          use,
          list.name,
          `${list.name === "deny_read" || list.name === "deny_write" ? "the policy" : "a floor"} keeps ${source} from being ${ACCESS[use.access]}`,
        );
    }
    if (use.access === "delete") {
      const inside = list.globs.find(
        (glob) =>
          !glob.lifts && glob.prefix !== undefined && spellings.some((path) => isBelow(glob.prefix ?? "", path)),
      );
      if (inside !== undefined) return denial(use, list.name, `${inside.source} is inside it`);
    }
    if (use.glob) {
      const aimed = aimedAt(list, use, spellings);
      if (aimed !== undefined) return { ...denial(use, list.name, `the pattern can match ${aimed}`), verdict: "ask" };
    }
  }
  return undefined;
}

const ACCESS: Record<PathAccess, string> = { read: "read", write: "written", delete: "removed" };

function denial(use: PathUse, rule: string, because: string): GuardFinding {
  return { verdict: "deny", code: `path-denied-${use.access}`, rule, because, fragment: use.path };
}

function judgeRoots(
  use: PathUse,
  spelt: { readonly lexical: string; readonly real: string },
  place: PathPlace,
): readonly GuardFinding[] {
  const { policy, machine } = place;
  const { workspaceRoot, paths } = policy.policy;
  const roots = use.access === "read" ? paths.readRoots : paths.writeRoots;
  const real = isWild(spelt.real) ? fixedPart(spelt.real) : spelt.real;
  const inside = roots.some((root) => {
    const folder = lexicalPath(
      root === "~" || root.startsWith("~/") ? policy.policy.home + root.slice(1) : root,
      workspaceRoot,
    );
    return isBelow(real, folder) || isBelow(real, realPath(folder, "/", machine.readLink));
  });
  if (use.access === "delete" && isBelow(realPath(workspaceRoot, "/", machine.readLink), real))
    return [
      {
        verdict: "deny",
        code: "path-root-delete",
        rule: "floor:workspace",
        because: "would remove the workspace itself",
        fragment: use.path,
      },
    ];
  if (inside) return [];
  const access = use.access === "read" ? "read" : "write";
  return [
    {
      verdict: place.outside,
      code: "path-outside",
      rule: "roots",
      because: `${spelt.real} is outside the folders that can be ${ACCESS[use.access]}`,
      fragment: use.path,
      instead: `use a path inside ${workspaceRoot}`,
      need: {
        kind: "path",
        target: spelt.real,
        access,
        because: `needs to ${access === "read" ? "read" : "change"} ${spelt.real}, which is outside the workspace`,
      },
    },
  ];
}

/** The part of a path before its first wildcard. */
function fixedPart(path: string): string {
  const parts = path.split("/");
  const wild = parts.findIndex(isWild);
  return wild === -1 ? path : parts.slice(0, wild).join("/") || "/";
}

/** Spellings that other file systems treat as the same file: case variants, trailing dots and blanks, streams. */
function variants(path: string): readonly string[] {
  const folded = fold(path);
  const stripped = folded.replace(/:[^/]*$/, "").replace(/[. ]+(?=\/|$)/g, "");
  return stripped === folded || stripped === "" ? [folded] : [folded, stripped];
}

interface TextObjection {
  readonly verdict: Verdict;
  readonly because: string;
}

const MAX_PATH = 4096;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const UNSEEN =
  /[\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200c\u200e\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

/** Checks the characters of a path, whoever uses it. */
function objectToPath(path: string): TextObjection | undefined {
  if (path.trim() === "") return { verdict: "deny", because: "the path is empty" };
  if (path.length > MAX_PATH) return { verdict: "deny", because: "the path is too long for a file system" };
  if (CONTROL.test(path)) return { verdict: "deny", because: "the path contains a control character" };
  if (/^[A-Za-z]:[\\/]|^\\\\|^\\\?\?/.test(path))
    return { verdict: "deny", because: "the path is for another operating system" };
  if (UNSEEN.test(path)) return { verdict: "ask", because: "the path contains an invisible character" };
  if (path.includes("\\")) return { verdict: "ask", because: "the path contains a backslash" };
  if (path !== path.trim()) return { verdict: "ask", because: "the path starts or ends with white space" };
  return undefined;
}

/** Checks a path in a tool's field, where no shell expands anything. */
export function objectToField(path: string, globs: boolean): TextObjection | undefined {
  const objection = objectToPath(path);
  if (objection !== undefined) return objection;
  if (/[$`]/.test(path)) return { verdict: "deny", because: "the path contains an expansion that a tool may perform" };
  if (/^~[^/]/.test(path)) return { verdict: "deny", because: "the path is in another user's home" };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path))
    return { verdict: "deny", because: "a URL is used where a path is expected" };
  if (path.startsWith("-")) return { verdict: "ask", because: "the path would be parsed as an option" };
  if (!globs && /[{}*?]|\[.*\]/.test(path) && !/^[^*?{}]*\[[\w.-]+\][^*?{}]*$/.test(path))
    return { verdict: "ask", because: "the path contains a pattern that a tool may expand" };
  return undefined;
}
