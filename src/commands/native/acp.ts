import { Readable, Writable } from "node:stream";
import { MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk";
import manifest from "../../../package.json" with { type: "json" };
import { acpAgent } from "../../native/acp/acp-agent.ts";
import { stopOnSignal } from "../../native/terminal/stop-on-signal.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { sessionIds, sessionsFolder } from "../../native/log/log-folder.ts";
import { listSessions } from "../../native/log/list-sessions.ts";
import { removeSession } from "../../native/log/prune-sessions.ts";
import { textFlag } from "../flags.ts";
import { sealedOpener } from "./sealed-session.ts";
import { nativeSettings } from "./settings.ts";

type Flags = Readonly<Record<string, unknown>>;

/** Serves an editor until it closes our input. Settings are those of each session's own folder. */
export async function serveEditor(flags: Flags): Promise<number> {
  await using agent = acpAgent({
    version: manifest.version,
    settingsFor: (cwd, resume, model) => nativeSettings(withModel(flags, model), resume, cwd),
    opener: sealedOpener,
    list: () => listSessions(sessionsFolder(signalboxHome())),
    remove,
    checkAccess: () => void nativeSettings(flags),
  });
  using stop = stopOnSignal();
  const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
  const connection = agent.app.connect(stream);
  await Promise.race([connection.closed, stop.stopped]);
  const { reason } = connection.signal;
  connection.close();
  if (!(reason instanceof MessageTooLargeError)) return stop.code() ?? EXIT.ok;
  say(`the editor sent a message that is too long: ${reason.message}`);
  return EXIT.failed;
}

/** A model that was chosen in the editor. An address that was given for another provider is not used for it. */
function withModel(flags: Flags, model: string | undefined): Flags {
  if (model === undefined) return flags;
  const isSame = textFlag(flags, "model")?.split("/")[0] === model.split("/")[0];
  return { ...flags, model, baseUrl: isSame ? flags["baseUrl"] : undefined, effort: undefined };
}

function remove(id: string): boolean {
  const home = signalboxHome();
  if (!sessionIds(sessionsFolder(home)).includes(id)) return false;
  const because = removeSession(home, id);
  if (because === undefined) return true;
  throw new UserError(`session ${id} stays: ${because}`, { fix: "close it where it is open, then try again" });
}
