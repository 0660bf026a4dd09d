import { join, relative, sep } from "node:path";
import { isInside } from "../../lib/path/inside.ts";
import { ancestorHooks } from "./ancestor-hooks.ts";
import {
  findHooks,
  type FoundHook,
  hashOfBytes,
  hookBytes,
  type HookPlaces,
  type RegisteredHook,
  registerHooks,
} from "./find-hooks.ts";

/** The names of a repository's hooks, as its wrappers remember them. The same on every machine. */
export function carriedHooks(
  places: HookPlaces,
  env: NodeJS.ProcessEnv,
): readonly (FoundHook & { readonly as: string })[] {
  return [...findHooks(places), ...ancestorHooks(places, env, "repository")].flatMap((hook) => {
    const as = isInside(hook.file, places.workspace) ? nameOf(hook, places) : undefined;
    return as === undefined ? [] : [{ ...hook, as }];
  });
}

interface EventParts {
  readonly env: NodeJS.ProcessEnv;
  readonly event: RegisteredHook["event"];
}

/**
 * The hooks that run in a session that signalbox did not launch: those that currently exist and are trusted. A missing hook
 * that the wrapper remembers stays registered, so that running it fails.
 */
export function stagedHooks(
  remembered: readonly string[],
  places: HookPlaces,
  parts: EventParts & { readonly warn: (text: string) => void },
): readonly RegisteredHook[] {
  const found = foundHooks(places, parts);
  const gone = missingAmong(found, remembered, places).map((name): RegisteredHook => {
    const file = join(places.workspace, name);
    const origin = name.startsWith("xpia/") ? "xpia" : "repository";
    return { event: parts.event, name, origin, file, hash: "", argv: [file] };
  });
  return [...registerHooks(found, parts.warn), ...gone];
}

/** The hooks that a wrapper remembers and that are no longer there. */
export const missingHooks = (remembered: readonly string[], places: HookPlaces, parts: EventParts) =>
  missingAmong(foundHooks(places, parts), remembered, places);

const foundHooks = (places: HookPlaces, { env, event }: EventParts) =>
  [...findHooks(places), ...ancestorHooks(places, env)].filter((hook) => hook.event === event);

/** A hook that can no longer be started counts as missing. */
function missingAmong(found: readonly FoundHook[], remembered: readonly string[], places: HookPlaces) {
  const there = new Set(found.filter(({ broken }) => broken === undefined).map((hook) => nameOf(hook, places)));
  return remembered.filter((name) => !there.has(name));
}

function nameOf({ file, name }: FoundHook, { workspace }: HookPlaces): string | undefined {
  if (isInside(file, join(workspace, ".signalbox", "hooks"))) return relative(workspace, file).split(sep).join("/");
  return name.includes("/") ? name : undefined;
}

/** A hook's file and the hash to trust it by. */
export function readHookFile(path: string): { readonly bytes: Buffer; readonly hash: string } {
  const bytes = hookBytes(path);
  return { bytes, hash: hashOfBytes(bytes) };
}
