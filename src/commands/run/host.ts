import manifest from "../../../package.json" with { type: "json" };
import { chooseInstalled } from "../../agents/active-agent.ts";
import { AGENTS, findPack } from "../../agents/packs.ts";
import type { OpenHost } from "../../receipts/host.ts";
import { acpByCommand, HOST_NAMES, namedHost, reachableHosts } from "../../hosts/named-host.ts";
import { type HostCommand, RUNS_ITSELF } from "../../hosts/program/program.ts";
import { sidecarHost } from "../../hosts/sidecar/sidecar.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { splitWords } from "../../lib/text/shell-words.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { type Flags, textFlag } from "../flags.ts";

export interface ChosenHost {
  /** Its name in receipts. */
  readonly name: string;
  readonly openHost: OpenHost;
  readonly task: string | undefined;
  /** Why its commands cannot run in our sandbox, if they cannot. */
  readonly uncontainable?: string;
}

/** The host and its program, from the words and flags of `signalbox run`. */
export async function chooseHost(words: readonly string[], flags: Flags): Promise<ChosenHost> {
  const sidecar = textFlag(flags, "sidecar");
  const acp = textFlag(flags, "acp");
  const backend = textFlag(flags, "backend") ?? textFlag(flags, "agent");
  const task = textFlag(flags, "task");
  const named = [sidecar, acp, backend].filter((value) => value !== undefined);
  if (named.length > 1) throw usage("more than one agent was given");
  if (sidecar !== undefined) {
    const command = readCommand(sidecar, "--sidecar");
    const openHost = sidecarHost(command, process.env);
    return { name: "sidecar", openHost, task: onlyTask(words, task), uncontainable: RUNS_ITSELF };
  }
  if (acp !== undefined) {
    const host = acpByCommand(readCommand(acp, "--acp"), process.env, manifest.version);
    return { ...host, name: "acp", task: onlyTask(words, task) };
  }
  if (backend !== undefined) return await byName(backend.replace(/^sidecar:/, ""), flags, onlyTask(words, task));
  const [first = "", ...rest] = words;
  const isHost = HOST_NAMES.includes(first) || first === "native";
  if (!isHost && rest.length > 0) return await byName(first, flags, undefined);
  const name = isHost ? first : await unnamedAgent(flags);
  return await byName(name, flags, onlyTask(isHost ? rest : words, task));
}

/** Checked before a run begins, so that a machine without agents does not produce an empty receipt. */
async function unnamedAgent(flags: Flags): Promise<string> {
  return chooseInstalled({
    agents: AGENTS.filter(({ name }) => HOST_NAMES.includes(name)),
    canReplace: ({ name }) => findPack(name)?.install !== undefined,
    cwd: currentFolder(),
    env: process.env,
    reachable: await reachableHosts(process.env),
    warn: flags["json"] === true ? () => {} : say,
  });
}

async function byName(name: string, flags: Flags, task: string | undefined): Promise<ChosenHost> {
  if (name === "native") return { name, openHost: await openNative(flags), task };
  const { json, unguarded, requireSandbox } = flags;
  const host = await namedHost(name, process.env, {
    unguarded: unguarded === true,
    requireSandbox: requireSandbox === true,
    warn: json === true ? () => {} : say,
  });
  return { ...host, name, task };
}

/**
 * Our own engine also gets the acceptance checks as a gate, so it learns of a false "done" while it can still fix it.
 * When the number of rounds is given, the run hands back failed checks instead, as it does with any other agent.
 */
async function openNative(flags: Flags): Promise<OpenHost> {
  const { nativeSettings } = await import("../native/settings.ts");
  const { nativeHost } = await import("../../hosts/native-host.ts");
  const { accept } = flags;
  const checks = Array.isArray(accept) && flags["rounds"] === undefined ? accept.map(String) : [];
  const check = checks.length > 1 ? checks.map((each) => `( ${each} )`).join(" && ") : checks[0];
  return nativeHost(nativeSettings({ ...flags, accept: check }), manifest.version);
}

function onlyTask(words: readonly string[], flag: string | undefined): string | undefined {
  const tasks = [...words, ...(flag === undefined ? [] : [flag])];
  if (tasks.length > 1) throw usage("more than one task was given");
  return tasks[0];
}

function usage(what: string): UserError {
  return new UserError(what, { where: "signalbox run", fix: 'for example: signalbox run codex "fix the tests"' });
}

/** Splits a command line into a program and its argv, without a shell. */
function readCommand(text: string, flag: string): HostCommand {
  const [path, ...argv] = splitWords(text) ?? [];
  if (path !== undefined && path !== "") return { path, argv };
  throw new UserError("cannot parse the command", {
    where: `${flag} ${text}`,
    fix: `quote it: ${flag} "node host.js"`,
  });
}
