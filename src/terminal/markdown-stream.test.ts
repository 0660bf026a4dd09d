import { expect, test } from "vitest";
import { MarkdownStream } from "./markdown-stream.ts";
import { styleFor } from "./style.ts";

const style = styleFor({ NO_COLOR: "1" });
// oxlint-disable-next-line no-control-regex -- colours
const plain = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\u001b\[\d*m/g, ""));

const TEXT = `# Title

A paragraph with **bold** and \`code\`
that goes on.

1. first
2. second
   - nested

5. fifth

| a | b |
| - | - |
| 1 | 2 |

\`\`\`js
const x = 1;

  indented
\`\`\`

> quoted
`;

const SHOWN = [
  "Title",
  "",
  "A paragraph with bold and code",
  "that goes on.",
  "",
  "1. first",
  "2. second",
  "    - nested",
  "",
  "5. fifth",
  "",
  "┌───┬───┐",
  "│ a │ b │",
  "├───┼───┤",
  "│ 1 │ 2 │",
  "└───┴───┘",
  "",
  "```js",
  "  const x = 1;",
  "",
  "    indented",
  "```",
  "",
  "│ quoted",
];

function streamed(pieces: readonly string[]) {
  const stream = new MarkdownStream(style);
  const lines: string[] = [];
  for (const piece of pieces) {
    stream.push(piece);
    lines.push(...stream.take(80));
    stream.live(80);
  }
  stream.end();
  return plain([...lines, ...stream.take(80)]);
}

test("headings, lists, tables, code and quotes; in one piece and letter by letter", () => {
  expect(streamed([TEXT])).toEqual(SHOWN);
  expect(streamed(TEXT.split(""))).toEqual(SHOWN);
});

test("what may still change is shown as it looks now, and is not done", () => {
  const stream = new MarkdownStream(style);
  stream.push("Done.\n\nHalf a **para");
  expect(plain(stream.take(80))).toEqual(["Done.", ""]);
  expect(plain(stream.live(80))).toEqual(["Half a **para"]);
  stream.push("graph**");
  expect(plain(stream.live(80))).toEqual(["Half a paragraph"]);
});

test("one line of a megabyte is done in parts, and all of it is shown", () => {
  const stream = new MarkdownStream(style);
  const shown: string[] = [];
  for (let index = 0; index < 200; index++) {
    stream.push("word ".repeat(1_000));
    shown.push(...stream.take(80));
    expect(stream.live(80).join(" ").length).toBeLessThan(20_000);
  }
  stream.end();
  shown.push(...stream.take(80));
  expect(shown.join(" ").match(/word/g)).toHaveLength(200_000);
});

test("a link shows where it leads", () => {
  expect(streamed(["[the docs](https://example.org/x)\n"])).toEqual(["the docs (https://example.org/x)"]);
});
