import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [LINE, CHARACTER, MARGIN] = [19, 8.43, 18];
const COLOURS: readonly (readonly [RegExp, string])[] = [
  [/^\$ /, "#9ecbff"],
  [/^DENY|^fail|^ +(?:BLOCKED|NOT ACCEPTED)|^ +-  /, "#ff7b72"],
  [/^ASK|^warn/, "#e3b341"],
  [/^ALLOW|^ok|^ +(?:ACCEPTED|VERIFIED)|^ +\+  /, "#7ee787"],
];

/** Draws the actual output of one of our commands as a terminal in an SVG. Usage: terminal-picture.ts OUT.svg WORD… */
function main([out = "", ...words]: readonly string[]): void {
  const { stdout } = spawnSync(join(root, "bin/signalbox"), words, { encoding: "utf8", cwd: root });
  const shown = words.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)).join(" ");
  const lines = [`$ signalbox ${shown}`, ...stdout.trimEnd().split("\n")];
  const width = Math.max(...lines.map((line) => line.length)) * CHARACTER + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.map((line, index) => {
    const colour = COLOURS.find(([pattern]) => pattern.test(line))?.[1] ?? "#d6dde4";
    return `<text x="${MARGIN}" y="${MARGIN + (index + 0.75) * LINE}" fill="${colour}" xml:space="preserve">${escaped(line)}</text>`;
  });
  const style = 'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14"';
  const frame = `<rect width="100%" height="100%" rx="10" fill="#161b22"/>`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${height}" ${style}>`;
  writeFileSync(join(root, out), `${open}\n${frame}\n${texts.join("\n")}\n</svg>\n`);
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

main(process.argv.slice(2));
