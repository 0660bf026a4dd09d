import { once } from "node:events";

/** Writes one line of JSON to standard output, and waits when the reader is slower than we are. */
export const printLine = (value: unknown): Promise<void> => printText(`${JSON.stringify(value)}\n`);

/**
 * Writes to standard output, and waits when the reader is slower than we are. Does not wait for a reader that is gone.
 */
export async function printText(text: string): Promise<void> {
  const { stdout } = process;
  if (stdout.destroyed || stdout.write(text)) return;
  // A reader that is gone never drains, and nobody will see the rest.
  await Promise.race([once(stdout, "drain"), once(stdout, "close")]).catch(() => {});
}
