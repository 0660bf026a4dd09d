import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDialect } from "../../agents/find-dialect.ts";
import { STOP_SECONDS } from "../../agents/install/hook-entries.ts";
import type { OwnHook, StartFacts } from "../../contract/agent-install.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { packageFolder, runsFromSources } from "../../lib/path/package-folder.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { fitsSocket } from "../../lib/path/inside.ts";
import { SESSION_VARIABLE, sessionVariables } from "../../lib/process/inside-session.ts";
import { type HookClient, type WrapperParts, wrapperText } from "../client/wrappers.ts";
import type { HookContext, HookSettings } from "../hook-context.ts";
import { ancestorHooks } from "../project/ancestor-hooks.ts";
import { findHooks, registerHooks, withoutAgentEntries } from "../project/find-hooks.ts";
import { addressText, LAUNCH_VARIABLE, launchesFolder, serversFolder } from "../server-protocol.ts";
import { lateAnswerer, openHookServer } from "../server.ts";
import type { GuardedStart } from "./guarded-start.ts";

/** Writes the wrapper of a launch and opens its server. The agent must be started with the returned `env`. */
export async function openHooks(
  start: GuardedStart & Pick<HookContext, "ownRules" | "session" | "talked">,
  settings: HookSettings,
) {
  const answerer = lateAnswerer(async () => {
    const { openLaunchAnswerer } = await import("../launch-answerer.ts");
    return openLaunchAnswerer(settings, start);
  });
  const token = randomId();
  const client = findClient(start.folder);
  const server =
    client === undefined
      ? undefined
      : await openHookServer({ socket: client.socket, token, seal: settings.seal, answer: answerer.answer });
  const wrapper = join(start.folder, "hook");
  const parts = wrapperParts(start, settings, { token, client: client?.at(server?.port ?? 0) });
  writeFileSync(wrapper, wrapperText(parts), { mode: 0o700 });
  const address = join(start.folder, "server");
  if (server !== undefined)
    writeFileSync(address, addressText({ port: server.port, token, seal: settings.seal, agent: start.agent }), {
      mode: 0o600,
    });
  return {
    wrapper,
    parts,
    wrapperWith: (changed: Partial<WrapperParts>) => wrapperText({ ...parts, ...changed }),
    env: server === undefined ? start.env : { ...start.env, [LAUNCH_VARIABLE]: address },
    load: answerer.load,
    heard: () => server === undefined || answerer.heard(),
    stopServer: () => server?.[Symbol.dispose](),
    closeAnswerer: () => answerer[Symbol.dispose](),
  };
}

interface ServerAccess {
  readonly token: string;
  readonly client: HookClient | undefined;
}

function wrapperParts(start: GuardedStart, settings: HookSettings, { token, client }: ServerAccess): WrapperParts {
  const file = settingsFile(start.folder);
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  const root = packageFolder();
  const patience = settings.hooks.length === 0 ? 3 : 25;
  return {
    dialect: findDialect(start.agent),
    client,
    node: process.execPath,
    bundle: runsFromSources ? join(root, "src/hooks/hook.ts") : join(root, "dist/hook.cjs"),
    settings: file,
    token,
    seal: settings.seal,
    deadline: findDeadline(patience + 5),
    seconds: patience,
    stopSeconds: start.watch?.checksStops === true ? STOP_SECONDS - 30 : patience,
  };
}

function findDeadline(seconds: number): readonly string[] {
  if (existsSync("/usr/bin/timeout")) return ["/usr/bin/timeout", "-s", "KILL", String(seconds)];
  if (existsSync("/usr/bin/perl")) return ["/usr/bin/perl", "-e", "alarm shift; exec @ARGV", String(seconds)];
  return [];
}

/** Bash can connect without starting another process; OpenBSD's nc is just as fast. */
function findClient(folder: string) {
  const bash = systemProgram("bash");
  if (bash !== undefined)
    return { socket: undefined, at: (port: number): HookClient => ({ kind: "bash", program: bash, port }) };
  const nc = ["/usr/bin/nc.openbsd", "/bin/nc.openbsd"].find((path) => existsSync(path));
  if (nc === undefined) return undefined;
  const socket = join(folder, "socket");
  if (!fitsSocket(socket)) return undefined;
  return { socket, at: (): HookClient => ({ kind: "nc", program: nc, socket }) };
}

interface Launch extends Pick<
  HookSettings,
  "sandbox" | "held" | "heldByAgent" | "requiresSandbox" | "ownSandbox" | "ownRules"
> {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly folder: string;
  readonly facts: Partial<StartFacts>;
  /** What the agent starts by itself. */
  readonly ownHooks: readonly OwnHook[];
}

/** Where the settings of a launch are kept. */
const settingsFile = (folder: string) => join(folder, "hook-settings.json");

/** Everything that the hooks of a launch need to know, fixed before the agent starts. */
export function launchSettings(
  start: GuardedStart,
  { workspace, folder, facts, ownHooks, ...contained }: Launch,
): HookSettings {
  const places = { workspace, folder };
  const found = withoutAgentEntries([...findHooks(places), ...ancestorHooks(places, start.env)], ownHooks, places);
  return {
    switches: [],
    ...facts,
    agent: start.agent,
    workspace,
    folder,
    interactive: start.interactive,
    closed: [...new Set([start.folder, realpathSync(start.folder), launchesFolder(folder), serversFolder(folder)])],
    ...contained,
    recipes: {
      program: join(packageFolder(), "bin/signalbox"),
      variables: { ...sessionVariables(start.env, start.id), [SESSION_VARIABLE]: settingsFile(start.folder) },
    },
    deniedTools: start.deniedTools,
    order: start.order,
    hooks: registerHooks(found, start.warn),
    seal: randomId(),
  };
}
