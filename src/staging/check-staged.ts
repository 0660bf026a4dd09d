import { realpathSync } from "node:fs";
import { stripComments } from "jsonc-parser";
import { switchesHooksOff } from "../agents/install/hook-entries.ts";
import { inspectWanted } from "./apply.ts";
import type { Purpose } from "./sources/change.ts";
import { entryPath, isEntryCurrent } from "./entry.ts";
import { rootObject } from "./json-edit.ts";
import { planStage, type StageRequest } from "./plan-stage.ts";
import { lookAt } from "./repository-file.ts";
import { STAGED } from "./sources/staged-agents.ts";

/** Something that differs from what `signalbox stage` would produce. */
export interface StagedFault {
  readonly agent?: Purpose["agent"] | undefined;
  readonly surface?: Purpose["surface"] | undefined;
  /** The agent's own name for the event. */
  readonly event?: string | undefined;
  /** Where it is expected. */
  readonly place: string;
  readonly because: string;
}

/** All faults in what is staged in a repository for these agents. Writes nothing. */
export function checkStaged(request: StageRequest): readonly StagedFault[] {
  const wanted = planStage(request);
  const { touched, deleted, kept } = inspectWanted(request, wanted);
  const stale = touched.map(({ path, ...purpose }) => ({ ...purpose, place: path, because: "it is missing or stale" }));
  const stalePlaces = new Set(stale.map(({ place }) => place));
  return [
    ...stale,
    ...kept.flatMap(({ path, because, purposes }) => faults(path, because, purposes)),
    ...deleted.filter((path) => !stalePlaces.has(path)).map((place) => ({ place, because: "it is no longer needed" })),
    ...wanted.problems.map((problem) => ({ place: ".signalbox", because: problem })),
    ...disarmed(request.root),
  ];
}

/** What is missing on this machine, regardless of the repository. */
export function checkEntry(home: string): readonly StagedFault[] {
  if (isEntryCurrent(home)) return [];
  return [
    { place: entryPath(home), because: "the program that staged hooks call on this machine is missing or stale" },
  ];
}

function faults(place: string, because: string, purposes: readonly Purpose[]): readonly StagedFault[] {
  return purposes.length === 0 ? [{ place, because }] : purposes.map((purpose) => ({ ...purpose, place, because }));
}

/** Settings in a repository that switch hooks off for everyone who works in it. */
export function disarmed(root: string): readonly StagedFault[] {
  const because = "its disableAllHooks disables every hook";
  return STAGED.flatMap(({ name: agent, surfaces }) =>
    (surfaces.hookSwitches ?? [])
      .filter((place) => switchesOff(root, place))
      .map((place) => ({ agent, surface: "hooks" as const, place, because })),
  );
}

function switchesOff(root: string, path: string): boolean {
  try {
    const { bytes } = lookAt(realpathSync(root), path);
    const text = bytes?.toString("utf8") ?? "{}";
    rootObject(text);
    return switchesHooksOff(stripComments(text));
  } catch {
    // A file that is not JSON switches nothing off.
    return false;
  }
}

/** What the user can do about a missing or stale hook. */
export function remedies(agent: string): string {
  return `run: signalbox stage ${agent}; or work with an agent that is staged here; or start this one guarded: signalbox ${agent}; or name another active agent in SIGNALBOX_AGENT`;
}
