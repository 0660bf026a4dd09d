import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { AgentInstall } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { tomlString } from "../../lib/inline-toml.ts";
import { isFile } from "../../lib/is-program.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { HOOK_EVENTS } from "../dialect/hook-event.ts";
import { isFlag, refuseManaged, refuseSwitchOff, refuseWords } from "../install/refuse.ts";
import { codexContainedStart, isUnsandboxed } from "./containment.ts";
import { codexDialect } from "./dialect.ts";
import { codexOwnRules } from "./own-rules.ts";
import { codex as agent } from "./program.ts";
import { codexManaged } from "./settings.ts";
import { trustedHooks, verifyCodex } from "./verify.ts";

const REFUSED = {
  agent,
  folders: ["--cd", "-C"],
  flags: ["--dangerously-bypass-hook-trust", "--remote"],
  commands: ["app-server", "exec-server", "remote-control", "cloud", "agents", "queue"],
  variables: ["CODEX_EXEC_SERVER_URL"],
};

/**
 * Adds our hooks on the command line, each with the hash by which Codex trusts it. The user's and the repository's files
 * stay as they are. A later flag would override ours, so flags that could are refused.
 */
const install: AgentInstall["install"] = async (parts) => {
  refuseWords(REFUSED, parts);
  refuseManaged(codexManaged("/"));
  refuseOverrides(parts.flags);
  const ours = codexFlags(parts.wrapper);
  const native = nativeProgram(parts.binary);
  if (native !== undefined) await verifyCodex({ ...parts, binary: native }, ours);
  else if (parts.contained === true && isUnsandboxed(parts.flags)) throw notVerified(parts.binary);
  const strange = parts.interactive
    ? []
    : ["-c", `projects={${tomlString(parts.workspace)}={trust_level="untrusted"}}`];
  const { fromRepository } = await import("./repository.ts");
  const given = fromRepository(parts);
  // First, because a flag of the person's that lacks its value would swallow ours; but after a sub-command.
  const start = agent.subcommands.includes(given.flags[0] ?? "") ? 1 : 0;
  return { flags: given.flags.toSpliced(start, 0, ...ours, ...strange, ...given.ours), env: parts.env };
};

export const codexInstall: AgentInstall = { install, readOwnRules: codexOwnRules, containedStart: codexContainedStart };

const LEAST_PROGRAM_BYTES = 1024 * 1024;

/** The native program behind the launcher script. Undefined for some other program of the same name. */
function nativeProgram(binary: string): string | undefined {
  const behind = (agent.nativeProgram ?? []).map((path) => resolve(dirname(binary), path));
  return [binary, ...behind].find((path) => isFile(path) && statSync(path).size > LEAST_PROGRAM_BYTES);
}

/** Without Codex's own sandbox, only our hooks put its commands into ours. */
function notVerified(where: string): UserError {
  return new UserError("cannot verify that this Codex calls our hooks, and its own sandbox is off", {
    where,
    fix: "install Codex from npm, or start it with -s read-only",
    exitCode: EXIT.refused,
  });
}

/** The flags that put our hooks into Codex. */
function codexFlags(wrapper: string): readonly string[] {
  const events = HOOK_EVENTS.filter((event) => codexDialect.events[event] !== undefined);
  return [
    ...trustedHooks(events.map((event) => ({ event, command: commandOf(event, wrapper) }))),
    // No hook is called for what is typed into a running terminal session.
    "-c",
    "features.unified_exec_tty=false",
  ];
}

/** Codex runs the tool when a hook is missing, killed or silent. Only exit code 2 with text on stderr stops it. */
function commandOf(event: HookEventName, wrapper: string): string {
  const called = `${shQuote(wrapper)} ${event}`;
  if (event !== "tool-before") return called;
  return `${called} || { echo 'Blocked: signalbox did not answer.' >&2; exit 2; }`;
}

/** Toggles override every `-c`, including ours. No hook is called for what is typed into a terminal session. */
const TOGGLES = [
  { flag: "--disable", feature: "hooks" },
  { flag: "--enable", feature: "unified_exec_tty" },
] as const;

/** Settings that would override ours, in every spelling of a TOML key. */
const OVERRIDING =
  /^\s*["']?(?:hooks["']?\s*[.=]|projects["']?\s*[.=]|features["']?\s*(?:=|\.\s*["']?(?:hooks|unified_exec_tty|codex_hooks)\b))/;

/** Refuses flags that would override our hooks. */
function refuseOverrides(flags: readonly string[]): void {
  flags.forEach((word, index) => {
    const value = /^(?:-c|--config)$/.test(flags[index - 1] ?? "")
      ? word
      : (/^(?:-c=?|--config=)(.+)$/s.exec(word)?.[1] ?? "");
    if (OVERRIDING.test(value)) refuseSwitchOff(`an override of ${value.split("=")[0]?.trim()}`, "the flags after --");
    for (const { flag, feature } of TOGGLES) {
      const named = flags[index - 1] === flag ? word : isFlag(word, flag) ? word.slice(flag.length + 1) : "";
      if (named.split(",").some((name) => name.trim() === feature))
        refuseSwitchOff(`${flag} ${feature}`, "the flags after --");
    }
  });
}
