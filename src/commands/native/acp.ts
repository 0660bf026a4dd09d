import { Readable, Writable } from "node:stream";
import { MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk";
import manifest from "../../../package.json" with { type: "json" };
import { acpAgent } from "../../hosts/native/acp/acp-agent.ts";
import type { NativeSettings } from "../../hosts/native/native-settings.ts";
import { nativeOpener } from "../../hosts/native/open-native.ts";
import { stopOnSignal } from "../../hosts/native/stop-on-signal.ts";
import { say } from "../../lib/say.ts";
import { EXIT } from "../../lib/user-error.ts";
import { sessionsFolder } from "../../sessions/folder.ts";
import { listSessions } from "../../sessions/list.ts";

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
  const { reason } = connection.signal;
  connection.close();
  if (!(reason instanceof MessageTooLargeError)) return stop.code() ?? EXIT.ok;
  say(`the editor sent a message that is too long: ${reason.message}`);
  return EXIT.failed;
}
