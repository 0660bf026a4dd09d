import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { readStdin, stdinKind } from "../../launch/read-prompt.ts";
import { errorCode } from "../../lib/error-code.ts";
import { randomId } from "../../lib/random-id.ts";
import { say } from "../../lib/say.ts";
import { isUserError, UserError } from "../../lib/user-error.ts";

/**
 * How long the first byte may take. A shell connects its commands with pipes, and the one before us may be slow.
 * A socket is what Node gives its children by default, usually without ever writing to it.
 */
const FIRST_BYTE_MS = { pipe: 3000, socket: 500 };

/**
 * What is piped in beside a task; undefined if nothing is. A pipe that stays silent, as in many CI systems, is left
 * alone after a while, so that it cannot hold up the task for ever; what arrives later is reported but not read.
 */
export async function readPipedInput(): Promise<Buffer | undefined> {
  const kind = stdinKind();
  if (kind === undefined) return undefined;
  if (kind === "file" || (await startsWithin(FIRST_BYTE_MS[kind]))) return await waitForPipedInput();
  reportLateInput();
  return undefined;
}

/** All of stdin, however long it takes. */
export async function waitForPipedInput(): Promise<Buffer> {
  try {
    return await readStdin("reading piped input until it ends (Ctrl-C stops)");
  } catch (cause) {
    if (isUserError(cause)) throw cause;
    const fix = "pass the input by --prompt-file, or none: < /dev/null";
    throw new UserError(`cannot read the piped input (${errorCode(cause) ?? String(cause)})`, { fix, cause });
  }
}

/** True when stdin has data, has ended or has failed in time. */
async function startsWithin(milliseconds: number): Promise<boolean> {
  const patience = AbortSignal.timeout(milliseconds);
  // What failed is found again by whoever reads.
  await once(process.stdin, "readable", { signal: patience }).catch(() => undefined);
  return process.stdin.readableLength > 0 || !patience.aborted;
}

/** Neither an idle pipe nor a full one may keep the process alive. */
function reportLateInput(): void {
  const { stdin } = process;
  stdin.on("error", () => {});
  stdin.once("data", () => {
    say("piped input came too late and is ignored; signalbox native --prompt-file - waits for it");
    stdin.destroy();
  });
  stdin.resume();
  if ("unref" in stdin) stdin.unref();
}

/** A task and what was piped in beside it, as one prompt. An empty one of the two adds nothing. */
export function joinPiped(task: Buffer | undefined, piped: Buffer | undefined): Buffer | undefined {
  if (piped === undefined || isBlank(piped)) return task;
  if (!isUtf8(piped)) {
    const fix = "convert it, for example with iconv; save binary data to a file and name the file in the task";
    throw new UserError("the piped input is not valid UTF-8", { where: "stdin", fix });
  }
  if (task === undefined || isBlank(task)) return piped;
  // The piped text must not be able to end its own part of the prompt.
  let mark = "stdin";
  while (piped.includes(`</${mark}`)) mark = `stdin-${randomId().slice(0, 8)}`;
  const end = piped.at(-1) === LINE_FEED ? "" : "\n";
  return Buffer.concat([task, Buffer.from(`\n\n<${mark}>\n`), piped, Buffer.from(`${end}</${mark}>`)]);
}

const LINE_FEED = 10;
const SPACE = 32;

const isBlank = (text: Buffer) => !text.some((byte) => byte > SPACE);
