import { once } from "node:events";

/** Writes one line of JSON to standard output, and waits when its reader is slower than we are. */
export async function printLine(value: unknown): Promise<void> {
  const { stdout } = process;
  if (stdout.destroyed || stdout.write(`${JSON.stringify(value)}\n`)) return;
  // A reader that is gone does not drain; what follows is for nobody.
  await Promise.race([once(stdout, "drain"), once(stdout, "close")]).catch(() => {});
}
