import type { LanguageServers } from "../../contract/language-servers.ts";
import type { ImageLimits } from "../../contract/message.ts";
import type { Policy } from "../../contract/policy.ts";
import type { SealFacts } from "../../contract/seal.ts";
import type { EditorBuffers, ToolFilter } from "../../contract/tool.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { auditHead, openSegment } from "../../guard/audit/write-audit.ts";
import { guardParts } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { raiseTaint, readTaint } from "../../guard/taint-store.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { endAll } from "../../lib/process/tasks.ts";
import { type CommandRunner, openCommandRunner } from "../../sandbox/run/command-runner.ts";
import { type CommandContainment, UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import type { Processor } from "../engine/processor.ts";
import { filesPath, sessionsPlace } from "../log/log-folder.ts";
import { findServers } from "../lsp/find-servers.ts";
import { type LanguageSetup, openServers } from "../lsp/language-server.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import { type ContainmentOptions, openContainment } from "./containment.ts";
import type { Recording } from "./guard-permit.ts";

/**
 * Where agents of a session work, its workspace or a copy of it: the sandbox and the language servers of that folder,
 * the log of the guard, and what its agents share. Disposing it ends what runs there.
 */
export interface Workplace extends AsyncDisposable {
  readonly sessionId: string;
  readonly policy: Policy;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The session's own files, which no command can write; the model may read them. */
  readonly privateFolder: string;
  readonly containment: CommandContainment;
  readonly languageServers: LanguageServers | undefined;
  readonly recordAs: (agent: string) => Recording;
  /** How far the log of the guard goes. */
  readonly auditHead: () => SealFacts["audit_head"];
  /** Whether text from outside has tried to steer the model since the user's last message. */
  readonly isTainted: () => boolean;
  /** Must be called with texts from outside before the model sees them. */
  readonly onOutsideText: (text: string, channel: string) => void;
  /** Calls that the person has approved for the session. */
  readonly approved: Set<string>;
  readonly filters: readonly ToolFilter[];
  /** Asked after the guard, for every agent. */
  readonly beforeChange: Processor;
  /** Files that an editor has open. */
  readonly buffers: EditorBuffers | undefined;
  /** What the model in use accepts of an image. */
  readonly imageLimits: () => ImageLimits | undefined;
  readonly warn: (text: string) => void;
}

interface WorkplaceOptions {
  readonly sessionId: string;
  readonly policy: Policy;
  readonly beforeChange: Processor;
  readonly recovery: ContainmentOptions["recovery"];
  readonly snapshot?: ContainmentOptions["snapshot"];
  readonly buffers?: EditorBuffers | undefined;
  /** Tools that nobody gets there. */
  readonly denied?: readonly string[];
}

const WEB_TOOLS = ["fetch", "web_search"];

export function openWorkplace(settings: NativeSettings, options: WorkplaceOptions): Workplace {
  const { home, environment, flags, warn } = settings;
  const { sessionId, policy, beforeChange, recovery, snapshot, buffers, denied = [] } = options;
  const privateFolder = filesPath(sessionsPlace(home), sessionId);
  makeFolder(privateFolder);
  const segment = openSegment(home, { now: realMachine.now, anchor: appendAnchor });
  const { requireSandbox } = settings;
  const containment = openContainment({
    sessionId,
    policy,
    home,
    environment,
    requireSandbox,
    recovery,
    snapshot,
    warn,
  });
  const languageServers = sessionServers(settings, policy, containment);
  const { redact } = guardParts(environment, commandScreen(screen));
  return {
    sessionId,
    policy,
    home,
    environment,
    privateFolder,
    containment,
    languageServers,
    recordAs: (agent) => ({ session: sessionId, agent, append: (entry) => segment.append(entry), redact }),
    auditHead: () => auditHead(segment),
    isTainted: () => readTaint(home, sessionId) !== undefined,
    onOutsideText(text, channel) {
      const { risk } = screen(text, { channel });
      if (risk === "none" || risk === "low") return;
      const because = `text from ${channel} contains instructions for the agent`;
      warn(because);
      raiseTaint(home, sessionId, { since: new Date(realMachine.now()).toISOString(), because });
    },
    approved: new Set(),
    filters: [...settings.filters, { deny: [...(flags["disable-web-tools"] ? WEB_TOOLS : []), ...denied] }],
    beforeChange,
    buffers,
    imageLimits: () => settings.model.limits.images,
    warn,
    async [Symbol.asyncDispose]() {
      await languageServers?.[Symbol.asyncDispose]();
      await containment[Symbol.asyncDispose]();
      endAll([() => segment[Symbol.dispose]()], warn);
    },
  };
}

/** What starts commands in a workplace. It is closed before the workplace. */
export const commandsIn = ({ policy, environment, home, privateFolder, containment }: Workplace): CommandRunner =>
  openCommandRunner({
    policy,
    environment,
    outputFolder: privateFolder,
    marksFolder: commandMarks(home),
    containment,
  });

/** The language servers of a session. They run only in a sandbox, because many of them run code of the project. */
function sessionServers(
  { flags, environment, home, version }: NativeSettings,
  policy: Policy,
  containment: CommandContainment,
): LanguageServers | undefined {
  if (!flags["lsp-tools"] || containment === UNCONTAINED) return undefined;
  const { workspaceRoot: workspace } = policy;
  return projectServers({ workspace, environment, containment, policy, marksFolder: commandMarks(home), version });
}

/** The language servers of a project; undefined if there are none. */
export function projectServers(setup: LanguageSetup): LanguageServers | undefined {
  const found = findServers(setup);
  return found.length === 0 ? undefined : openServers(found, setup);
}
