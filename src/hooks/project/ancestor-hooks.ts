import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { HookEventName } from "../../contract/hook-event.ts";
import { safePath } from "../../lib/path/inside.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { describeHook, type FoundHook, type HookOrigin, type HookPlaces } from "./find-hooks.ts";

interface AncestorScript {
  readonly event: HookEventName;
  readonly file: string;
  readonly stack: "amplihack" | "xpia";
  /** Its name in the ancestor's own program. */
  readonly rust?: string;
  readonly atStop?: true;
}

/** The scripts that amplihack registers, in the order its wrappers call them. */
const SCRIPTS: readonly AncestorScript[] = [
  { event: "session-start", stack: "amplihack", file: "session_start.py", rust: "session-start" },
  { event: "agent-stop", stack: "amplihack", file: "stop.py", rust: "stop", atStop: true },
  // Its wrapper for Copilot called it at the end of a session, because older versions had no other event for it.
  { event: "session-end", stack: "amplihack", file: "stop.py", rust: "stop", atStop: true },
  { event: "session-end", stack: "amplihack", file: "session_stop.py", rust: "session-stop" },
  { event: "tool-before", stack: "xpia", file: "pre_tool_use.py" },
  { event: "tool-before", stack: "amplihack", file: "pre_tool_use.py", rust: "pre-tool-use" },
  { event: "tool-after", stack: "amplihack", file: "post_tool_use.py", rust: "post-tool-use" },
  { event: "prompt-submitted", stack: "amplihack", file: "user_prompt_submit.py", rust: "user-prompt-submit" },
  { event: "prompt-submitted", stack: "amplihack", file: "workflow_classification_reminder.py" },
  { event: "compact-before", stack: "amplihack", file: "pre_compact.py", rust: "pre-compact" },
];

type Engine = "rust" | "python" | "auto";

/**
 * The ancestor's hooks of a project, for the engine that `AMPLIHACK_HOOK_ENGINE` selects. Throws when that engine is not
 * installed. With `repository`, the user's own copies of the scripts are ignored. Our own entry point is none of them.
 */
export function ancestorHooks(
  places: HookPlaces,
  env: NodeJS.ProcessEnv,
  from: "everywhere" | "repository" = "everywhere",
): readonly FoundHook[] {
  const engine = readEngine(env["AMPLIHACK_HOOK_ENGINE"]);
  const path = safePath(env, places.workspace);
  const present = SCRIPTS.flatMap((script) => {
    const file = fileOf(script, places, from === "repository" ? undefined : env["HOME"]);
    return file === undefined ? [] : [{ ...script, ...file }];
  });
  const rust = engine === "python" ? undefined : findProgram("amplihack-hooks", rustPath(path, env["HOME"]));
  if (engine === "rust" && rust === undefined)
    throw new UserError("AMPLIHACK_HOOK_ENGINE is rust, but amplihack-hooks is not installed", {
      where: "AMPLIHACK_HOOK_ENGINE",
      fix: "install amplihack-hooks, or set it to python or auto",
    });
  const python = findProgram("python3", path);
  if (engine === "python" && python === undefined)
    throw new UserError("AMPLIHACK_HOOK_ENGINE is python, but python3 is not installed", {
      where: "AMPLIHACK_HOOK_ENGINE",
      fix: "install python3, or set it to rust or auto",
    });
  const found = present.map(({ event, stack, file, rust: command, own, path: script, atStop }) => {
    const argv = rust !== undefined && command !== undefined ? [rust, command] : [python ?? "python3", script];
    const origin: HookOrigin = stack === "xpia" ? "xpia" : own ? "home" : "repository";
    const hook = { event, name: `${stack}/${file}`, origin, file: script, argv, own };
    return describeHook(atStop === undefined ? hook : { ...hook, atStop }, places);
  });
  return found.filter(({ hash }) => !isOwnEntry(hash));
}

function readEngine(value: string | undefined): Engine {
  const engine = (value ?? "").trim().toLowerCase();
  if (engine === "" || engine === "auto") return "auto";
  if (engine === "rust" || engine === "python") return engine;
  throw new UserError("AMPLIHACK_HOOK_ENGINE is not rust, python or auto", {
    where: "AMPLIHACK_HOOK_ENGINE",
    fix: "unset it, or set it to one of the three",
  });
}

/** The user's copy wins over the project's, as in the ancestor. */
function fileOf(
  { stack, file }: AncestorScript,
  { workspace }: HookPlaces,
  home: string | undefined,
): { readonly path: string; readonly own: boolean } | undefined {
  const below = join(".claude", "tools", stack, "hooks", file);
  if (home !== undefined && existsSync(join(home, ".amplihack", below)))
    return { path: join(home, ".amplihack", below), own: true };
  return existsSync(join(workspace, below)) ? { path: join(workspace, below), own: false } : undefined;
}

/** Searches PATH, then the folders where the ancestor installs its program. */
function rustPath(path: string, home: string | undefined): string {
  if (home === undefined) return path;
  return [path, ...[".amplihack/.claude/bin", ".amplihack/bin", ".cargo/bin"].map((below) => join(home, below))].join(
    delimiter,
  );
}

function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/** The hash of the entry point `pre_tool_use.py` in this package, which only asks our guard. */
const OWN_ENTRY = "df3ec6379b64ab6c421751660974a189ab785be37aa11048c89f340a309209d1";

/** True for a copy of that entry point. The guard has judged a call before any hook is asked, so it need not run. */
const isOwnEntry = (hash: string) => hash === OWN_ENTRY;
