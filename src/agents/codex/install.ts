import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { hookCommand } from "../install/hook-entries.ts";
import { parseToml, tomlString } from "../../lib/json/toml.ts";
import type { AgentInstall, ContainedStart, PlainStart } from "../../contract/agent-install.ts";
import { textIfReadable } from "../../lib/files/read-file.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { isFile } from "../../lib/path/find-program.ts";
import { isInside } from "../../lib/path/inside.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { homeOf } from "../install/read-settings.ts";
import { isFlag, refuseManaged, refuseSwitchOff, refuseWords } from "../install/refuse.ts";
import { HOOK_EVENTS } from "../pack/hook-event.ts";
import { codexDialect } from "./hooks.ts";
import { codexOwnRules } from "./own-rules.ts";
import { codex as agent } from "./program.ts";
import { codexManaged, codexSettings } from "./settings.ts";
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

const LEAST_PROGRAM_BYTES = 1024 * 1024;

/** Toggles override every `-c`, including ours. No hook is called for what is typed into a terminal session. */
const TOGGLES = [
  { flag: "--disable", feature: "hooks" },
  { flag: "--enable", feature: "unified_exec_tty" },
] as const;

/** Settings that would override ours, in every spelling of a TOML key. */
const OVERRIDING =
  /^\s*["']?(?:hooks["']?\s*[.=]|projects["']?\s*[.=]|features["']?\s*(?:=|\.\s*["']?(?:hooks|unified_exec_tty|codex_hooks)\b))/;

const HELD = ["disk", "network"] as const;

const NETWORK_KEY = "sandbox_workspace_write.network_access";

/**
 * How Codex's own sandbox and ours go together. Ours is entered from inside Codex's, which only works under
 * workspace-write with an open network; what then leaves the machine, our sandbox decides. A stricter choice of the
 * user's stays, and Codex's sandbox is the container.
 */
export const codexContainedStart: NonNullable<AgentInstall["containedStart"]> = (start, root = "/"): ContainedStart => {
  const { flags } = start;
  const canEnter = start.canEnter && !isTemporary(start.env);
  if (agent.toolFree.includes(flags[0] ?? "")) return { by: "signalbox", flags };
  const { mode, network } = choiceOf(start);
  const because = (what: string) => `${what}, so Codex's own sandbox contains its commands`;
  if (mode === "read-only") return { by: "agent", held: HELD, because: because("you chose Codex's read-only sandbox") };
  if (mode === "danger-full-access") return { by: "signalbox", flags, needsHooks: true };
  if (mode === "profile")
    return {
      by: "nobody",
      because: "default_permissions in Codex's settings names a profile that signalbox cannot combine with its sandbox",
      fix: "start Codex with -s workspace-write, or remove default_permissions",
    };
  if (network === false)
    return { by: "agent", held: HELD, because: because(`${NETWORK_KEY} is false in Codex's settings`) };
  if (!mayUse(canEnter ? "workspace-write" : "danger-full-access", root))
    return { by: "agent", held: HELD, because: because("/etc/codex/requirements.toml limits Codex's sandbox modes") };
  const rest = withoutMode(flags);
  if (!canEnter)
    return {
      by: "signalbox",
      flags: inserted(rest, ["-s", "danger-full-access"]),
      say: "Codex starts with its own sandbox off: its commands run in signalbox's sandbox, which cannot be entered from Codex's",
      needsHooks: true,
    };
  return {
    by: "signalbox",
    flags: inserted(rest, ["-s", "workspace-write", "-c", `${NETWORK_KEY}=true`]),
    say: "Codex starts with -s workspace-write and network access: its commands run in signalbox's sandbox, which limits the network",
    ownSandbox: true,
    mountPoints: [".codex"],
  };
};

/** True when these flags switch Codex's own sandbox off. */
export const isUnsandboxed = (flags: readonly string[]) => flagMode(flags) === "danger-full-access";

/** Before the `--` alone; behind it is the prompt. */
const ownWords = (flags: readonly string[]) => {
  const end = flags.indexOf("--");
  return end === -1 ? flags : flags.slice(0, end);
};

const BYPASS = ["--dangerously-bypass-approvals-and-sandbox", "--yolo"];

const AUTOMATIC = ["--approve-for-me", "--full-auto"];

export const codexInstall: AgentInstall = { install, readOwnRules: codexOwnRules, containedStart: codexContainedStart };

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
    ...trustedHooks(events.map((event) => ({ event, command: hookCommand(event, wrapper) }))),
    // No hook is called for what is typed into a running terminal session.
    "-c",
    "features.unified_exec_tty=false",
  ];
}

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

