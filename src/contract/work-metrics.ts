import type { LoggedDeed } from "./session-record.ts";
import type { ToolDeed } from "./tool-call.ts";

/** What a session has done, counted from the deeds of its calls. */
export interface WorkMetrics {
  readonly turns: number;
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  readonly commands: number;
}

/** Counts the work of a session. It goes on from what its log says was done before. */
export interface WorkCounter {
  readonly metrics: WorkMetrics;
  turn(): void;
  deeds(deeds: readonly (ToolDeed | LoggedDeed)[]): void;
}

export function workCounter(): WorkCounter {
  const metrics = { turns: 0, read: new Set<string>(), written: new Set<string>(), commands: 0 };
  return {
    metrics,
    turn: () => void metrics.turns++,
    deeds(deeds) {
      for (const deed of deeds) {
        if (deed.kind === "read") metrics.read.add(deed.path);
        if (deed.kind === "write") metrics.written.add(deed.path);
        if (deed.kind === "command") metrics.commands++;
      }
    },
  };
}

/** A deed as a log keeps it. */
export function loggedDeed(deed: ToolDeed): LoggedDeed {
  switch (deed.kind) {
    case "write":
      return { kind: "write", path: deed.path, before: deed.before?.length ?? null, after: deed.after.length };
    case "command":
      return { kind: "command", exitCode: deed.exitCode };
    default:
      return deed;
  }
}
