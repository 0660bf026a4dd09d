import { printable } from "./printable.ts";

/** Text as one printable line of at most `most` characters. */
export function shortLine(text: string, most: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
