import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../lib/inside.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { isWild } from "../lib/glob.ts";
import { lexicalPath } from "../lib/real-path.ts";
import type { Policy } from "../contract/policy.ts";
import { FLOORS, isWriteDenied } from "../guard/judge/judge-access.ts";
import { gitMounts, unwantedFiles } from "./git-places.ts";
import { protectedMounts } from "./protected-mounts.ts";
import type { Mount, SandboxPlan } from "./sandboxed-argv.ts";

interface SandboxHost {
  /** From `findBubblewrap`, verified by `sandboxWorks`. */
  readonly bubblewrap: string;
  /** The commands' PATH. Its folders stay visible even if the home folder is hidden. */
  readonly path?: string | undefined;
  readonly folder?: string | undefined;
  readonly temporary?: string | undefined;
  readonly outlives?: boolean | undefined;
}

/**
 * The sandbox that a policy asks for. `workspace`: only the write roots are writable, secrets are hidden, and the
 * network is closed if the policy's mode is `none`. `strict`: also no network, no home folder, and a read-only
 * repository. Throws a UserError if the policy opens so much that the sandbox would not protect anything.
 */
export function planSandbox(given: Policy, host: SandboxHost): SandboxPlan {
  const policy = { ...given, home: existsSync(given.home) ? realpathSync(given.home) : given.home };
  const strict = policy.sandbox === "strict";
  const workspace = realpathSync(policy.workspaceRoot);
  refuseWide(workspace, policy.home);
  const roots = writableRoots(policy);
  roots.forEach((root) => refuseWide(root, policy.home));
  const inWorkspace = roots.some((root) => isInside(workspace, root));
  const mounts = [
    ...(strict ? homeMounts(policy.home, host.path ?? "") : []),
    ...nameServer(),
    { kind: "read-only", path: workspace } as const,
    ...roots.map((path): Mount => ({ kind: "writable", path })),
    ...withoutLoss([
      ...(inWorkspace ? gitMounts(workspace, !strict) : []),
      ...roots.flatMap((root) => protectedMounts(root, policy)),
      ...secretMounts(policy.home),
    ]),
  ];
  return {
    absent: mounts.filter((mount) => mount.kind === "empty-folder" && !exists(mount)).map(({ path }) => path),
    unwanted: unwantedFiles(workspace),
    bubblewrap: host.bubblewrap,
    workspace,
    folder: host.folder,
    network: strict || hasNoHosts(policy.network) ? "none" : "shared",
    mounts,
    temporary: host.temporary,
    outlives: host.outlives,
  };
}

/** Folders that are private to the command anyway. */
const PRIVATE = ["/tmp", "/var/tmp", "/dev", "/run", "/proc"];

function writableRoots(policy: Policy): readonly string[] {
  const { home, workspaceRoot } = policy;
  const wanted = policy.paths.writeRoots
    .map((root) => lexicalPath(root === "~" || root.startsWith("~/") ? home + root.slice(1) : root, workspaceRoot))
    .filter((root) => !PRIVATE.some((folder) => root === folder || (folder !== "/tmp" && isInside(root, folder))))
    .filter((root) => existsSync(root))
    .map((root) => realpathSync(root))
    .filter((root) => !isWriteDenied(root, policy));
  return [...new Set(wanted)].toSorted();
}

function refuseWide(folder: string, home: string): void {
  const holdsHome = folder !== home && isInside(home, folder);
  if (folder !== "/" && !holdsHome && !PRIVATE.includes(folder)) return;
  throw new UserError(`a sandbox with ${folder} writable would protect nothing`, {
    where: "paths.write_roots of the policy, or the folder that you started in",
    fix: "work in a project folder, and list narrow write roots",
    exitCode: EXIT.refused,
  });
}

/** An empty home folder containing only the programs on PATH. */
function homeMounts(home: string, path: string): readonly Mount[] {
  const folders = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && folder !== home && isInside(folder, home))
    .flatMap((folder) => [folder, join(dirname(folder), "lib")]);
  const shown = folders.map((folder): Mount => ({ kind: "read-only", path: folder }));
  return [{ kind: "scratch-folder", path: home } as const, ...shown].filter(exists);
}

/** On many systems resolv.conf is a link into /run, which is hidden. */
function nameServer(): readonly Mount[] {
  try {
    const real = realpathSync("/etc/resolv.conf");
    return isInside(real, "/run") ? [{ kind: "read-only", path: real }] : [];
  } catch {
    return [];
  }
}

/** The user's secrets that exist. */
function secretMounts(home: string): readonly Mount[] {
  return FLOORS.denyRead
    .filter((glob) => !glob.startsWith("!"))
    .map((glob) => glob.replace(/\/\*\*$/, "").replace(/^~\//, `${home}/`))
    .filter((path) => !isWild(path) && !PRIVATE.some((folder) => isInside(path, folder)))
    .flatMap((path): readonly Mount[] => {
      if (!existsSync(path)) return [];
      const real = realpathSync(path);
      return [{ kind: statSync(real).isDirectory() ? "empty-folder" : "empty-file", path: real }];
    });
}

const exists = ({ path }: Mount) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const STRICTNESS = { writable: 0, "scratch-folder": 0, "read-only": 1, "empty-folder": 2, "empty-file": 2 } as const;

/** Parents before children, keeping the strictest mount per path. A child never reopens what a parent closes. */
function withoutLoss(mounts: readonly Mount[]): readonly Mount[] {
  const sorted = mounts.toSorted(
    (one, other) =>
      (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) || STRICTNESS[other.kind] - STRICTNESS[one.kind],
  );
  const result: Mount[] = [];
  for (const mount of sorted) {
    const above = result.filter(({ path }) => isInside(mount.path, path));
    if (above.some(({ path, kind }) => path === mount.path || STRICTNESS[kind] === 2)) continue;
    result.push(mount);
  }
  return result;
}

/** A policy that lists no hosts gives the sandbox no network, because connections inside are not judged per host. */
function hasNoHosts({ mode, allow }: Policy["network"]): boolean {
  return mode === "none" || (mode === "allowlist" && allow.length === 0);
}
