import { existsSync } from "node:fs";
import { join } from "node:path";
import { filesPath, sessionsPlace } from "../../sessions/folder.ts";
import type { KnownSkill } from "../../contract/known-skill.ts";
import type { AskPerson, Permit, Tool } from "../../contract/tool.ts";
import type { CheckOutcome, RunCheck } from "../../engine/gates.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { openSegment } from "../../guard/audit/write-audit.ts";
import { commandScreen } from "../../screen/screen-command.ts";
import { guardParts } from "../../guard/decide-and-record.ts";
import { screen } from "../../screen/screen.ts";
import type { Policy } from "../../contract/policy.ts";
import { clearTaint, raiseTaint, readTaint } from "../../guard/taint/taint-store.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import type { HostJob } from "../../backplane/host.ts";
import { openSnapshotSession, type SnapshotSession } from "../../snapshots/open-session.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { endAll } from "../../lib/end-all.ts";
import { packageFolder } from "../../lib/package-folder.ts";
import type { AskUser } from "../../tools/ask-user.ts";
import {
  type CommandContainment,
  openCommandContainment,
  UNCONTAINED,
} from "../../tools/command/contained-commands.ts";
import { type CommandRunner, openCommandRunner } from "../../tools/command/command-runner.ts";
import { commandMarks } from "../../tools/command/left-commands.ts";
import { openToolSet, type ToolFilter, type ToolSet } from "../../tools/tool-set.ts";
import { openWorkItems } from "../../tools/items/work-items.ts";
import { showOutput } from "../../tools/command/show-output.ts";

export interface NativeToolsPlace {
  readonly sessionId: string;
  readonly policy: Policy;
  /** The signalbox folder in the user's home. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly askPerson?: AskPerson | undefined;
  readonly askUser?: AskUser | undefined;
  readonly filters?: readonly ToolFilter[] | undefined;
  readonly skills?: readonly KnownSkill[] | undefined;
  readonly checkTimeoutMs: number;
  /** Nothing runs where commands cannot be contained. */
  readonly requireSandbox?: boolean | undefined;
  /** What could be restored, where the caller has taken a snapshot itself. */
  readonly recovery?: HostJob["recovery"];
  readonly warn: (text: string) => void;
}

/** The tools of one session, with the guard in front of them and the audit log. Disposing it ends all commands. */
export interface NativeTools extends AsyncDisposable, Pick<ToolSet, "forgetShown"> {
  readonly tools: readonly Tool[];
  readonly permit: Permit;
  readonly runCheck: RunCheck;
  readonly containment: CommandContainment;
  /** The session's own files, which no command can write. */
  readonly privateFolder: string;
  readonly openItems: ReturnType<typeof openWorkItems>["open"];
  /** Call this when the user has sent a prompt: clears the taint from what was read before. */
  readonly personSpoke: () => void;
}

export function openNativeTools(place: NativeToolsPlace): NativeTools {
  const { sessionId, policy, home, environment, warn } = place;
  const outputFolder = filesPath(sessionsPlace(home), sessionId);
  makeFolder(outputFolder);
  const segment = openSegment(home, { now: realMachine.now, anchor: appendAnchor });
  const items = lazyItems(join(outputFolder, "items.db"));
  const containment = openContainment(place);
  const set = openToolSet({
    ...place,
    containment,
    ...guardParts(environment, commandScreen(screen)),
    session: sessionId,
    agent: "native",
    append: (entry) => segment.append(entry),
    outputFolder,
    signalboxHome: home,
    docsFolder: join(packageFolder(), "docs"),
    items,
    tainted: () => readTaint(home, sessionId) !== undefined,
    onSuspicion(_, channel) {
      const because = `text from ${channel} contains instructions for the agent`;
      warn(because);
      raiseTaint(home, sessionId, { since: new Date(realMachine.now()).toISOString(), because });
    },
  });
  const runner = openCommandRunner({
    policy,
    environment,
    outputFolder,
    marksFolder: commandMarks(home),
    containment,
  });
  return {
    tools: set.tools,
    permit: set.permit,
    forgetShown: set.forgetShown,
    openItems: () => items.open(),
    containment,
    privateFolder: outputFolder,
    runCheck: checkRunner({ runner, folder: policy.workspaceRoot, timeoutMs: place.checkTimeoutMs }),
    personSpoke: () => clearTaint(home, sessionId),
    async [Symbol.asyncDispose]() {
      await set[Symbol.asyncDispose]();
      await runner.close();
      await containment[Symbol.asyncDispose]();
      endAll([() => items[Symbol.dispose](), () => segment[Symbol.dispose]()], warn);
    },
  };
}

/** The session's sandbox and the snapshot beside it, both opened by the first command. */
function openContainment(place: NativeToolsPlace): CommandContainment {
  const { policy, home, environment, sessionId, warn, requireSandbox } = place;
  const isRequired = requireSandbox === true || policy.sandbox === "workspace" || policy.sandbox === "strict";
  if (policy.sandbox === "off" && !isRequired) return UNCONTAINED;
  let snapshot: SnapshotSession | undefined;
  const recovery = () => place.recovery ?? snapshot;
  const containment = openCommandContainment({
    isRequired,
    warn,
    recoverable: (...asked) => recovery()?.recoverable(...asked),
    async open() {
      if (place.recovery === undefined)
        snapshot = openSnapshotSession({ home, id: sessionId, agent: "native", workspace: policy.workspaceRoot });
      const { openContainedSession } = await import("../../sandbox/contained-session.ts");
      const session = await openContainedSession({
        policy,
        agent: "native",
        environment,
        signalboxHome: home,
        network: () => policy.network,
        isTainted: () => readTaint(home, sessionId) !== undefined,
        warn,
      });
      const state = await snapshot?.ready;
      if (session.contained && state?.state === "unknown")
        warn(`no snapshot was taken (${state.because}), so commands that discard files need approval`);
      return session;
    },
  });
  return {
    ...containment,
    async judged() {
      recovery()?.ended("command");
      return await containment.judged();
    },
    async argv(command, bare) {
      recovery()?.began("command");
      return await containment.argv(command, bare);
    },
    async [Symbol.asyncDispose]() {
      await containment[Symbol.asyncDispose]();
      await snapshot?.end();
    },
  };
}

/** Work items whose file is created on first use, since most short sessions never need it. */
function lazyItems(path: string): ReturnType<typeof openWorkItems> {
  let opened: ReturnType<typeof openWorkItems> | undefined;
  const items = () => (opened ??= openWorkItems(path));
  return {
    apply: (changes) => items().apply(changes),
    list: () => items().list(),
    // Looking must not create it.
    open: () => (opened === undefined && !existsSync(path) ? [] : items().open()),
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  };
}

const MAX_OUTPUT = 6_000;

interface CheckPlace {
  readonly runner: Pick<CommandRunner, "start">;
  readonly folder: string;
  readonly timeoutMs: number;
}

/** Runs the user's acceptance check in the workspace, in the same sandbox, and ends all its processes. */
function checkRunner({ runner, folder, timeoutMs }: CheckPlace): RunCheck {
  return async (command, signal): Promise<CheckOutcome> => {
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
