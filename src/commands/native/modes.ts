import { existsSync } from "node:fs";
import { isatty } from "node:tty";
import manifest from "../../../package.json" with { type: "json" };
import type { SessionEvent } from "../../contract/engine-event.ts";
import type { SessionMove, SessionPort } from "../../contract/session-port.ts";
import type { AskPerson, AskUser } from "../../contract/tool.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { printable } from "../../lib/text/printable.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { findSession, logPath, sessionsFolder } from "../../native/log/log-folder.ts";
import { readLog } from "../../native/log/read-log.ts";
import type { NativeSession } from "../../native/session.ts";
import type { NativeSettings } from "../../native/settings/session-settings.ts";
import { openTerminal, runLineMode } from "../../native/terminal/line-mode.ts";
import { runTask, waitingLine } from "../../native/terminal/one-task.ts";
import { sessionPort } from "../../native/terminal/session-port.ts";
import { leaveOnSignal, stopOnSignal } from "../../native/terminal/stop-on-signal.ts";
import { printText, textFlag } from "../flags.ts";
import { nativeSettings } from "./settings.ts";
import { sealedOpener } from "./sealed-session.ts";
import { watchReader } from "../reader-gone.ts";

interface Place {
  readonly cwd: string;
  readonly resume: string | undefined;
}

/** One task, with nobody to ask. */
export async function workOn(
  settings: NativeSettings,
  { cwd, resume }: Place,
  prompt: string | undefined,
  json: boolean,
): Promise<number> {
  // Until the session has ended, because a second signal also kills the cleanup at its end.
  using listening = new DisposableStack();
  const folder = folderOf(settings, { cwd, resume });
  await using session = await sealedOpener(settings)({ cwd: folder, resume, prompt });
  const { conversation } = session;
  if (!conversation.unfinished) {
    say("nothing left to do in this session; pass a prompt");
    return EXIT.ok;
  }
  const stop = listening.use(stopOnSignal());
  let unwritten: string | undefined;
  const unread = watchReader(process.stdout, (because, full) => {
    if (full && !json) unwritten = because;
    if (json) say(`${because}; resume with: signalbox sessions resume ${conversation.id}`);
    stop.stop("SIGPIPE");
  });
  using waiting = waitingLine(conversation.model);
  const onEvent = (event: SessionEvent) => {
    if (!json) waiting.see(event);
    if (event.type === "tool-start") unread.begun(event.call.id);
    if (event.type === "tool-end") unread.ended(event.result.callId);
  };
  const view = {
    out: (text: string) => waiting.aside(() => printText(text)),
    say: (text: string) => waiting.aside(() => say(text)),
    json,
    onEvent,
  };
  if (json) await printText(`${JSON.stringify(sessionLine(session, folder))}\n`);
  const code = await runTask(conversation, view, stop.signal);
  if (session.mode.current === "plan" && !json)
    say("this was plan mode; to carry it out: signalbox native -c --approve");
  // A failed write is only reported a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  if (unwritten !== undefined && code === EXIT.ok) {
    say(`${unwritten}; the answer is in: signalbox sessions show ${conversation.id}`);
    return EXIT.failed;
  }
  // Work that finished before it could be stopped keeps its own exit code.
  return conversation.outcome?.reason === "aborted" ? (stop.code() ?? code) : code;
}

/** The first line of `--json`: what the events that follow belong to. */
const sessionLine = ({ conversation: { id, model }, tools }: NativeSession, cwd: string) => ({
  type: "session",
  id,
  cwd,
  model,
  tools,
  version: manifest.version,
});

type Flags = Readonly<Record<string, unknown>>;

/** Conversations on the terminal, one after the other. */
export async function talk(first: NativeSettings, { cwd, resume }: Place, flags: Flags): Promise<number> {
  using leaving = leaveOnSignal();
  const terminalFor = wantsPlain(flags) ? plainTerminal : await richTerminal();
  let settings = first;
  let place: Place = { cwd: folderOf(settings, { cwd, resume }), resume };
  for (;;) {
    using terminal = terminalFor();
    const { askPerson, askUser } = terminal;
    const heard = { ...settings, warn: terminal.warn ?? settings.warn };
    let move: SessionMove | undefined;
    let id: string;
    {
      await using session = await sealedOpener(heard, heard.warn)({ ...place, askPerson, askUser });
      id = session.conversation.id;
      using _ = leaving.by(terminal.leave);
      move = await terminal.run(sessionPort(session, { ...settings, cwd: place.cwd }));
    }
    if (move === undefined || leaving.code() !== undefined) return leaving.code() ?? EXIT.ok;
    try {
      place = { cwd: folderOf(settings, { cwd: place.cwd, resume: move.resume }), resume: move.resume };
      const { model = textFlag(flags, "model") } = move;
      settings = nativeSettings({ ...flags, plan: undefined, approve: undefined, model }, move.resume);
    } catch (error) {
      if (!isUserError(error)) throw error;
      say(`${error.message}; ${error.fix}`);
      place = { cwd: place.cwd, resume: id };
    }
  }
}

/** Where a person talks with a session, in lines or drawn. */
interface TalkTerminal extends Disposable {
  readonly askPerson: AskPerson;
  readonly askUser: AskUser;
  readonly run: (port: SessionPort) => Promise<SessionMove | undefined>;
  readonly leave: () => void;
  readonly warn?: (text: string) => void;
}

type OpenTerminal = () => TalkTerminal;

const plainTerminal: OpenTerminal = () => {
  const terminal = openTerminal(process.stdin, process.stdout);
  return {
    ...terminal,
    run: (port) => runLineMode(port, terminal),
    leave: () => terminal.lines.end(),
    [Symbol.dispose]: () => terminal[Symbol.dispose](),
  };
};

/** Its library is loaded only here. */
async function richTerminal(): Promise<OpenTerminal> {
  const terminal = await import("../../terminal/rich-terminal.ts");
  return () => new terminal.RichTerminal(process.env);
}

/** Whether a terminal gets lines only: wanted by the person, or all that it can show. */
const wantsPlain = ({ plain }: Flags): boolean =>
  plain === true ||
  !isatty(1) ||
  process.env["TERM"] === "dumb" ||
  !["", "0", undefined].includes(process.env["SIGNALBOX_PLAIN"]);

/** A resumed session continues in its original folder, wherever it is resumed from. */
function folderOf({ home }: NativeSettings, { cwd, resume }: Place): string {
  if (resume === undefined) return cwd;
  const folder = sessionsFolder(home);
  const path = logPath(folder, findSession(folder, resume, cwd));
  const sessionFolder = readLog(path).header?.cwd ?? cwd;
  if (existsSync(sessionFolder)) {
    if (sessionFolder !== cwd) say(`this session works in ${printable(sessionFolder)}`);
    return sessionFolder;
  }
  throw new UserError("the folder of this session no longer exists", {
    where: sessionFolder,
    fix: "recreate it, or continue a copy in another folder: signalbox sessions fork",
  });
}
