// Its parts by file: the package as a whole would also load another renderer.
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { setCapabilities } from "@earendil-works/pi-tui/dist/terminal-image.js";
import { ProcessTerminal } from "@earendil-works/pi-tui/dist/terminal.js";
import { TuiMainScreen } from "@earendil-works/pi-tui/dist/tui-main-screen.js";
import { CURSOR_MARKER } from "@earendil-works/pi-tui/dist/tui.js";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import { printable } from "../lib/text/printable.ts";
import { asciiOnly } from "./style.ts";

/** What the screen shows: lines that are done go into the terminal's own scrollback, the others stay below them. */
export interface ScreenLines {
  /** The lines that will not change any more, once. */
  readonly take: (width: number) => readonly string[];
  /** The lines that may still change. */
  readonly live: (width: number, height: number) => readonly string[];
  /** Gets every key, whole. */
  readonly onKey: (key: string) => void;
}

type KeyName = Parameters<typeof matchesKey>[1];

/** Whether what was typed is this key, in every encoding that terminals use. */
export const isKey = (typed: string, ...names: readonly KeyName[]): boolean =>
  names.some((name) => matchesKey(typed, name));

/** Text broken into lines of at most `width` columns, each with the codes that are in force. */
export const wrapped = (text: string, width: number): readonly string[] => wrapTextWithAnsi(text, Math.max(1, width));

/** The beginning of a line that fits. */
export const cut = (line: string, width: number): string =>
  visibleWidth(line) <= width ? line : truncateToWidth(line, Math.max(1, width), width > 1 ? "…" : "");

export const widthOf = visibleWidth;

/** Marks where the cursor is. */
export const CURSOR = CURSOR_MARKER;

