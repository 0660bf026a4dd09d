import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256 } from "../../lib/sha256.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { codex as dialect } from "../dialects/codex.ts";
import { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";
import { AGENT_SECONDS, type Arm } from "./arm.ts";
import { disarmed } from "./disarmed.ts";
import { refuseManaged } from "./managed-settings.ts";
import { refuseWords } from "./refused-words.ts";
import { verifyCodex } from "./verify-codex.ts";

const REFUSED = {
  flags: ["--dangerously-bypass-hook-trust", "--remote"],
  commands: ["app-server", "exec-server", "remote-control", "cloud", "agents", "queue"],
  variables: ["CODEX_EXEC_SERVER_URL"],
};

/** Codex ends these two events after three seconds, whatever is asked for. */
const SHORT: readonly HookEventName[] = ["session-end"];

/** Codex has nothing to match there, and leaves a matcher out of what it hashes. */
const UNMATCHED: readonly HookEventName[] = ["prompt-submitted", "agent-stop"];

/**
 * Hooks on the command line, each with the hash by which Codex trusts it. Whatever stands in the user's or the
 * repository's files goes on as it is; ours come last, because the last one counts.
 */
export const armCodex: Arm = async (parts) => {
  refuseWords(REFUSED, parts);
  refuseManaged("codex");
  refuseOverrides(parts.flags);
  const ours = codexFlags(parts.wrapper);
  await verifyCodex(parts, ours);
  const strange = parts.interactive ? [] : ["-c", `projects={${tomlText(parts.workspace)}={trust_level="untrusted"}}`];
  const end = parts.flags.includes("--") ? parts.flags.indexOf("--") : parts.flags.length;
  return { flags: parts.flags.toSpliced(end, 0, ...ours, ...strange), env: parts.env };
};

/** The flags that put our hooks into Codex. */
export function codexFlags(wrapper: string): readonly string[] {
  const hooks = HOOK_EVENTS.flatMap((event) => {
    const name = dialect.events[event];
    return name === undefined ? [] : [hookOf(event, name, wrapper)];
  });
  return [
    ...trustedHooks(hooks),
    "-c",
    "features.hooks=true",
    // What is typed into a running terminal session comes to no hook.
    "-c",
    "features.unified_exec_tty=false",
  ];
}

export interface CodexHook {
  /** The event in Codex's words. */
  readonly name: string;
  readonly command: string;
  readonly timeout: number;
  readonly matcher?: string;
}

/** The flags that put hooks into Codex, one for each event, with the hashes by which it trusts them. */
export function trustedHooks(hooks: readonly CodexHook[]): readonly string[] {
  const state = hooks.map(
    (hook) =>
      `${tomlText(`/<session-flags>/config.toml:${snake(hook.name)}:0:0`)}={trusted_hash="sha256:${hashOf(hook)}",enabled=true}`,
  );
  return [
    ...hooks.flatMap(({ name, command, timeout, matcher }) => [
      "-c",
      `hooks.${name}=[{${matcher === undefined ? "" : `matcher=${tomlText(matcher)},`}hooks=[{type="command",command=${tomlText(command)},timeout=${timeout}}]}]`,
    ]),
    "-c",
    `hooks.state={${state.join(",")}}`,
  ];
}

/** Codex lets the tool run when a hook is missing, killed or silent; only an exit code of 2 with a word on stderr stops it. */
function hookOf(event: HookEventName, name: string, wrapper: string): CodexHook {
  const called = `${shQuote(wrapper)} ${event}`;
  const command =
    event === "tool-before"
      ? `${called} || { echo 'signalbox did not answer, so this may not happen.' >&2; exit 2; }`
      : called;
  const timeout = SHORT.includes(event) ? 3 : AGENT_SECONDS;
  return { name, command, timeout, ...(UNMATCHED.includes(event) ? {} : { matcher: "*" }) };
}

function hashOf({ name, command, timeout, matcher }: CodexHook): string {
  const hooks = [{ async: false, command, timeout, type: "command" }];
  return sha256(canonicalJson({ event_name: snake(name), hooks, ...(matcher === undefined ? {} : { matcher }) }));
}

const snake = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** A TOML text: a JSON text is one, but for the escape of DEL. */
const tomlText = (text: string) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

/** Overrides of hooks that stand beside ours have no one meaning. */
function refuseOverrides(flags: readonly string[]): void {
  flags.forEach((word, index) => {
    const value = /^(?:-c|--config)$/.test(flags[index - 1] ?? "")
      ? word
      : (/^(?:-c=?|--config=)(.+)$/s.exec(word)?.[1] ?? "");
    if (/^\s*["']?hooks\b/.test(value)) throw disarmed("an override of hooks", "the flags after --");
    const feature = flags[index - 1] === "--disable" ? word : (/^--disable=(.+)$/.exec(word)?.[1] ?? "");
    if (feature.split(",").some((name) => name.trim() === "hooks"))
      throw disarmed("--disable hooks", "the flags after --");
  });
}
