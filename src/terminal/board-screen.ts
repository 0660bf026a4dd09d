import type { BoardEntry } from "../contract/board-entry.ts";
import { atExit } from "../lib/process/at-exit.ts";
import { printableLine, shortLine } from "../lib/text/printable.ts";
import { boardLine } from "./board-line.ts";
import { cut, isKey, LiveScreen } from "./screen.ts";
import { isUtf8Terminal, type Style, styleFor } from "./style.ts";

/** What the person chose to do with an entry. */
export type BoardChoice = { readonly act: "quit" } | { readonly act: "restore"; readonly entry: BoardEntry };

export interface BoardParts {
  readonly environment: NodeJS.ProcessEnv;
  /** What is shown of an entry that is opened, as plain lines. */
  readonly open: (entry: BoardEntry) => readonly string[];
  /** Ends an entry. Returns what to say about it. */
  readonly stop: (entry: BoardEntry) => string;
  readonly chosen: (choice: BoardChoice) => void;
}

interface Shown {
  readonly entries: readonly BoardEntry[];
  readonly problems: readonly string[];
}

const KEYS = "up/down choose  enter open  s stop  r restore  q quit";
const OPEN_KEYS = "up/down scroll  esc back  s stop  r restore  q quit";

/** The board on the terminal: a list, or one entry of it that is open. */
export class BoardScreen {
  readonly #parts: BoardParts;
  readonly #style: Style;
  readonly #screen: LiveScreen;
  readonly #open = new DisposableStack();
  #board: Shown = { entries: [], problems: [] };
  /** By id, because lines move. */
  #selected = "";
  #isOpen = false;
  #scroll = 0;
  #asksToStop = false;
  #note = "";
  #height = 24;

  constructor(parts: BoardParts) {
    this.#parts = parts;
    this.#style = styleFor(parts.environment);
    const frame = {
      take: () => [],
      live: (width: number, height: number) => this.#lines(width, height),
      onKey: (key: string) => this.#onKey(key),
    };
    this.#screen = new LiveScreen(frame, isUtf8Terminal(parts.environment));
    this.#open.use(atExit(() => this.#screen.finish()));
    this.#screen.start();
  }

  show(board: Shown): void {
    this.#board = board;
    this.#screen.requestRender();
  }

  [Symbol.dispose](): void {
    this.#screen.finish();
    this.#open[Symbol.dispose]();
  }

  #entry(): BoardEntry | undefined {
    const { entries } = this.#board;
    return entries.find(({ id }) => id === this.#selected) ?? entries[0];
  }

  #onKey(key: string): void {
    const entry = this.#entry();
    if (this.#asksToStop) {
      this.#asksToStop = false;
      this.#note = isKey(key, "y") && entry !== undefined ? this.#parts.stop(entry) : "nothing was stopped";
    } else {
      this.#note = "";
      this.#act(key, entry);
    }
    this.#screen.requestRender();
  }

  #act(key: string, entry: BoardEntry | undefined): void {
    if (isKey(key, "q", "ctrl+c", "ctrl+d")) this.#parts.chosen({ act: "quit" });
    else if (isKey(key, "up", "k")) this.#move(-1);
    else if (isKey(key, "down", "j")) this.#move(1);
    else if (isKey(key, "pageUp")) this.#move(4 - this.#height);
    else if (isKey(key, "pageDown", "space")) this.#move(this.#height - 4);
    else if (isKey(key, "escape", "left", "backspace")) this.#isOpen = false;
    else if (entry === undefined) return;
    else if (isKey(key, "enter", "right")) [this.#isOpen, this.#scroll, this.#selected] = [true, 0, entry.id];
    else if (isKey(key, "s") && entry.isLive) this.#asksToStop = true;
    else if (isKey(key, "s")) this.#note = "it is not running";
    else if (isKey(key, "r") && entry.restorable) this.#parts.chosen({ act: "restore", entry });
    else if (isKey(key, "r")) this.#note = "no files of it can be brought back";
  }

  #move(by: number): void {
    if (this.#isOpen) {
      this.#scroll = Math.max(0, this.#scroll + by);
      return;
    }
    const { entries } = this.#board;
    const at = entries.findIndex(({ id }) => id === this.#entry()?.id);
    this.#selected = entries[Math.min(entries.length - 1, Math.max(0, at + by))]?.id ?? "";
  }

  #lines(width: number, height: number): readonly string[] {
    this.#height = height;
    const { dim, yellow } = this.#style;
    const entry = this.#entry();
    const foot = this.#asksToStop
      ? yellow(printableLine(`Stop ${entry?.agent ?? "it"} in ${entry?.folder ?? ""}? y/n`))
      : this.#note === ""
        ? dim(this.#isOpen ? OPEN_KEYS : KEYS)
        : yellow(this.#note);
    const room = height - 3;
    const body = this.#isOpen && entry !== undefined ? this.#opened(entry, room) : this.#list(width, room);
    // The row of the list may have no room for all of it.
    const more = this.#isOpen || entry === undefined ? "" : `${entry.folder}: ${entry.why}`;
    return [...body, "", shortLine(more, width), foot].map((line) => cut(line, width));
  }

  #opened(entry: BoardEntry, room: number): readonly string[] {
    const lines = this.#parts.open(entry);
    this.#scroll = Math.min(this.#scroll, Math.max(0, lines.length - room));
    return lines.slice(this.#scroll, this.#scroll + room).map((line) => paintDiff(line, this.#style));
  }

  #list(width: number, room: number): readonly string[] {
    const { entries, problems } = this.#board;
    const waiting = entries.filter(({ state }) => state === "needs you").length;
    const live = entries.filter(({ isLive }) => isLive).length;
    const head = this.#style.bold(
      `${waiting} need${waiting === 1 ? "s" : ""} you, ${live} live, ${entries.length} shown`,
    );
    const wrong = problems.map((problem) => this.#style.red(problem)).slice(0, 3);
    const space = Math.max(1, room - 1 - wrong.length);
    const at = entries.findIndex(({ id }) => id === this.#entry()?.id);
    const first = Math.max(0, Math.min(at - Math.floor(space / 2), entries.length - space));
    const now = Date.now();
    const rows = entries.slice(first, first + space).map((entry, index) => {
      const line = boardLine(entry, { now, width: width - 2, style: this.#style });
      return first + index === at ? `${this.#style.bold(">")} ${line}` : `  ${line}`;
    });
    const nothing = entries.length === 0 ? ["  nothing yet. Start an agent: signalbox claude"] : [];
    return [head, ...wrong, ...rows, ...nothing];
  }
}

function paintDiff(line: string, { green, red, cyan }: Style): string {
  if (line.startsWith("+")) return green(line);
  if (line.startsWith("-")) return red(line);
  return line.startsWith("@@") ? cyan(line) : line;
}
