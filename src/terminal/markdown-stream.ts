import { Markdown, type MarkdownTheme } from "@earendil-works/pi-tui/dist/components/markdown.js";
import { type Highlighter, highlighter } from "./highlight.ts";
import { wrapped } from "./screen.ts";
import type { Style } from "./style.ts";

/** Text that arrives in pieces. A paragraph, list, table or line of code is done when what follows cannot change it. */
export interface MarkdownStream {
  push(text: string): void;
  /** Nothing more will come. */
  end(): void;
  /** The lines that are done, once. */
  take(width: number): readonly string[];
  /** The rest, as it looks now. */
  live(width: number): readonly string[];
}

/** A paragraph without an end must not be parsed again and again. */
const MAX_BLOCK = 6_000;

const FENCE = /^(\s*)(`{3,}|~{3,})(.*)$/;

interface Fence {
  readonly indent: string;
  readonly mark: string;
  readonly highlight: Highlighter;
}

export function markdownStream(style: Style): MarkdownStream {
  const theme = themeFor(style);
  /** Whole lines of a block that may go on. */
  let block: string[] = [];
  let blockLength = 0;
  let rest = "";
  let fence: Fence | undefined;
  /** What is done and was not taken yet. */
  let done: ((width: number) => readonly string[])[] = [];

  const flush = () => {
    const text = block.join("\n");
    if (text.trim() !== "") done.push((width) => markdownLines(text, width, theme));
    block = [];
    blockLength = 0;
  };
  const codeLine = (line: string, open: Fence) => {
    const text = line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart();
    return `${open.indent}  ${open.highlight(text)}`;
  };
  const take = (line: string) => {
    const [, indent = "", mark = "", info = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      const isEnd = mark !== "" && mark.startsWith(fence.mark) && info.trim() === "";
      const shown = isEnd ? style.dim(`${fence.indent}${fence.mark}`) : codeLine(line, fence);
      done.push((width) => wrapped(shown, width));
      if (isEnd) fence = undefined;
    } else if (mark !== "" && !info.includes("`")) {
      flush();
      fence = { indent, mark, highlight: highlighter(info, style) };
      const shown = style.dim(`${indent}${mark}${info}`);
      done.push((width) => wrapped(shown, width));
    } else if (line.trim() === "") {
      flush();
      done.push(BLANK);
    } else {
      block.push(line);
      blockLength += line.length + 1;
      if (blockLength > MAX_BLOCK) flush();
    }
  };
  return {
    push(text) {
      rest += text;
      for (let at = rest.indexOf("\n"); at !== -1; at = rest.indexOf("\n")) {
        take(rest.slice(0, at));
        rest = rest.slice(at + 1);
      }
      while (rest.length > MAX_BLOCK) {
        const space = rest.lastIndexOf(" ", MAX_BLOCK);
        const length = space > 0 ? space + 1 : MAX_BLOCK;
        take(rest.slice(0, length));
        rest = rest.slice(length);
      }
    },
    end() {
      if (rest !== "") take(rest);
      rest = "";
      flush();
      fence = undefined;
    },
    take(width) {
      const lines = done.flatMap((part) => [...part(width)]);
      done = [];
      return lines;
    },
    live(width) {
      if (fence !== undefined) return rest === "" ? [] : wrapped(`${fence.indent}  ${rest}`, width);
      return markdownLines([...block, rest].join("\n"), width, theme);
    },
  };
}

const BLANK = () => [""];

const OPTIONS = { preserveOrderedListMarkers: true, preserveBackslashEscapes: true, renderLatex: false };

/** A whole text at once. */
export function markdownLines(text: string, width: number, theme: MarkdownTheme): readonly string[] {
  if (text.trim() === "") return [];
  const shown = new Markdown(text, 0, 0, theme, undefined, OPTIONS).render(Math.max(1, width));
  return shown.map((line) => line.replace(/ +$/, ""));
}

function themeFor(style: Style): MarkdownTheme {
  const plain = (text: string) => text;
  return {
    heading: style.cyan,
    link: style.blue,
    linkUrl: style.dim,
    code: style.yellow,
    codeBlock: plain,
    codeBlockBorder: style.dim,
    quote: style.dim,
    quoteBorder: style.dim,
    hr: style.dim,
    listBullet: style.cyan,
    bold: style.bold,
    italic: style.italic,
    strikethrough: style.dim,
    underline: style.underline,
  };
}
