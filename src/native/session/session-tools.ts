import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FeatureFlags } from "../../contract/engine-settings.ts";
import type { KnownSkill } from "../../contract/knowledge.ts";
import type { AskPerson, EditorBuffers, Permit, Tool } from "../../contract/tool.ts";
import type { AuditEntry } from "../../contract/verdict.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { openSegment } from "../../guard/audit/write-audit.ts";
import { guardParts, type RecordParts } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { clearTaint, raiseTaint, readTaint } from "../../guard/taint-store.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { endAll } from "../../lib/process/tasks.ts";
import type { Model } from "../../models/model.ts";
import { type CommandRunner, openCommandRunner } from "../../sandbox/run/command-runner.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import type { CheckOutcome, RunCheck } from "../engine/gates.ts";
import type { Processor } from "../engine/processor.ts";
import { filesPath, sessionsPlace } from "../log/log-folder.ts";
import { showOutput } from "../tools/command-output.ts";
import type { AskUser } from "../tools/conversation-tools.ts";
import { openToolSet, type ToolFilter, type ToolSet, type ToolSetParts } from "../tools/tool-set.ts";
import { openWorkItems } from "../tools/work-items.ts";
import { nativeLanguageServers } from "./language-servers.ts";
import { type NativeCommandsPlace, openContainment } from "./session-containment.ts";
import { type ModeSwitch, planPermit } from "./work-mode.ts";

export interface NativeToolsPlace extends NativeCommandsPlace {
  readonly askPerson?: AskPerson | undefined;
  readonly askUser?: AskUser | undefined;
  readonly buffers?: EditorBuffers | undefined;
  readonly model: Pick<Model, "limits">;
  readonly filters?: readonly ToolFilter[] | undefined;
  readonly skills?: readonly KnownSkill[] | undefined;
  /** Tools that others bring, such as the one that starts sub-agents. */
  readonly more?: readonly Tool[] | undefined;
  readonly checkTimeoutMs: number;
  /** Asked after the guard, for every agent of the session. */
  readonly beforeChange: Processor;
  readonly mode: ModeSwitch;
  readonly flags: FeatureFlags;
  /** Of signalbox. */
  readonly version: string;
}

/** The tools of one session, with the guard in front of them and the audit log. Disposing it ends all commands. */
export interface NativeTools
  extends AsyncDisposable, Pick<ToolSet, "forgetShown" | "forgetSeen" | "onOutsideText" | "runningCommands"> {
  readonly tools: readonly Tool[];
  readonly permit: Permit;
  readonly runCheck: RunCheck;
  /** Runs the check in a copy of the workspace, which only that command can write. */
  readonly runCheckIn: (copy: string) => RunCheck;
  readonly containment: CommandContainment;
  readonly beforeChange: Processor;
  /** The tools of a sub-agent: the same guard, audit log, sandbox and approvals, but commands and read files of its own. */
  readonly forSubAgent: (agent: SubAgentTools) => SubAgentToolSet;
  /** The session's own files, which no command can write. */
  readonly privateFolder: string;
  readonly openItems: ReturnType<typeof openWorkItems>["open"];
  readonly allItems: ReturnType<typeof openWorkItems>["list"];
  /** Call this when the user has sent a prompt: clears the taint from what was read before. */
  readonly personSpoke: () => void;
  /** The MCP servers, if there are any. */
  readonly servers?: OfferedServers | undefined;
}

const WEB_TOOLS = ["fetch", "web_search"];

/** With the work items of one sub-agent. */
export interface SubAgentToolSet extends ToolSet, Pick<NativeTools, "allItems"> {}

/** What differs for a sub-agent. */
interface SubAgentTools extends Pick<NativeToolsPlace, "askPerson" | "askUser" | "more" | "skills"> {
  readonly id: string;
  readonly filter: ToolFilter;
  /** It may look at things and change nothing. */
  readonly isReadOnly: boolean;
}

export function openNativeTools(place: NativeToolsPlace): NativeTools {
  const { sessionId, policy, home, environment, warn } = place;
  const outputFolder = filesPath(sessionsPlace(home), sessionId);
  makeFolder(outputFolder);
  const segment = openSegment(home, { now: realMachine.now, anchor: appendAnchor });
  const items = lazyItems(join(outputFolder, "items.db"));
  const containment = openContainment(place);
  const languageServers = nativeLanguageServers(place, containment);
  const recording = {
    ...guardParts(environment, commandScreen(screen)),
    session: sessionId,
    agent: "native",
    append: (entry: AuditEntry) => segment.append(entry),
  };
  const parts = {
    ...place,
    approved: new Set<string>(),
    filters: [...(place.filters ?? []), ...(place.flags["disable-web-tools"] ? [{ deny: WEB_TOOLS }] : [])],
    containment,
    languageServers,
    ...recording,
    outputFolder,
    signalboxHome: home,
    docsFolder: join(packageFolder(), "docs"),
    imageLimits: () => place.model.limits.images,
    items,
    tainted: () => readTaint(home, sessionId) !== undefined,
    onSuspicion: (_, channel) => taintSession(place, channel),
  } satisfies ToolSetParts;
  const set = openToolSet(parts);
  const runner = openCommandRunner({
    policy,
    environment,
    outputFolder,
    marksFolder: commandMarks(home),
    containment,
  });
  return {
    tools: set.tools,
    permit: planPermit(set.permit, { ...recording, mode: place.mode, workspace: policy.workspaceRoot }),
    forgetShown: set.forgetShown,
    forgetSeen: set.forgetSeen,
    beforeChange: place.beforeChange,
    onOutsideText: set.onOutsideText,
    runningCommands: set.runningCommands,
    openItems: () => items.open(),
    allItems: () => items.list(),
    forSubAgent: (agent) => subAgentTools(agent, parts, place.mode),
    containment,
    privateFolder: outputFolder,
    ...checkRunners(runner, { ...place, containment }),
    personSpoke: () => clearTaint(home, sessionId),
    async [Symbol.asyncDispose]() {
      for (const part of [set, languageServers]) await part?.[Symbol.asyncDispose]();
      await runner.close();
      await containment[Symbol.asyncDispose]();
      endAll([() => items[Symbol.dispose](), () => segment[Symbol.dispose]()], warn);
    },
  };
}