/** What is ours in a line: colours, and the mark of the cursor. */
// oxlint-disable-next-line no-control-regex -- these are control sequences
const OURS = /(\u001b\[[\d;]*m|\u001b_pi:c\u0007)/;

/** A line that cannot steer the terminal, whatever text is in it, and that fits. */
export function safeLine(line: string, width: number): string {
  const text = line
    .split(OURS)
    .map((part, index) => (index % 2 === 1 ? part : printable(part.replaceAll(/[\t\n]/g, " "))))
    .join("");
  return visibleWidth(text) <= width ? text : truncateToWidth(text, width, "");
}

/** Writes in place of the library, which would keep a log where a variable says so. */
class Wire extends ProcessTerminal {
  readonly #isUtf8: boolean;

  constructor(isUtf8: boolean) {
    super();
    this.#isUtf8 = isUtf8;
  }

  override write(data: string): void {
    process.stdout.write(this.#isUtf8 ? data : asciiOnly(data));
  }
}

const [CLEAR_BELOW, CLEAR_LINE, HIDE, SHOW] = ["\u001b[J", "\u001b[K", "\u001b[?25l", "\u001b[?25h"];
const [BEGIN, END] = ["\u001b[?2026h", "\u001b[?2026l"];

/**
 * The lower end of the main screen. In contrast to the library's own, it never clears the scrollback, and it forgets
 * lines that are done, so that neither time nor memory grows with a session.
 */
export class LiveScreen extends TuiMainScreen {
  readonly #frame: ScreenLines;
  /** The live lines as they are on the screen, and where the cursor is among them. */
  #shown: readonly string[] = [];
  #row = 0;
  #column = 0;
  #size = { columns: 0, rows: 0 };
  #hasCursor = true;
  #isFinished = false;

  constructor(frame: ScreenLines, isUtf8: boolean) {
    // A link shows its address instead of hiding it in a control sequence.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    super(new Wire(isUtf8));
    this.#frame = frame;
    this.setFocus({ render: () => [], invalidate: () => {}, handleInput: frame.onKey });
  }

  /** Ends with what is done; the prompt goes away. */
  finish(): void {
    if (this.stopped) return;
    this.#isFinished = true;
    this.renderNow();
    this.stop();
  }

  /** Forgets what is on the screen, after something else has written there. */
  forget(): void {
    this.#shown = [];
    this.#row = 0;
  }

  /** The library hides the cursor when it starts. */
  protected override beforeTerminalStart(): void {
    this.#hasCursor = false;
  }

  protected override beforeTerminalStop(): void {
    const end = this.#isFinished ? "" : `${this.#down(this.#shown.length - 1 - this.#row)}\r\n`;
    this.terminal.write(`${end}${SHOW}`);
    this.forget();
  }

  protected override resetRenderState(): void {
    this.terminal.write(`${this.#down(-this.#row)}\r${CLEAR_BELOW}`);
    this.forget();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const { columns, rows } = this.terminal;
    const isResized = columns !== this.#size.columns || rows !== this.#size.rows;
    const fit = (line: string) => safeLine(line, columns);
    const done = this.#frame.take(columns).map(fit);
    const live = this.#isFinished ? [] : this.#frame.live(columns, rows).slice(-rows).map(fit);
    if (live.length === 0) live.push("");
    const cursor = takeCursor(live);
    const begin = isResized && this.#shown.length > 0 ? this.#erase(columns, rows) : "";
    if (isResized) this.forget();
    this.#size = { columns, rows };
    const body = this.#changes([...done, ...live]);
    this.#row -= done.length;
    this.#shown = live;
    const end = this.#place(cursor, body !== "");
    if (begin + body + end !== "")
      this.terminal.write(body === "" ? begin + end : `${BEGIN}${begin}${body}${end}${END}`);
  }

  /** Clears the live lines after the terminal has broken them anew for its new width. */
  #erase(columns: number, rows: number): string {
    const rowsOf = (line: string) => Math.max(1, Math.ceil(visibleWidth(line) / columns));
    const above = this.#shown.slice(0, this.#row).reduce((sum, line) => sum + rowsOf(line), 0);
    return `\r${this.#down(-Math.min(rows - 1, above + Math.floor(this.#column / columns)))}${CLEAR_BELOW}`;
  }

  /** Writes the lines that differ, and leaves the cursor at the last one written. */
  #changes(next: readonly string[]): string {
    const old = this.#shown;
    const [first, last] = differing(old, next);
    if (first > last && next.length === old.length) return "";
    const isNew = first >= old.length && old.length > 0;
    const from = isNew ? old.length - 1 : Math.min(first, last + 1);
    let text = `${this.#down(from - this.#row)}${isNew ? "\r\n" : "\r"}`;
    for (let row = first; row <= last; row++)
      text += `${row > first ? "\r\n" : ""}${row < old.length ? CLEAR_LINE : ""}${next[row]}`;
    this.#row = Math.max(first, last);
    this.#column = 0;
    if (next.length >= old.length) return text;
    // Only what is below goes away.
    if (first > last) this.#row = first - 1;
    return `${text}${first > last ? "" : "\r\n"}${CLEAR_BELOW}${this.#down(-1)}`;
  }

  #place(cursor: Cursor | undefined, isMoved: boolean): string {
    if (cursor === undefined) {
      const was = this.#hasCursor;
      this.#hasCursor = false;
      return was ? HIDE : "";
    }
    const { row, column } = cursor;
    const show = this.#hasCursor ? "" : SHOW;
    this.#hasCursor = true;
    if (row === this.#row && column === this.#column && !isMoved) return show;
    const text = `${this.#down(row - this.#row)}\u001b[${column + 1}G${show}`;
    this.#row = row;
    this.#column = column;
    return text;
  }

  #down(rows: number): string {
    if (rows === 0) return "";
    return rows > 0 ? `\u001b[${rows}B` : `\u001b[${-rows}A`;
  }
}

/** The first and the last line to write. All from the first on, where lines were added or removed. */
function differing(old: readonly string[], next: readonly string[]): readonly [first: number, last: number] {
  let first = 0;
  while (first < next.length && first < old.length && next[first] === old[first]) first++;
  let last = next.length - 1;
  if (next.length === old.length) while (last >= first && next[last] === old[last]) last--;
  return [first, last];
}

interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** Where the cursor's mark is, which is taken out. */
function takeCursor(lines: string[]): Cursor | undefined {
  const row = lines.findIndex((line) => line.includes(CURSOR_MARKER));
  const [before = "", ...after] = lines[row]?.split(CURSOR_MARKER) ?? [];
  if (row === -1) return undefined;
  lines[row] = before + after.join("");
  return { row, column: visibleWidth(before) };
}
