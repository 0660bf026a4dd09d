import { type Dialog, picker } from "./dialog.ts";
import { isKey } from "./screen.ts";
import type { Style } from "./style.ts";

/** After a question has appeared, and after a key that was meant for the prompt. */
const ARM_MS = 300;
const TYPING_MS = 900;

/**
 * The question that stands in place of the prompt, if there is one. It takes keys only after a pause, because what is
 * typed when it appears is meant for the prompt.
 */
export class DialogHost {
  readonly #style: Style;
  readonly #redraw: () => void;
  #dialog: Dialog | undefined;
  #armedAt = 0;
  #lastKey = -TYPING_MS;

  constructor(style: Style, redraw: () => void) {
    this.#style = style;
    this.#redraw = redraw;
  }

  readonly isArmed = (): boolean => performance.now() >= this.#armedAt;

  render(width: number, height: number): readonly string[] | undefined {
    return this.#dialog?.render(width, height);
  }

  /** False for a key that is the prompt's. */
  onKey(key: string): boolean {
    const isReady = this.isArmed() || isKey(key, "ctrl+c", "escape");
    this.#lastKey = performance.now();
    if (this.#dialog === undefined) return false;
    if (isReady && this.#dialog.onKey(key) !== false) return true;
    // What follows is probably meant for the prompt, too.
    this.#arm(TYPING_MS);
    return false;
  }

  async ask<Answer>(signal: AbortSignal, make: (answer: (answer: Answer) => void) => Dialog): Promise<Answer> {
    signal.throwIfAborted();
    const asked = Promise.withResolvers<Answer>();
    const stop = () => asked.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.#arm(performance.now() - this.#lastKey < TYPING_MS ? TYPING_MS : ARM_MS);
    try {
      return await this.#shown(make(asked.resolve), asked.promise);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Lets the person choose from a list they have asked for. */
  async pick(title: string, choices: Parameters<typeof picker>[0]["choices"]): Promise<string | undefined> {
    const chosen = Promise.withResolvers<string | undefined>();
    this.#armedAt = 0;
    const parts = { style: this.#style, redraw: this.#redraw, title, choices, answer: chosen.resolve };
    return await this.#shown(picker(parts), chosen.promise);
  }

  async #shown<Answer>(dialog: Dialog, answer: Promise<Answer>): Promise<Answer> {
    const before = this.#dialog;
    this.#dialog = dialog;
    this.#redraw();
    try {
      return await answer;
    } finally {
      this.#dialog = before;
      this.#redraw();
    }
  }

  #arm(milliseconds: number): void {
    this.#armedAt = performance.now() + milliseconds;
    setTimeout(this.#redraw, milliseconds + 1).unref();
  }
}