function taintSession({ home, sessionId, warn }: NativeToolsPlace, channel: string): void {
  const because = `text from ${channel} contains instructions for the agent`;
  warn(because);
  raiseTaint(home, sessionId, { since: new Date(realMachine.now()).toISOString(), because });
}

/** What runs the user's check: in the workspace, and in a copy of it that is lent to that command only. */
function checkRunners(
  runner: ReturnType<typeof openCommandRunner>,
  { policy, checkTimeoutMs: timeoutMs, containment }: NativeToolsPlace & Pick<NativeTools, "containment">,
): Pick<NativeTools, "runCheck" | "runCheckIn"> {
  return {
    runCheck: checkRunner({ runner, folder: policy.workspaceRoot, timeoutMs }),
    runCheckIn: (copy) =>
      checkRunner({
        runner,
        folder: copy,
        timeoutMs,
        prepare: (command) => containment.place(command, { needs: [copyNeed(copy)] }),
      }),
  };
}

const copyNeed = (copy: string) =>
  ({ kind: "path", target: copy, access: "write", because: "the check runs in a copy of the workspace" }) as const;

const READ_ONLY = "This sub-agent may only look at things, and this call could change something.";

/** With work items of its own, so that those it leaves open are not the session's. */
function subAgentTools(
  { id, filter, isReadOnly, ...own }: SubAgentTools,
  session: ToolSetParts & Omit<RecordParts, "machine">,
  mode: ModeSwitch,
): SubAgentToolSet {
  const parts = { ...session, ...own, agent: `native/${id}` };
  const items = lazyItems(join(parts.outputFolder, `${id}.items.db`));
  const set = openToolSet({ ...parts, items, filters: [...(parts.filters ?? []), filter] });
  const { workspaceRoot: workspace } = parts.policy;
  const permit = planPermit(set.permit, { ...parts, mode, workspace });
  return {
    ...set,
    allItems: () => items.list(),
    permit: isReadOnly
      ? planPermit(permit, { ...parts, mode: { current: "plan" }, workspace, words: READ_ONLY })
      : permit,
    async [Symbol.asyncDispose]() {
      await set[Symbol.asyncDispose]();
      items[Symbol.dispose]();
    },
  };
}

/** Work items whose file is created on first use, since most short sessions never need it. */
function lazyItems(path: string): ReturnType<typeof openWorkItems> {
  let opened: ReturnType<typeof openWorkItems> | undefined;
  const items = () => (opened ??= openWorkItems(path));
  return {
    apply: (changes) => items().apply(changes),
    // Looking must not create it.
    list: () => (opened === undefined && !existsSync(path) ? [] : items().list()),
    open: () => (opened === undefined && !existsSync(path) ? [] : items().open()),
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  };
}

const MAX_OUTPUT = 6_000;

interface CheckPlace {
  readonly runner: Pick<CommandRunner, "start">;
  readonly folder: string;
  readonly timeoutMs: number;
  /** Called before a command starts, with what will run. */
  readonly prepare?: (command: string) => Promise<void>;
}

/** Runs the user's acceptance check in the workspace, in the same sandbox, and ends all its processes. */
function checkRunner({ runner, folder, timeoutMs, prepare }: CheckPlace): RunCheck {
  return async (command, signal): Promise<CheckOutcome> => {
    await prepare?.(command);
    const running = await runner.start({ command, folder });
    let timedOut = false;
    const stop = () => void running.end();
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const { code } = await running.ended;
      const output = showOutput(running.output.take(), running.output.file).slice(-MAX_OUTPUT);
      return { exitCode: code, output, timedOut };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  };
}

/** The MCP servers of a session as the engine uses them. */
export interface OfferedServers {
  /** Asked in every turn. */
  readonly tools: () => readonly Tool[];
  /** The name by which a tool is judged. */
  readonly judgedName: (name: string) => string;
  /** Waits a short time for servers that are starting. */
  readonly settled: (signal: AbortSignal) => Promise<void>;
  readonly processors: readonly Processor[];
  /** What the servers say about their use, as far as it was known at the start. */
  readonly instructions: string | undefined;
}
