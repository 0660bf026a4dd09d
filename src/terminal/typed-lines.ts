import type { SessionPort } from "../contract/session-port.ts";
import { readTyped } from "../contract/typed-line.ts";
import { shortLine } from "../lib/text/printable.ts";

const MAX_SHOWN = 200;

type LinesPort = Pick<SessionPort, "add" | "withdraw" | "prompts">;

/** What a person has typed: what the model gets with its next request, what waits for the end of the work, and the past. */
export class TypedLines {
  #port: LinesPort | undefined;
  /** Prompts that go to the model with its next request. */
  #steered: readonly { readonly id: string; readonly text: string }[] = [];
  /** Lines for when the work is done. */
  readonly #later: string[] = [];
  readonly #typed: string[] = [];
  #past: readonly string[] | undefined;
  #wake = () => {};

  set port(port: LinesPort) {
    this.#port = port;
  }

  /** During work, a task goes to the model with its next request. Everything else waits, and so does what is `queued`. */
  send(text: string, { isWorking, isQueued }: { readonly isWorking: boolean; readonly isQueued: boolean }): void {
    this.#typed.unshift(text);
    const typed = readTyped(text);
    if (isWorking && !isQueued && typed.kind === "task" && this.#port !== undefined) {
      this.#steered = [...this.#steered, { id: this.#port.add(typed.text), text }];
      return;
    }
    this.#later.push(text);
    this.#wake();
  }

  /** Has whoever waits for the next line look again. */
  wake(): void {
    this.#wake();
  }

  /** The next line to carry out; undefined when `isOver`. */
  async next(isOver: () => boolean): Promise<string | undefined> {
    while (this.#later.length === 0) {
      if (isOver()) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#later.shift();
  }

  /** The model has this prompt now. */
  taken(promptId: string): void {
    this.#steered = this.#steered.filter(({ id }) => id !== promptId);
  }

  /** Takes back what the model has not got, after an interruption. */
  takeBackSteered(): readonly string[] {
    const texts = this.#steered.flatMap(({ id, text }) => (this.#port?.withdraw(id) === true ? [text] : []));
    this.#steered = [];
    return texts;
  }

  /** Takes back the last line that waits, to edit it. */
  takeBackOne(): string | undefined {
    const line = this.#later.pop();
    if (line !== undefined) return line;
    const last = this.#steered.at(-1);
    if (last === undefined || this.#port?.withdraw(last.id) !== true) return undefined;
    this.#steered = this.#steered.slice(0, -1);
    return last.text;
  }

  /** What waits, one line each. */
  waiting(isWorking: boolean): readonly string[] {
    const later = isWorking ? this.#later : [];
    return [
      ...this.#steered.map(({ text }) => `next: ${shortLine(text, MAX_SHOWN)} (up edits it)`),
      ...later.map((text) => `after: ${shortLine(text, MAX_SHOWN)} (up edits it)`),
    ];
  }

  /** What was typed in this folder, newest first. The logs are read when somebody asks for the first time. */
  history(): readonly string[] {
    this.#past ??= this.#port?.prompts() ?? [];
    return [...new Set([...this.#typed, ...this.#past])];
  }
}
