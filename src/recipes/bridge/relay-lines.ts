import { stripVTControlCharacters } from "node:util";
import { printable } from "../../lib/printable.ts";

const MAX_LINE = 4096;
const MAX_ALL = 1024 * 1024;

/** Passes on what a program prints, in whole lines and safe for a terminal, up to a limit. */
export function relayLines(write: (lines: string) => void) {
  const decoder = new TextDecoder();
  let pending = "";
  let size = 0;
  return {
    add(chunk: Uint8Array): void {
      if (size > MAX_ALL) return;
      size += chunk.length;
      const lines = (pending + decoder.decode(chunk, { stream: true })).split("\n");
      pending = (lines.pop() ?? "").slice(0, MAX_LINE);
      if (lines.length > 0) write(lines.map(clean).join("\n"));
      if (size <= MAX_ALL) return;
      write("… (the external runner says more, which is not shown)");
      pending = "";
    },
    end(): void {
      if (pending !== "") write(clean(pending));
      pending = "";
    },
  };
}

const clean = (line: string) => printable(stripVTControlCharacters(line.slice(0, MAX_LINE)).replaceAll("\r", ""));
