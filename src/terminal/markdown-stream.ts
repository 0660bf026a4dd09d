import { Markdown, type MarkdownTheme } from "@earendil-works/pi-tui/dist/components/markdown.js";
import { type Highlighter, highlighter } from "./highlight.ts";
import { wrapped } from "./screen.ts";
import type { Style } from "./style.ts";

/** A paragraph without an end must not be parsed again and again. */
const MAX_BLOCK = 6_000;

const FENCE = /^(\s*)(`{3,}|~{3,})(.*)$/;

interface Fence {
  readonly indent: string;
  readonly mark: string;
  readonly highlight: Highlighter;
}

/** Text that arrives in pieces. A paragraph, list, table or line of code is done when what follows cannot change it. */
export class MarkdownStream {
  readonly #style: Style;
  readonly #theme: MarkdownTheme;
  /** Whole lines of a block that may go on. */
  #block: string[] = [];
  #blockLength = 0;
  #rest = "";
  #fence: Fence | undefined;
  /** What is done and was not taken yet. */
  #done: ((width: number) => readonly string[])[] = [];

  constructor(style: Style) {
    this.#style = style;
    this.#theme = themeFor(style);
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
    while (this.#rest.length > MAX_BLOCK) {
      const space = this.#rest.lastIndexOf(" ", MAX_BLOCK);
      const length = space > 0 ? space + 1 : MAX_BLOCK;
      this.#line(this.#rest.slice(0, length));
      this.#rest = this.#rest.slice(length);
    }
  }

  /** Nothing more will come. */
  end(): void {
    if (this.#rest !== "") this.#line(this.#rest);
    this.#rest = "";
    this.#flush();
    this.#fence = undefined;
  }

  /** The lines that are done, once. */
  take(width: number): readonly string[] {
    return this.#done.splice(0).flatMap((part) => [...part(width)]);
  }

  /** The rest, as it looks now. */
  live(width: number): readonly string[] {
    if (this.#fence === undefined) return markdownLines([...this.#block, this.#rest].join("\n"), width, this.#theme);
    return this.#rest === "" ? [] : wrapped(`${this.#fence.indent}  ${this.#rest}`, width);
  }

  #line(line: string): void {
    const [, indent = "", mark = "", info = ""] = FENCE.exec(line) ?? [];
    if (this.#fence !== undefined) {
      const isEnd = mark !== "" && mark.startsWith(this.#fence.mark) && info.trim() === "";
      this.#show(isEnd ? this.#style.dim(`${this.#fence.indent}${this.#fence.mark}`) : codeLine(line, this.#fence));
      if (isEnd) this.#fence = undefined;
    } else if (mark !== "" && !info.includes("`")) {
      this.#flush();
      this.#fence = { indent, mark, highlight: highlighter(info, this.#style) };
      this.#show(this.#style.dim(`${indent}${mark}${info}`));
    } else if (line.trim() === "") {
      this.#flush();
      this.#done.push(BLANK);
    } else {
      this.#block.push(line);
      this.#blockLength += line.length + 1;
      if (this.#blockLength > MAX_BLOCK) this.#flush();
    }
  }

  #show(line: string): void {
    this.#done.push((width) => wrapped(line, width));
  }

  #flush(): void {
    const text = this.#block.join("\n");
    if (text !== "") this.#done.push((width) => markdownLines(text, width, this.#theme));
    this.#block = [];
    this.#blockLength = 0;
  }
}

const codeLine = (line: string, { indent, highlight }: Fence) =>
  `${indent}  ${highlight(line.startsWith(indent) ? line.slice(indent.length) : line.trimStart())}`.trimEnd();

const BLANK = () => [""];

const OPTIONS = { preserveOrderedListMarkers: true, preserveBackslashEscapes: true, renderLatex: false };

function markdownLines(text: string, width: number, theme: MarkdownTheme): readonly string[] {
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
