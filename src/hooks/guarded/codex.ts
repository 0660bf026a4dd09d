import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codex as agent } from "../../agents/codex/program.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isFile } from "../../lib/is-program.ts";
import { tomlString } from "../../lib/inline-toml.ts";
import { sha256 } from "../../lib/sha256.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { codex as dialect } from "../dialects/codex.ts";
import { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";
import { AGENT_SECONDS, type Arm } from "./arm.ts";
import { disarmed, isFlag } from "./disarmed.ts";
import { refuseManaged } from "./managed-settings.ts";
import { refuseWords } from "./refused-words.ts";
import { verifyCodex } from "./verify-codex.ts";

const REFUSED = {
  agent,
  folders: ["--cd", "-C"],
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
 * repository's files goes on as it is. A later flag would count more than ours, so those that could are refused.
 */
export const armCodex: Arm = async (parts) => {
  refuseWords(REFUSED, parts);
  refuseManaged("codex");
  refuseOverrides(parts.flags);
  const ours = codexFlags(parts.wrapper);
  const native = nativeProgram(parts.binary);
  if (native !== undefined) await verifyCodex({ ...parts, binary: native }, ours);
  const strange = parts.interactive
    ? []
    : ["-c", `projects={${tomlString(parts.workspace)}={trust_level="untrusted"}}`];
  const { fromRepository } = await import("./codex-repository.ts");
  const given = fromRepository(parts);
  // First, because a flag of the person's that lacks its value would take ours for it; but behind a sub-command.
  const start = agent.subcommands.includes(given.flags[0] ?? "") ? 1 : 0;
  return { flags: given.flags.toSpliced(start, 0, ...ours, ...strange, ...given.ours), env: parts.env };
};

const LEAST_PROGRAM_BYTES = 1024 * 1024;

/** The program itself, behind a script that starts it. A program of somebody else's that only bears the name has none. */
function nativeProgram(binary: string): string | undefined {
  const behind = (agent.nativeProgram ?? []).map((path) => resolve(dirname(binary), path));
  return [binary, ...behind].find((path) => isFile(path) && statSync(path).size > LEAST_PROGRAM_BYTES);
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
  /** Seconds that Codex waits for it. */
  readonly timeout?: number;
}

/** Flags that register hooks for one start of Codex, with the hashes by which it trusts them. */
export function trustedHooks(hooks: readonly CodexHook[]): readonly string[] {
  const entries = hooks.map((hook) => ({ ...hook, ...hashedEntry(hook) }));
  const state = entries.map(({ name, hash }) => {
    const key = tomlString(`/<session-flags>/config.toml:${snake(name)}:0:0`);
    return `${key}={trusted_hash="sha256:${hash}",enabled=true}`;
  });
  return [
    ...entries.flatMap(({ event, name, command, timeout }) => {
      const matcher = UNMATCHED.includes(event) ? "" : 'matcher="*",';
      const hook = `{type="command",command=${tomlString(command)},timeout=${timeout}}`;
      return ["-c", `hooks.${name}=[{${matcher}hooks=[${hook}]}]`];
    }),
    "-c",
    `hooks.state={${state.join(",")}}`,
    "-c",
    "features.hooks=true",
  ];
}

/** What Codex hashes of a hook: its own canonical form, with the time-out that it will really have. */
function hashedEntry({ event, command, timeout: asked = AGENT_SECONDS }: CodexHook) {
  const name = dialect.events[event] ?? "";
  const timeout = SHORT.includes(event) ? 3 : asked;
  const hashed = {
    event_name: snake(name),
    hooks: [{ async: false, command, timeout, type: "command" }],
    ...(UNMATCHED.includes(event) ? {} : { matcher: "*" }),
  };
  return { name, timeout, hash: sha256(canonicalJson(hashed)) };
}

const snake = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** Toggles win over every `-c`, also over ours. What is typed into a terminal session comes to no hook. */
const TOGGLES = [
  { flag: "--disable", feature: "hooks" },
  { flag: "--enable", feature: "unified_exec_tty" },
] as const;

/** Overrides that would count more than ours, in every spelling of a TOML key. */
const OVERRIDING =
  /^\s*["']?(?:hooks["']?\s*[.=]|projects["']?\s*[.=]|features["']?\s*(?:=|\.\s*["']?(?:hooks|unified_exec_tty|codex_hooks)\b))/;

/** Overrides of hooks that stand beside ours have no one meaning. */
function refuseOverrides(flags: readonly string[]): void {
  flags.forEach((word, index) => {
    const value = /^(?:-c|--config)$/.test(flags[index - 1] ?? "")
      ? word
      : (/^(?:-c=?|--config=)(.+)$/s.exec(word)?.[1] ?? "");
    if (OVERRIDING.test(value)) throw disarmed(`an override of ${value.split("=")[0]?.trim()}`, "the flags after --");
    for (const { flag, feature } of TOGGLES) {
      const named = flags[index - 1] === flag ? word : isFlag(word, flag) ? word.slice(flag.length + 1) : "";
      if (named.split(",").some((name) => name.trim() === feature))
        throw disarmed(`${flag} ${feature}`, "the flags after --");
    }
  });
}
