import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../lib/inside.ts";
import type { SeatbeltPlan } from "./seatbelt.ts";
import type { SessionView } from "./session-plan.ts";

interface SeatbeltPlace {
  /** What commands get as HOME. */
  readonly privateHome: string;
  readonly temporary: string;
  readonly doorPort: number | undefined;
  readonly loopbackPorts: readonly number[];
  /** Paths lent to this sandbox's commands, which are also the last mounts of the view. */
  readonly extraReadable?: readonly string[] | undefined;
  readonly extraWritable?: readonly string[] | undefined;
}

/** What a session's view of the disk means for a Seatbelt profile. There, a missing protected path cannot be made. */
export function planSeatbelt(view: SessionView, place: SeatbeltPlace): SeatbeltPlan {
  const { extraReadable = [], extraWritable = [], doorPort, loopbackPorts } = place;
  const mounts = view.mounts
    .slice(0, view.mounts.length - extraReadable.length - extraWritable.length)
    .map(({ kind, path }) => ({ kind, path: realName(path) }));
  const workspace = realName(view.workspace);
  const first = mounts.findIndex(({ kind, path }) => kind === "read-only" && path === workspace);
  const [before, after] = [mounts.slice(0, first + 1), mounts.slice(first + 1)];
  const closed = after.filter(({ kind }) => kind === "read-only");
  const writable = after.filter(({ kind }) => kind === "writable").map(({ path }) => path);
  const reopened = writable.filter((path) => closed.some((one) => path !== one.path && isInside(path, one.path)));
  return {
    writeRoots: outermost([...writable.filter((path) => !reopened.includes(path)), realName(place.privateHome)]),
    protectedPaths: [...new Set([...closed.map(({ path }) => path), ...view.watched.map(realName)])],
    reopenedPaths: reopened,
    hiddenPaths: after.filter(({ kind }) => kind.startsWith("empty-")).map(({ path }) => path),
    hiddenFolders: outermost(before.filter(({ kind }) => kind !== "read-only").map(({ path }) => path)),
    shownPaths: before.filter(({ kind }) => kind === "read-only").map(({ path }) => path),
    lent: { readable: extraReadable.map(realName), writable: extraWritable.map(realName) },
    temporary: realName(place.temporary),
    doorPort,
    loopbackPorts,
  };
}

const outermost = (paths: readonly string[]) =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isInside(path, other)));

/** The name that the kernel knows a path by: without links, and in the case that is on the disk. */
function realName(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realName(above), basename(path));
  }
}