type Mode = "read-only" | "workspace-write" | "danger-full-access";

/** What the user has chosen about Codex's own sandbox. */
interface Choice {
  readonly mode: Mode | "profile" | undefined;
  /** Its network access under workspace-write, when the user has set it. */
  readonly network: boolean | undefined;
}

/** Codex puts its sandbox's program into its own folder, except in a temporary one; its sandbox then starts nothing. */
function isTemporary(env: NodeJS.ProcessEnv): boolean {
  const folder = env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
  return isInside(folder, env["TMPDIR"] ?? "/tmp");
}

function choiceOf(start: PlainStart): Choice {
  const { flags } = start;
  const settings = codexSettings(start);
  const table = settings["sandbox_workspace_write"];
  const inTable = isRecord(table) ? table["network_access"] : undefined;
  const byFlag = dottedNetwork(flags);
  return {
    mode: flagMode(flags) ?? settingMode(settings),
    network: byFlag ?? (typeof inTable === "boolean" ? inTable : undefined),
  };
}

function flagMode(flags: readonly string[]): Choice["mode"] {
  const words = ownWords(flags);
  if (words.some((word) => BYPASS.includes(word))) return "danger-full-access";
  const given = words.flatMap((word, index) => {
    if (word === "-s" || word === "--sandbox") return words[index + 1] ?? [];
    return /^(?:-s=?|--sandbox=)(.+)$/s.exec(word)?.[1] ?? [];
  });
  const last = given.at(-1);
  if (last !== undefined) return modeNamed(last) ?? "profile";
  return words.some((word) => AUTOMATIC.includes(word)) ? "workspace-write" : undefined;
}

function modeNamed(text: unknown): Mode | undefined {
  return (["read-only", "workspace-write", "danger-full-access"] as const).find((mode) => mode === text);
}

function settingMode(settings: Readonly<Record<string, unknown>>): Choice["mode"] {
  const { default_permissions: profile, sandbox_mode: mode } = settings;
  if (profile === ":read-only") return "read-only";
  if (profile === ":danger-full-access") return "danger-full-access";
  if (profile !== undefined) return "profile";
  return mode === undefined ? undefined : (modeNamed(mode) ?? "profile");
}

function dottedNetwork(flags: readonly string[]): boolean | undefined {
  const values = ownWords(flags).flatMap((word) => {
    const found = /^(?:-c=?|--config=)?\s*sandbox_workspace_write\s*\.\s*network_access\s*=\s*(true|false)\s*$/.exec(
      word,
    );
    return found === null ? [] : [found[1] === "true"];
  });
  return values.at(-1);
}

/** The user's flags without their choice of a writing sandbox, which ours replaces. */
function withoutMode(flags: readonly string[]): readonly string[] {
  const end = ownWords(flags).length;
  return flags.filter((word, index) => {
    if (index >= end) return true;
    const isValue = index > 0 && /^(?:-s|--sandbox)$/.test(flags[index - 1] ?? "");
    return !isValue && !/^(?:-s$|-s=?(?:read|workspace|danger)|--sandbox(?:=|$))/.test(word);
  });
}

/** First, because a flag of the user's that lacks its value would swallow ours; but after a sub-command. */
function inserted(flags: readonly string[], ours: readonly string[]): readonly string[] {
  return flags.toSpliced(agent.subcommands.includes(flags[0] ?? "") ? 1 : 0, 0, ...ours);
}

/** False when an administrator does not allow this mode. */
function mayUse(mode: Mode, root: string): boolean {
  const allowed = strings(requirements(root)["allowed_sandbox_modes"]);
  return allowed === undefined || allowed.includes(mode);
}

/** Codex itself reports a file that cannot be read. */
const requirements = (root: string) => parseToml(textIfReadable(join(root, "etc/codex/requirements.toml"))) ?? {};
