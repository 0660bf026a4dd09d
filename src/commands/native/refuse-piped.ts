import { fstatSync } from "node:fs";
import { once } from "node:events";
import { say } from "../../lib/say.ts";
import { UserError } from "../../lib/user-error.ts";

/** Long enough for a program started together with us to write its first byte. */
const FIRST_BYTE_MS = 500;

/**
 * Refuses piped input where nothing reads it, because it would be dropped silently. A silent pipe, as in CI, does not
 * delay anything; input that arrives later is reported but not read.
 */
export async function refusePiped(fix: string): Promise<void> {
  if (!stdinIsPipe()) return;
  const { stdin } = process;
  const patience = AbortSignal.timeout(FIRST_BYTE_MS);
  // Neither an idle pipe nor a full one may keep the process alive.
  stdin.on("error", () => {});
  const first = once(stdin, "data", { signal: patience }).catch(() => undefined);
  const ended = once(stdin, "end", { signal: patience }).catch(() => undefined);
  const came = await Promise.race([first, ended]);
  stdin.pause();
  if (came !== undefined && came.length > 0) {
    stdin.destroy();
    throw new UserError("more than one prompt was given", { where: "stdin is a pipe that is not empty", fix });
  }
  if (stdin.readableEnded) return;
  stdin.once("data", () => {
    say("piped input is ignored because a task was already given");
    stdin.destroy();
  });
  stdin.resume();
  if ("unref" in stdin) stdin.unref();
}

function stdinIsPipe(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
