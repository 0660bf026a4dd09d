import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui/dist/autocomplete.js";
import { Editor, type EditorTheme } from "@earendil-works/pi-tui/dist/components/editor.js";
import type { NamedCommand } from "../contract/session-port.ts";
import { printableLine } from "../lib/text/printable.ts";
import { CURSOR, isKey, type LiveScreen } from "./screen.ts";
import type { Style } from "./style.ts";

/** What can be completed. */
export interface Completions {
  readonly commands: () => readonly NamedCommand[];
  readonly files: () => Promise<readonly string[]>;
}

const MAX_SHOWN = 8;

/** The line, or lines, that a person types. */
export class PromptEditor extends Editor {
  readonly #style: Style;
  readonly #completions: Completions;

  constructor(screen: LiveScreen, style: Style, completions: Completions) {
    super(screen, themeFor(style), { autocompleteMaxVisible: MAX_SHOWN });
    this.#style = style;
    this.#completions = completions;
    this.focused = true;
    this.setAutocompleteProvider(providerOf(completions));
  }

  /** Enter completes a command that is not whole yet, instead of sending it. */
  override handleInput(data: string): void {
    const text = this.getText();
    if (!isKey(data, "enter") || !this.isShowingAutocomplete() || !/^\/\S*$/.test(text)) return super.handleInput(data);
    if (!this.#completions.commands().some(({ name }) => name === text)) return super.handleInput("\t");
    super.handleInput("\u001b");
    super.handleInput(data);
  }

  protected override renderTopBorder(_: number, hidden: number): string {
    return hidden === 0 ? "" : this.#style.dim(`↑ ${hidden} more lines`);
  }

  protected override renderBottomBorder(_: number, hidden: number): string {
    return hidden === 0 ? "" : this.#style.dim(`↓ ${hidden} more lines`);
  }

  /** With a prompt instead of borders, and with the terminal's own cursor instead of a drawn one. */
  override render(width: number): string[] {
    const lines = super.render(Math.max(1, width - 2)).filter((line) => line !== "");
    return lines.map((line, index) => `${index === 0 ? this.#style.cyan("❯") : " "} ${withoutDrawn(line)}`);
  }
}

// oxlint-disable-next-line no-control-regex -- the codes around the drawn cursor
const DRAWN = /\u001b\[7m([^\u001b]*)\u001b\[0m/;

const withoutDrawn = (line: string) => (line.includes(CURSOR) ? line.replace(DRAWN, "$1").trimEnd() : line.trimEnd());

function themeFor(style: Style): EditorTheme {
  const plain = (text: string) => text;
  return {
    borderColor: style.dim,
    selectList: {
      selectedPrefix: style.cyan,
      selectedText: style.cyan,
      description: style.dim,
      scrollInfo: style.dim,
      noMatch: plain,
    },
  };
}

const MAX_ITEMS = 50;

function providerOf({ commands, files }: Completions): AutocompleteProvider {
  return {
    async getSuggestions(lines, line, column) {
      const before = (lines[line] ?? "").slice(0, column);
      if (line === 0 && /^\/\S*$/.test(before)) return found(before, commandItems(commands(), before));
      const [, query] = /(?:^|\s)@(\S*)$/.exec(before) ?? [];
      return query === undefined ? null : found(`@${query}`, fileItems(await files(), query));
    },
    applyCompletion(...[lines, line, column, { value }, prefix]) {
      const text = lines[line] ?? "";
      const before = `${text.slice(0, column - prefix.length)}${value} `;
      const after = text.slice(column).replace(/^ /, "");
      return {
        lines: lines.map((each, index) => (index === line ? before + after : each)),
        cursorLine: line,
        cursorCol: before.length,
      };
    },
    shouldTriggerFileCompletion: () => true,
  };
}

const found = (prefix: string, items: AutocompleteItem[]) => (items.length === 0 ? null : { prefix, items });

const commandItems = (commands: readonly NamedCommand[], typed: string): AutocompleteItem[] =>
  commands
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, description }) => ({ value: name, label: name, description: printableLine(description) }));

/** Files whose name begins with what was typed come first, then those that contain it. */
function fileItems(files: readonly string[], typed: string): AutocompleteItem[] {
  const query = typed.toLowerCase();
  const ranked = files.flatMap((path) => {
    const lower = path.toLowerCase();
    const name = lower.slice(lower.lastIndexOf("/") + 1);
    if (!lower.includes(query)) return [];
    return [{ path, rank: name.startsWith(query) ? 0 : lower.startsWith(query) ? 1 : name.includes(query) ? 2 : 3 }];
  });
  return ranked
    .toSorted((one, other) => one.rank - other.rank || one.path.length - other.path.length)
    .slice(0, MAX_ITEMS)
    .map(({ path }) => ({ value: /\s/.test(path) ? `"${path}"` : `@${path}`, label: printableLine(path) }));
}

/** What the keys do, for `/help`. */
export const KEYS = `
Enter         send; while it works: for its next request
Tab           complete /commands and @files; while it works: send when it is done
Shift-Enter   a new line, like Alt-Enter, Ctrl-J or \\ and Enter
Up            edit what waits; in an empty line: what you asked before (Ctrl-R searches)
Esc           interrupt
Ctrl-C        clear the line, then interrupt; twice on an empty line: leave
Ctrl-D        on an empty line: leave
Shift-Tab     the next mode: ask, plan, auto
Ctrl-G        edit the prompt in $EDITOR
Ctrl-O        show what was folded, the last first
Ctrl-Z        suspend
`;
