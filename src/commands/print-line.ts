import { once } from "node:events";

/** Writes one line of JSON to standard output, and waits when its reader is slower than we are. */
export const printLine = (value: unknown): Promise<void> => printText(`${JSON.stringify(value)}\n`);

/** Writes to standard output, and waits when its reader is slower than we are. One that is gone is not waited for. */
export async function printText(text: string): Promise<void> {
  const { stdout } = process;
  if (stdout.destroyed || stdout.write(text)) return;
  // A reader that is gone does not drain; what follows is for nobody.
  await Promise.race([once(stdout, "drain"), once(stdout, "close")]).catch(() => {});
}
