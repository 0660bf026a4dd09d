import type { BoardEntry } from "../contract/board-entry.ts";
import { visibleOwner } from "../lib/process/folder-owner.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { askToCancel, findRun } from "../receipts/run/known-runs.ts";
import { launchFolder } from "./launches.ts";

/** Asks the signalbox of a launch or run to end it. It takes the whole process tree with it. */
export function stopEntry(home: string, { kind, id, isLive }: BoardEntry): void {
  const refuse = (what: string, fix: string) => new UserError(what, { where: id, fix, exitCode: EXIT.refused });
  if (!isLive) throw refuse("it is not running", "nothing to do");
  switch (kind) {
    case "run":
      return askToCancel(findRun(home, id), "stopped from the board");
    case "launch": {
      const folder = launchFolder(home, id);
      const pid = folder === undefined ? undefined : visibleOwner(folder);
      if (pid === undefined) throw refuse("its process cannot be seen from here", "end it in its own terminal");
      process.kill(pid, "SIGTERM");
      return;
    }
    default:
      throw refuse("a conversation of native ends in its own terminal", "press Ctrl-C there");
  }
}
