import { join } from "node:path";
import type { AskPerson, Permit, Tool } from "../../contract/tool.ts";
import type { RunCheck } from "../../engine/gates/acceptance.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { openSegment } from "../../guard/audit/write-audit.ts";
import { commandScreen } from "../../screen/screen-command.ts";
import { guardParts } from "../../guard/decide-and-record.ts";
import { screen } from "../../screen/screen.ts";
import type { Policy } from "../../contract/policy.ts";
import { clearTaint, raiseTaint, readTaint } from "../../guard/taint/taint-store.ts";
import { sandboxWorks } from "../../sandbox/sandbox-works.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { endAll } from "../../lib/end-all.ts";
import { packageFolder } from "../../lib/package-folder.ts";
import { hashNatively } from "../../lib/sha256.ts";
import type { AskUser } from "../../tools/ask-user.ts";
import { openDesk } from "../../tools/command/command-desk.ts";
import { commandMarks } from "../../tools/command/left-commands.ts";
import type { ToolFilter } from "../../tools/tool-filter.ts";
import { openToolSet } from "../../tools/tool-set.ts";
import { lazyItems } from "./lazy-items.ts";
import { checkRunner } from "./run-check.ts";

export interface WorkbenchPlace {
  readonly sessionId: string;
  readonly policy: Policy;
  /** The folder of signalbox in the home of the user. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly askPerson?: AskPerson | undefined;
  readonly askUser?: AskUser | undefined;
  readonly filters?: readonly ToolFilter[] | undefined;
  readonly checkTimeoutMs: number;
  readonly warn: (text: string) => void;
}

/** The tools of one session, the guard in front of them, and its log. Disposing of it ends every command. */
export interface Workbench extends AsyncDisposable {
  readonly tools: readonly Tool[];
  readonly permit: Permit;
  readonly runCheck: RunCheck;
  /** The session's own files, which no command can write. */
  readonly privateFolder: string;
  /** The person has spoken: what was read before no longer counts against them. */
  readonly personSpoke: () => void;
}

export function openWorkbench(place: WorkbenchPlace): Workbench {
  const { sessionId, policy, home, environment, warn } = place;
  const outputFolder = join(home, "sessions", `${sessionId}.files`);
  makeFolder(outputFolder);
  const segment = openSegment(home, { now: realMachine.now, anchor: appendAnchor });
  const items = lazyItems(join(outputFolder, "items.db"));
  const set = openToolSet({
    ...place,
    ...guardParts(environment, commandScreen(screen)),
    session: sessionId,
    agent: "native",
    append(entry) {
      // The end of the log is signed, so crypto is loaded in any case.
      hashNatively();
      segment.append(entry);
    },
    outputFolder,
    signalboxHome: home,
    docsFolder: join(packageFolder(), "docs"),
    items,
    tainted: () => readTaint(home, sessionId) !== undefined,
    onSuspicion(_, channel) {
      const because = `a text from ${channel} tries to give orders`;
      warn(because);
      raiseTaint(home, sessionId, { since: new Date(realMachine.now()).toISOString(), because });
    },
  });
  const desk = openDesk({
    policy,
    environment,
    outputFolder,
    marksFolder: commandMarks(home),
    proveSandbox: (workspace) => sandboxWorks(workspace),
  });
  return {
    tools: set.tools,
    permit: set.permit,
    privateFolder: outputFolder,
    runCheck: checkRunner({ desk, folder: policy.workspaceRoot, timeoutMs: place.checkTimeoutMs }),
    personSpoke: () => clearTaint(home, sessionId),
    async [Symbol.asyncDispose]() {
      await set[Symbol.asyncDispose]();
      await desk.close();
      endAll([() => items[Symbol.dispose](), () => segment[Symbol.dispose]()], warn);
    },
  };
}
