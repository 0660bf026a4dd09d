import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEvent } from "../../contract/engine-event.ts";
import type { NamedCommand, SessionPort, SessionWords } from "../../contract/session-port.ts";
import { gitTop } from "../../lib/path/workspace.ts";
import { runGit } from "../../lib/process/run-git.ts";
import { wrapText } from "../../lib/text/printable.ts";
import type { ThinkingEffort } from "../../models/effort.ts";
import type { Model } from "../../models/model.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import { listSessions } from "../log/list-sessions.ts";
import { logPath, sessionsPlace } from "../log/log-folder.ts";
import { readLog } from "../log/read-log.ts";
import type { PersonShell } from "../session/person-shell.ts";
import { callLine, describeEvent, isToldAtEnd, outcomeLines, showCall } from "./event-lines.ts";
import { lineCommand, type LineCommandPlace, lineCommands } from "./line-commands.ts";

/** What a port needs of an open session. */
interface OpenedSession extends Pick<
  LineCommandPlace,
  "conversation" | "mode" | "workspace" | "takeBack" | "commands"
> {
  readonly shell: PersonShell;
  readonly containment: CommandContainment["facts"];
}

interface PortPlace {
  readonly cwd: string;
  readonly home: string;
  readonly effort: ThinkingEffort;
  readonly model: Pick<Model, "limits">;
}

/** A session as its terminal sees it. */
export function sessionPort(session: OpenedSession, { cwd, home, effort, model }: PortPlace): SessionPort {
  const { conversation, mode } = session;
  const ran: string[] = [];
  const past = () => listSessions(sessionsPlace(home)).filter((each) => each.cwd === cwd);
  const add = (text: string) => conversation.add([...ran.splice(0), text].join("\n\n"));
  return {
    id: conversation.id,
    history: conversation.history,
    get model() {
      return conversation.model;
    },
    get unfinished() {
      return conversation.unfinished;
    },
    get queued() {
      return conversation.queued;
    },
    get mode() {
      return mode.current;
    },
    setMode: (chosen) => mode.set(chosen),
    add,
    withdraw: (promptId) => conversation.withdraw(promptId),
    run: (signal) => conversation.run(signal),
    command: (text, view) => lineCommand({ ...session, ...view, effort, add }, text),
    commands: () => [...lineCommands(), ...ownCommands(session)],
    shell: (command, signal) => remembered(session.shell(command, signal), command, ran),
    state: () => ({
      effort: effort.level,
      isContained: session.containment()?.contained,
      branch: branchOf(session.workspace),
      window: model.limits.prompt,
      cost: conversation.cost,
    }),
    files: () => filesIn(session.workspace),
    prompts: () => promptsIn(home, [conversation.id, ...past().map(({ id }) => id)]),
    sessions: () => past().filter(({ id }) => id !== conversation.id),
    words: WORDS,
  };
}

const WORDS: SessionWords = {
  event: (event) => (isToldAtEnd(event) ? undefined : describeEvent(event)),
  outcome: outcomeLines,
  call: callLine,
  question: showCall,
};

const ownCommands = ({ commands }: OpenedSession): readonly NamedCommand[] =>
  commands().commands.map(({ name, description }) => ({ name: `/${name}`, description }));

/** The person's commands are told to the model with the next prompt. */
async function* remembered(
  events: ReturnType<PersonShell>,
  command: string,
  ran: string[],
): AsyncGenerator<SessionEvent> {
  for await (const event of events) {
    if (event.type === "tool-end")
      ran.push(`I ran a command myself:\n${wrapText("output", command, event.result.text)}`);
    yield event;
  }
}

/** The branch that is checked out, or the beginning of the commit. Read from the file: starting git would be too slow. */
function branchOf(workspace: string): string | undefined {
  const top = gitTop(workspace);
  if (top?.commonFolder === undefined) return undefined;
  try {
    const head = readFileSync(join(top.folder, ".git", "HEAD"), "utf8").trim();
    return head.startsWith("ref: ") ? head.replace(/^ref: (?:refs\/heads\/)?/, "") : head.slice(0, 8);
  } catch {
    // A worktree, whose .git is a file.
    return undefined;
  }
}

const MAX_FILES = 20_000;

/** What git knows or would add. Nothing where there is no repository. */
async function filesIn(workspace: string): Promise<readonly string[]> {
  try {
    const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const { stdout } = await runGit(listing, { cwd: workspace, workspace });
    return [...new Set(stdout.toString("utf8").split("\0"))].filter((path) => path !== "").slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

const MAX_LOGS = 20;
const MAX_PROMPTS = 500;

/** The prompts in the newest logs, newest first, each once. */
function promptsIn(home: string, ids: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const id of ids.slice(0, MAX_LOGS)) {
    for (const record of logRecords(home, id).toReversed())
      if (record.type === "queued" && record.message.source === "person") found.add(record.message.text);
    if (found.size >= MAX_PROMPTS) break;
  }
  return [...found].slice(0, MAX_PROMPTS);
}

function logRecords(home: string, id: string) {
  try {
    return readLog(logPath(sessionsPlace(home), id)).records.map(({ record }) => record);
  } catch {
    return [];
  }
}
