import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codex as agent } from "../../agents/codex.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256 } from "../../lib/sha256.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { codex as dialect } from "../dialects/codex.ts";
import { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";
import { AGENT_SECONDS, type Arm } from "./arm.ts";
import { disarmed } from "./disarmed.ts";
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
  refuseOverrides(parts.flags);
  const ours = codexFlags(parts.wrapper);
  const native = nativeProgram(parts.binary);
  if (native !== undefined) await verifyCodex({ ...parts, binary: native }, ours);
  const strange = parts.interactive ? [] : ["-c", `projects={${tomlText(parts.workspace)}={trust_level="untrusted"}}`];
  const end = parts.flags.includes("--") ? parts.flags.indexOf("--") : parts.flags.length;
  return { flags: parts.flags.toSpliced(end, 0, ...ours, ...strange), env: parts.env };
};

const LEAST_PROGRAM_BYTES = 1024 * 1024;

/** The program itself, behind a script that starts it. A program of somebody else's that only bears the name has none. */
function nativeProgram(binary: string): string | undefined {
  const behind = (agent.nativeProgram ?? []).map((path) => resolve(dirname(binary), path));
  return [binary, ...behind].find(
    (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LEAST_PROGRAM_BYTES,
  );
}

/** The flags that put our hooks into Codex. */
function codexFlags(wrapper: string): readonly string[] {
  const events = HOOK_EVENTS.filter((event) => dialect.events[event] !== undefined);
  return [
    ...trustedHooks(events.map((event) => ({ event, command: commandOf(event, wrapper) }))),
    // What is typed into a running terminal session comes to no hook.
    "-c",
    "features.unified_exec_tty=false",
  ];
}

/** Codex lets the tool run when a hook is missing, killed or silent; only an exit code of 2 with a word on stderr stops it. */
function commandOf(event: HookEventName, wrapper: string): string {
  const called = `${shQuote(wrapper)} ${event}`;
  if (event !== "tool-before") return called;
  return `${called} || { echo 'signalbox did not answer, so this may not happen.' >&2; exit 2; }`;
}

interface CodexHook {
  readonly event: HookEventName;
  readonly command: string;
}

/** Flags that register hooks for one start of Codex, with the hashes by which it trusts them. */
export function trustedHooks(hooks: readonly CodexHook[]): readonly string[] {
  const entries = hooks.map((hook) => ({ ...hook, ...hashedEntry(hook) }));
  const state = entries.map(({ name, hash }) => {
    const key = tomlText(`/<session-flags>/config.toml:${snake(name)}:0:0`);
    return `${key}={trusted_hash="sha256:${hash}",enabled=true}`;
  });
  return [
    ...entries.flatMap(({ event, name, command, timeout }) => {
      const matcher = UNMATCHED.includes(event) ? "" : 'matcher="*",';
      const hook = `{type="command",command=${tomlText(command)},timeout=${timeout}}`;
      return ["-c", `hooks.${name}=[{${matcher}hooks=[${hook}]}]`];
    }),
    "-c",
    `hooks.state={${state.join(",")}}`,
    "-c",
    "features.hooks=true",
  ];
}

/** What Codex hashes of a hook: its own canonical form, with the time-out that it will really have. */
function hashedEntry({ event, command }: CodexHook) {
  const name = dialect.events[event] ?? "";
  const timeout = SHORT.includes(event) ? 3 : AGENT_SECONDS;
  const hashed = {
    event_name: snake(name),
    hooks: [{ async: false, command, timeout, type: "command" }],
    ...(UNMATCHED.includes(event) ? {} : { matcher: "*" }),
  };
  return { name, timeout, hash: sha256(canonicalJson(hashed)) };
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
