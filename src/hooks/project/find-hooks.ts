import { accessSync, constants, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { readTrust } from "../../guard/policy/trust.ts";
import { isInside } from "../../lib/inside.ts";
import { HOOK_EVENTS } from "../../agents/dialect/hook-event.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { fileHash } from "./file-hash.ts";
import type { HookOrigin, RegisteredHook } from "./hook-source.ts";

/** A hook on disk, and whether it may run. */
export interface FoundHook extends RegisteredHook {
  readonly trusted: boolean;
  /** Why it cannot run in its current state. */
  readonly broken?: string;
}

export interface HookPlaces {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly folder: string;
}

/** All hooks of the user and the workspace, in the order in which they run: by place, then by name. */
export function findHooks({ workspace, folder }: HookPlaces): readonly FoundHook[] {
  return [
    ...inFolder(join(folder, "hooks"), "home", { workspace, folder }),
    ...inFolder(join(workspace, ".signalbox", "hooks"), "repository", { workspace, folder }),
  ];
}

function inFolder(place: string, origin: HookOrigin, places: HookPlaces): readonly FoundHook[] {
  return names(place).flatMap((name) => {
    const event = eventOf(name);
    const hook = { name, origin, file: join(place, name), own: origin === "home" };
    return event === undefined ? [] : [describeHook({ event, ...hook }, places)];
  });
}

function names(place: string): readonly string[] {
  try {
    return readdirSync(place).toSorted();
  } catch {
    return [];
  }
}

/** `tool-before`, `tool-before.py` and `tool-before-2-lint` all belong to the same event. */
function eventOf(name: string): HookEventName | undefined {
  return HOOK_EVENTS.find((event) => name === event || name.startsWith(`${event}.`) || name.startsWith(`${event}-`));
}

type Candidate = Omit<RegisteredHook, "hash" | "argv"> & {
  readonly argv?: readonly string[];
  /** True for a hook in the user's home, which nobody else wrote. */
  readonly own: boolean;
};

/** Adds a hook's hash and whether that content is trusted. Hooks in the user's home are always trusted. */
export function describeHook({ own, argv: command, ...hook }: Candidate, { workspace, folder }: HookPlaces): FoundHook {
  const { file } = hook;
  const argv = command ?? [file];
  const broken = (because: string): FoundHook => ({ ...hook, argv, hash: "", trusted: own, broken: because });
  try {
    if (!own && !isInside(realpathSync(file), realpathSync(workspace)))
      return broken("it is a link out of the repository");
    const hash = fileHash(file);
    if (command === undefined) accessSync(file, constants.X_OK);
    const trusted = own || readTrust(folder).some((known) => known.path === file && known.hash === hash);
    return { ...hook, argv, hash, trusted };
  } catch {
    return broken("it is not an executable file");
  }
}

/** The hooks that will run. Warns about a repository's untrusted hooks and skips them. */
export function registerHooks(found: readonly FoundHook[], warn: (text: string) => void): readonly RegisteredHook[] {
  const leftOut = found.filter((hook) => !hook.trusted);
  for (const { name, event, broken } of leftOut)
    warn(
      broken === undefined
        ? `the hook ${name} of this repository (${event}) is not trusted and will not run; review it, then: signalbox trust`
        : `the hook ${name} of this repository (${event}) will not run: ${broken}`,
    );
  return found
    .filter((hook) => hook.trusted)
    .map(({ event, name, origin, file, hash, argv, atStop }) => {
      const hook = { event, name, origin, file, hash, argv };
      return atStop === undefined ? hook : { ...hook, atStop };
    });
}
