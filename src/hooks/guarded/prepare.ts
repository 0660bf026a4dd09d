import { fitsSocket } from "../../lib/fits-socket.ts";
import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { OrderPolicy } from "../../contract/policy-file.ts";
import type { Policy } from "../../contract/policy.ts";
import { isTrusted, readTrust } from "../../guard/policy/trust.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { endAll } from "../../lib/end-all.ts";
import { systemProgram } from "../../lib/system-program.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { isInside } from "../../lib/inside.ts";
import { packageRoot, runsFromSources } from "../../lib/package-root.ts";
import { randomId } from "../../lib/random-id.ts";
import { tooWide } from "../../lib/too-wide.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { findDialect } from "../dialects/find-dialect.ts";
import type { HookOutput } from "../hook-answer.ts";
import type { HookSettings } from "../hook-settings.ts";
import type { SecondJudge } from "../judge-call.ts";
import { judgeOnce } from "../judge-once.ts";
import { currentPolicy } from "../live-policy.ts";
import { ancestorHooks } from "../project/ancestor-hooks.ts";
import { findHooks, registerHooks } from "../project/find-hooks.ts";
import type { LaunchSandbox } from "../launch-sandbox.ts";
import { sameSession } from "../same-session.ts";
import { type HookRequest, openHookServer } from "../server.ts";
import { LAUNCH_VARIABLE, launchesFolder, reachText, serversFolder } from "../server-reach.ts";
import { type HookClient, type WrapperParts, wrapperText } from "../wrapper.ts";
import type { Armed } from "./arm.ts";
import { armers } from "./armers.ts";
import { trustedProject } from "./claude-project.ts";
import { claudeShell } from "./claude-shell.ts";
import { agentHold } from "./copilot-agents.ts";
import { copilotSwitches } from "./copilot-switches.ts";
import { foldersUp } from "./folders-up.ts";
import { readablePaths } from "./readable-paths.ts";
import { ownRule } from "./own-rules.ts";
import { refuseRewriting } from "./refuse-rewriting.ts";

export interface GuardedStart {
  /** The agent's name. */
  readonly agent: string;
  readonly binary: string;
  /** The private folder of this run. */
  readonly folder: string;
  readonly cwd: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A person sits at the terminal and can be asked. */
  readonly interactive: boolean;
  readonly deniedTools: readonly string[];
  /** The rules of a work order, and who judges its calls beside us. */
  readonly order?: OrderPolicy | undefined;
  readonly alsoJudge?: SecondJudge | undefined;
  /** True for settings that hold what `signalbox stage` writes and nothing else: they need nobody's trust. */
  readonly staged?: ((path: string, text: string) => boolean) | undefined;
  readonly warn: (text: string) => void;
  /** For proofs alone: may put a fault in place before the agent is started, or while it runs. */
  readonly rehearse?: ((parts: RehearsalParts) => void) | undefined;
}

/** What a proof can take hold of. Only code of ours can: no variable and no file leads here. */
export interface RehearsalParts {
  readonly wrapper: string;
  /** What the wrapper was made from. */
  readonly parts: WrapperParts;
  readonly stopServer: () => void;
}

export interface Guard extends Armed, Disposable {
  /** Loads what answers the hooks. Before that, and when it fails, the wrappers ask the bundle. */
  readonly load: () => Promise<void>;
  /** True when the agent has called a hook: one that never does was not held. */
  readonly heard: () => boolean;
}

/** Readies everything that holds an agent's tool calls, before it is started. Throws when they could not be held. */
export async function prepareGuard(start: GuardedStart): Promise<Guard> {
  const arm = armers[start.agent];
  if (arm === undefined) throw new Error(`${start.agent} has no hooks to hold it by`);
  const folder = signalboxHome(start.env);
  const workspace = findWorkspace(realpathSync(start.cwd));
  refuseUnsafe(start, workspace, folder);
  // The bundle reads no YAML: its form of the policy must be there before the agent is.
  const policy = await currentPolicy(folder, workspace);
  if (policy.sandbox !== "off") refuseRewriting({ ...start, workspace, level: policy.sandbox });
  const sandbox = policy.sandbox === "off" ? undefined : await openSandbox(policy, start);
  const known = readTrust(folder);
  const trusting = {
    trusts: (path: string, text: string) => isTrusted(known, path, text),
    staged: start.staged ?? (() => false),
    mayRead: readablePaths(policy, { workspace, order: start.order }),
  };
  const loads = start.agent === "claude" && !start.interactive;
  const hold = loads ? trustedProject({ cwd: start.cwd, workspace, ...trusting }) : undefined;
  const settings = { ...settingsOf(start, workspace, folder), sandbox: sandbox?.program, hold };
  const answering = lateAnswerer(settings, start);
  const token = randomId();
  const client = findClient(start.folder);
  const server =
    client === undefined
      ? undefined
      : await openHookServer({ socket: client.socket, token, seal: settings.seal, answer: answering.answer });
  const wrapper = join(start.folder, "hook");
  const parts = wrapperParts(start, settings, { token, client: client?.at(server?.port ?? 0) });
  writeFileSync(wrapper, wrapperText(parts), { mode: 0o700 });
  const env = server === undefined ? start.env : { ...start.env, [LAUNCH_VARIABLE]: join(start.folder, "server") };
  if (server !== undefined)
    writeFileSync(
      join(start.folder, "server"),
      reachText({ port: server.port, token, seal: settings.seal, agent: start.agent }),
      { mode: 0o600 },
    );
  const armed = await arm({ ...start, env, wrapper, workspace, home: folder, ...trusting, hold });
  start.rehearse?.({ wrapper, parts, stopServer: () => server?.[Symbol.dispose]() });
  return {
    ...armed,
    load: answering.load,
    heard: () => server === undefined || answering.heard(),
    [Symbol.dispose]() {
      endAll(
        [() => server?.[Symbol.dispose](), answering.close, () => armed.end?.(), () => sandbox?.[Symbol.dispose]()],
        start.warn,
      );
    },
  };
}

