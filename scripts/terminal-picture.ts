import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawTerminal } from "./draw-terminal.ts";
import { nativePictures } from "./native-pictures.ts";

const root = join(import.meta.dirname, "..");
const COLOURS: readonly (readonly [RegExp, string])[] = [
  [/^\$ /, "#9ecbff"],
  [/^DENY|^fail|^ +(?:BLOCKED|NOT ACCEPTED)|^ +-  /, "#ff7b72"],
  [/^ASK|^warn/, "#e3b341"],
  [/^ALLOW|^ok|^ +(?:ACCEPTED|VERIFIED)|^ +\+  /, "#7ee787"],
];

/**
 * Draws the actual output of one of our commands as a terminal in an SVG. Usage: terminal-picture.ts OUT.svg WORD…, or
 * terminal-picture.ts native for the pictures of native.
 */
async function main([out = "", ...words]: readonly string[]): Promise<void> {
  if (out === "native" && words.length === 0) return await nativePictures(join(root, "docs/images"));
  const { stdout } = spawnSync(join(root, "bin/signalbox"), words, { encoding: "utf8", cwd: root });
  const shown = words.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)).join(" ");
  const lines = [`$ signalbox ${shown}`, ...stdout.trimEnd().split("\n")];
  const spans = lines.map((text) => {
    const colour = COLOURS.find(([pattern]) => pattern.test(text))?.[1];
    return [{ text, ...(colour === undefined ? {} : { colour }) }];
  });
  writeFileSync(join(root, out), drawTerminal(spans));
}

await main(process.argv.slice(2));
