import { accessSync, constants, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { HOOK_EVENTS } from "../../agents/pack/hook-event.ts";
import type { OwnHook } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { readTrust } from "../../guard/policy/trust.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { isInside } from "../../lib/path/inside.ts";

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
  return namesIn(place)
    .toSorted()
    .flatMap((name) => {
      const event = eventOf(name);
      const hook = { name, origin, file: join(place, name), own: origin === "home" };
      return event === undefined ? [] : [describeHook({ event, ...hook }, places)];
    });
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

/**
 * Leaves out hooks that the agent starts too, from an entry in its own settings, so that they run once. Not before a tool:
 * there a hook that fails must deny, and the agent would ignore the failure. A hook of the user's own is only left out for
 * an entry of the user's own.
 */
export const withoutAgentEntries = (
  hooks: readonly FoundHook[],
  entries: readonly OwnHook[],
  places: HookPlaces,
): readonly FoundHook[] =>
  hooks.filter(
    (hook) =>
      hook.event === "tool-before" ||
      !entries.some(
        ({ event, command, own }) =>
          // The script for stops that is registered for the end of a session only replaces one.
          event === (hook.atStop ? "agent-stop" : hook.event) &&
          (own || hook.origin !== "home") &&
          starts(command, hook, places),
      ),
  );

/** True if a command names the hook's file, or the ancestor's program that does the same. */
function starts(command: string, { file, name }: FoundHook, { workspace }: HookPlaces): boolean {
  const [stack = "", script] = name.split("/");
  const below = isInside(file, workspace) ? [relative(workspace, file).split(sep).join("/")] : [];
  const ancestor = script === undefined ? [] : [`.claude/tools/${stack}/hooks/${script}`];
  const files = [file, ...below, ...ancestor].map((path) => `${RegExp.escape(path)}(?![\\w./-])`);
  const rust = script === undefined ? [] : [`amplihack-hooks\\S*\\s+${subcommand(script)}(?:-event)?(?![\\w-])`];
  return new RegExp([...files, ...rust].join("|")).test(command);
}

const subcommand = (script: string) => RegExp.escape(script.replace(/\.py$/, "").replaceAll("_", "-"));

/** Where a hook comes from. `xpia` and `repository` come with a repository; `home` is the user's own. */
export type HookOrigin = "home" | "repository" | "xpia";

/** A program that runs on an event. Registered once, at the start; if it is missing later, that is a failure. */
export interface RegisteredHook {
  readonly event: HookEventName;
  readonly name: string;
  readonly origin: HookOrigin;
  /** The file whose content was trusted. */
  readonly file: string;
  /** The hash of that content. A repository's hook does not run if its content has changed. */
  readonly hash: string;
  /** The command: the file itself, or an interpreter and the file. */
  readonly argv: readonly string[];
  /** It is about stops, and runs at the end of a session only if the session reported none. */
  readonly atStop?: true;
}

/** The result of one hook: the object that it printed, or why there is no valid answer. */
export type HookResult = { readonly hook: Pick<RegisteredHook, "name" | "origin"> } & (
  | { readonly said: Readonly<Record<string, unknown>> }
  | { readonly failed: string }
);

const MAX_HOOK_FILE = 16 * 1024 * 1024;

/** The hash of a hook's file, which may be binary. For plain text it equals the hash of the text. */
export const fileHash = (path: string) => hashOfBytes(hookBytes(path));

export const hookBytes = (path: string) => readBounded(path, MAX_HOOK_FILE).bytes;

export const hashOfBytes = (bytes: Buffer) => sha256(bytes.toString("latin1"));