function refuseUnsafe({ folder: given }: GuardedStart, workspace: string, home: string): void {
  const folder = realpathSync(given);
  const wide = tooWide(workspace, homedir());
  if (wide !== undefined)
    throw new UserError(wide, {
      where: workspace,
      fix: "start the agent in the folder of a project, or say --unguarded",
      exitCode: EXIT.refused,
    });
  const inside = [folder, existsSync(home) ? realpathSync(home) : home].find((place) => isInside(place, workspace));
  if (inside !== undefined)
    throw new UserError("what holds the agent would lie inside the workspace, where the agent may write", {
      where: inside,
      fix: "set SIGNALBOX_HOME to a folder outside the workspace, or leave it unset",
      exitCode: EXIT.refused,
    });
}

async function openSandbox(policy: Policy, { folder, env }: GuardedStart): Promise<LaunchSandbox> {
  const { launchSandbox } = await import("../launch-sandbox.ts");
  return await launchSandbox(policy, folder, env["PATH"]);
}

function settingsOf(start: GuardedStart, workspace: string, folder: string): HookSettings {
  const found = [...findHooks({ workspace, folder }), ...ancestorHooks({ workspace, folder }, start.env)];
  return {
    agent: start.agent,
    workspace,
    folder,
    interactive: start.interactive,
    closed: [...new Set([start.folder, realpathSync(start.folder), launchesFolder(folder), serversFolder(folder)])],
    switches: start.agent === "copilot" ? copilotSwitches(foldersUp(start.cwd, workspace)) : [],
    shell: start.agent === "claude" && claudeShell(workspace) !== undefined ? "bash" : undefined,
    neverAllow: start.agent === "copilot" && ownRule("copilot", { ...start, workspace }) !== undefined,
    agents: start.agent === "copilot" ? agentHold(foldersUp(start.cwd, workspace)) : undefined,
    deniedTools: start.deniedTools,
    order: start.order,
    hooks: registerHooks(found, start.warn),
    seal: randomId(),
  };
}

/** Answers as soon as its parts are loaded; callers wait until then. */
function lateAnswerer(settings: HookSettings, { env, warn, alsoJudge }: GuardedStart) {
  let close = () => {};
  let heard = false;
  let loading: Promise<(request: HookRequest) => Promise<HookOutput>> | undefined;
  const load = async () => {
    const { openServerAnswerer } = await import("../server-answerer.ts");
    const answerer = openServerAnswerer(settings, { env, warn, alsoJudge });
    close = () => answerer[Symbol.dispose]();
    return sameSession(judgeOnce(answerer.answer, () => performance.now()));
  };
  return {
    load: async () => void (await (loading ??= load())),
    answer: async (request: HookRequest) => {
      heard = true;
      return await (
        await (loading ??= load())
      )(request);
    },
    heard: () => heard,
    close: () => close(),
  };
}

interface Reach {
  readonly token: string;
  readonly client: HookClient | undefined;
}

function wrapperParts(start: GuardedStart, settings: HookSettings, { token, client }: Reach): WrapperParts {
  const file = join(start.folder, "hook-settings.json");
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  const root = packageRoot();
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
  };
}

/** Bash opens a connection by itself, so it costs no further process; OpenBSD's nc is as quick. */
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

function findDeadline(seconds: number): readonly string[] {
  if (existsSync("/usr/bin/timeout")) return ["/usr/bin/timeout", "-s", "KILL", String(seconds)];
  if (existsSync("/usr/bin/perl")) return ["/usr/bin/perl", "-e", "alarm shift; exec @ARGV", String(seconds)];
  return [];
}
