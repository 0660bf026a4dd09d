import { once } from "node:events";

/** Writes one line of JSON to standard output, and waits when its reader is slower than we are. */
export async function printLine(value: unknown): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(value)}\n`)) await once(process.stdout, "drain");
}
