import { once } from "node:events";
import { constants } from "node:os";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import manifest from "../../package.json" with { type: "json" };
import { acpAgent } from "../hosts/native/acp/acp-agent.ts";
import { openTerminal, runLineMode } from "../hosts/native/line-mode.ts";
import { nativeOpener, type NativeSettings } from "../hosts/native/open-native.ts";
import { runTask } from "../hosts/native/one-task.ts";
import { say } from "../lib/say.ts";
import { EXIT } from "../lib/user-error.ts";
import { sessionsFolder } from "../sessions/folder.ts";
import { listSessions } from "../sessions/list.ts";

interface Place {
  readonly cwd: string;
  readonly resume: string | undefined;
}

/** One task without anyone to ask. */
export async function workOn(
  settings: NativeSettings,
  { cwd, resume, prompt, json }: Place & { readonly prompt: string | undefined; readonly json: boolean },
): Promise<number> {
  await using session = await nativeOpener(settings)({ cwd, resume });
  const { conversation } = session;
  if (prompt !== undefined) conversation.add(prompt);
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
  await using session = await nativeOpener(settings)({ cwd, resume, askPerson, askUser });
  return await runLineMode(session.conversation, terminal);
}

/** Serves an editor until it closes our input. */
export async function serveEditor(settings: NativeSettings): Promise<number> {
  await using agent = acpAgent({
    version: manifest.version,
    open: nativeOpener(settings),
    list: () => listSessions(sessionsFolder(settings.home)),
  });
  using stop = stopOnSignal();
  const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
  const connection = agent.app.connect(stream);
  await Promise.race([connection.closed, stop.stopped]);
  connection.close();
  return stop.code() ?? EXIT.ok;
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

interface Stop extends Disposable {
  readonly signal: AbortSignal;
  readonly stopped: Promise<void>;
  /** 128 and the number of the signal that came, as shells count. */
  code(): number | undefined;
}

/** Turns the first signal into an interruption; a second one ends the process as it always does. */
function stopOnSignal(): Stop {
  const abort = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let code: number | undefined;
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const handlers = names.map((name) => {
    const handler = () => {
      code ??= 128 + constants.signals[name];
      abort.abort(new Error(`interrupted by ${name}`));
      stopped.resolve();
    };
    process.once(name, handler);
    return [name, handler] as const;
  });
  return {
    signal: abort.signal,
    stopped: stopped.promise,
    code: () => code,
    [Symbol.dispose]() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
