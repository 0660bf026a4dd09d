import { once } from "node:events";
import { existsSync } from "node:fs";
import { openTerminal, runLineMode } from "../hosts/native/line-mode.ts";
import { nativeOpener, type NativeSettings } from "../hosts/native/open-native.ts";
import { runTask } from "../hosts/native/one-task.ts";
import { stopOnSignal } from "../hosts/native/stop-on-signal.ts";
import { say } from "../lib/say.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { findSession, logPath, sessionsFolder } from "../sessions/folder.ts";
import { readLog } from "../sessions/read-log.ts";

interface Place {
  readonly cwd: string;
  readonly resume: string | undefined;
}

/** One task without anyone to ask. */
export async function workOn(
  settings: NativeSettings,
  { cwd, resume, prompt, json }: Place & { readonly prompt: string | undefined; readonly json: boolean },
): Promise<number> {
  await using session = await nativeOpener(settings)({ cwd: folderOf(settings, { cwd, resume }), resume, prompt });
  const { conversation } = session;
  if (!conversation.unfinished) {
    say("this session has nothing left to do; give it a prompt");
    return EXIT.ok;
  }
  using stop = stopOnSignal();
  const code = await runTask(conversation, { out: write, say, json }, stop.signal);
  return stop.code() ?? code;
}

/** A conversation on the terminal. */
export async function talk(settings: NativeSettings, { cwd, resume }: Place): Promise<number> {
  using terminal = openTerminal(process.stdin, process.stdout);
  const { askPerson, askUser } = terminal;
  const place = { cwd: folderOf(settings, { cwd, resume }), resume, askPerson, askUser };
  await using session = await nativeOpener(settings)(place);
  return await runLineMode(session.conversation, terminal);
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** A resumed session goes on where it was held, wherever it is resumed from. */
function folderOf({ home }: NativeSettings, { cwd, resume }: Place): string {
  if (resume === undefined) return cwd;
  const folder = sessionsFolder(home);
  const path = logPath(folder, findSession(folder, resume));
  const held = readLog(path).header?.cwd ?? cwd;
  if (existsSync(held)) return held;
  throw new UserError("the folder in which this session was held is gone", {
    where: held,
    fix: "make it again, or continue a copy in another folder: signalbox sessions fork",
  });
}
