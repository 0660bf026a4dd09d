import { relative, sep } from "node:path";
import type { OwnHook } from "../../contract/agent-install.ts";
import { isInside } from "../../lib/inside.ts";
import type { FoundHook, HookPlaces } from "./find-hooks.ts";

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
