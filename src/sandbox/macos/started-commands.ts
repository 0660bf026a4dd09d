import { rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { atExit } from "../../lib/process/at-exit.ts";
import { killTree } from "../../lib/process/end-tree.ts";
import { processTable } from "../../lib/process/process-table.ts";

/** The commands that a session's program recorded by their process id. Disposing of it ends what is left of them. */
export interface StartedCommands extends Disposable {
  /** Forgets commands that ended with everything in their group, before their id can mean another process. */
  forgetEnded(): void;
}

const FORGET_MS = 10_000;

/**
 * Follows the files that commands leave in `folder`, named by process id. Found in the end: commands and their
 * descendants, whatever is left of a group that a command led, and where the system shows environments every process
 * with `mark` in it.
 */
export function followCommands(folder: string, mark: string): StartedCommands {
  const forgetEnded = () => {
    for (const pid of recorded(folder))
      if (!exists(pid) && !exists(-pid)) rmSync(join(folder, String(pid)), { force: true });
  };
  const end = () => {
    forgetEnded();
    const pids = recorded(folder);
    killTree(
      { id: mark },
      processTable(mark).filter(({ pid }) => pids.includes(pid)),
    );
    for (const pid of pids) kill(-pid);
  };
  const timer = setInterval(forgetEnded, FORGET_MS).unref();
  const exit = atExit(end);
  return {
    forgetEnded,
    [Symbol.dispose]() {
      clearInterval(timer);
      exit[Symbol.dispose]();
      end();
    },
  };
}

/** Never 1 or less, which would mean every process of the user. */
const recorded = (folder: string): readonly number[] =>
  namesIn(folder)
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 1);

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Gone, or by now a process of another user.
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It led no group, or the group has ended.
  }
}
