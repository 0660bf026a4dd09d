import { join } from "node:path";
import { endLeftWork } from "../../lib/process/left-work.ts";

/** Where sessions record the mark that their commands' processes carry. */
export const commandMarks = (home: string) => join(home, "commands");

/**
 * Ends the commands of sessions that were killed, and reports it. Leaves alone those of a session that may be alive.
 */
export async function endLeftCommands(home: string, say: (text: string) => void): Promise<void> {
  const ended = await endLeftWork(commandMarks(home));
  if (ended > 0) say(`ended ${ended} ${ended === 1 ? "process" : "processes"} that a killed session had left running`);
}
