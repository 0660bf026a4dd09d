import { stripVTControlCharacters } from "node:util";
import { printable } from "../../lib/printable.ts";

const MAX_LINE = 4096;
const MAX_ALL = 4 * 1024 * 1024;

/** Passes on what a program prints, line by line and safe for a terminal, up to a limit. */
export function relayLines(write: (line: string) => void) {
  const decoder = new TextDecoder();
  let pending = "";
  let size = 0;
  const line = (text: string) => {
    if (size > MAX_ALL) return;
    size += text.length + 1;
    write(size > MAX_ALL ? "… (more messages of the external runner are not shown)" : clean(text));
  };
  return {
    add(chunk: Uint8Array): void {
      const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
      const lines = [pending + first, ...rest];
      pending = (lines.pop() ?? "").slice(0, MAX_LINE);
      lines.forEach(line);
    },
    end(): void {
      if (pending !== "") line(pending);
      pending = "";
    },
  };
}

const clean = (text: string) => printable(stripVTControlCharacters(text.slice(0, MAX_LINE)).replaceAll("\r", ""));
