import type { SessionEvent, SessionOutcome } from "../contract/engine-event.ts";
import type { WorkMode } from "../contract/engine-settings.ts";
import type { AssistantMessage, Message } from "../contract/message.ts";
import type { SessionMove, SessionPort } from "../contract/session-port.ts";
import type { AskPerson, PermissionAnswer } from "../contract/tool.ts";
import { readTyped } from "../contract/typed-line.ts";
import { atExit } from "../lib/process/at-exit.ts";
import { shortLine } from "../lib/text/printable.ts";
import { type Dialog, permissionDialog, picker, questionDialog } from "./dialog.ts";
import { PromptEditor } from "./prompt-editor.ts";
import { type Frame, isKey, LiveScreen } from "./screen.ts";
import { type SessionView, sessionView } from "./session-view.ts";
import { type Status, statusLine } from "./status-line.ts";
import { isUtf8Terminal, type Style, styleFor } from "./style.ts";

type Begin = (signal: AbortSignal) => AsyncGenerator<SessionEvent, SessionOutcome | void>;

/** A question of the model to the person. */
type AskQuestion = (
  question: { readonly question: string; readonly choices: readonly string[] },
  signal: AbortSignal,
) => Promise<string>;

/** How often what arrives is drawn. What is typed is drawn at once. */
const DRAW_MS = 40;
/** After a question has appeared, and after a key that was meant for the prompt. */
const ARM_MS = 300;
const TYPING_MS = 900;
const LEAVE_MS = 2_000;
/** Who waited less is still looking. */
const NOTIFY_MS = 8_000;
const MAX_PENDING = 4;

const NEXT_MODE: Readonly<Record<WorkMode, WorkMode>> = { ask: "plan", plan: "auto", auto: "ask" };

/**
 * The terminal of one session. It takes keys as soon as it is open; what is typed before the session is there waits
 * for it.
 */
export class RichTerminal {
  readonly #style: Style;
  readonly #screen: LiveScreen;
  readonly #view: SessionView;
  readonly #editor: PromptEditor;
  readonly #open = new DisposableStack();
  #port: SessionPort | undefined;
  #working: { readonly abort: AbortController; readonly since: number } | undefined;
  #workedMs = 0;
  #context: number | undefined;
  #state: Omit<Status, "worked" | "isWorking" | "context"> | undefined;
  #dialog: Dialog | undefined;
  #armedAt = 0;
  #lastKey = 0;
  /** Prompts that go to the model with its next request. */
  #pending: { readonly id: string; readonly text: string }[] = [];
  /** Lines for when the work is done. */
  #lines: string[] = [];
  #wake = () => {};
  #isLeaving = false;
  #leaveUntil = 0;
  #hint = "";
  #drawing: NodeJS.Timeout | undefined;
  #history: readonly string[] | undefined;
  readonly #typed: string[] = [];
  #files: Promise<readonly string[]> | undefined;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#style = styleFor(environment);
    const words = () => this.#session().words;
    this.#view = sessionView({ style: this.#style, now: () => performance.now(), words });
    const frame: Frame = {
      take: (width) => this.#view.take(width),
      live: (width, height) => this.#live(width, height),
      onKey: (key) => this.#onKey(key),
    };
    this.#screen = new LiveScreen(frame, isUtf8Terminal(environment));
    this.#editor = new PromptEditor(this.#screen, this.#style, {
      commands: () => this.#port?.commands() ?? [],
      files: () => (this.#files ??= this.#port?.files() ?? Promise.resolve([])),
    });
    this.#editor.onSubmit = (text) => this.#submit(text);
    this.#open.use(atExit(() => this.#close()));
    this.#listen(process, "SIGCONT", () => this.#continue());
    this.#listen(process.stdin, "end", () => this.#leave());
    // The signal that follows a lost terminal ends us.
    this.#listen(process.stdout, "error", () => {});
    this.#screen.start();
  }

  readonly warn = (text: string): void => {
    this.#view.note(`signalbox: ${text}`, this.#style.yellow);
    this.#draw();
  };

  readonly askPerson: AskPerson = async (question, signal) =>
    await this.#ask<PermissionAnswer>("needs your approval", signal, (answer) =>
      permissionDialog(question, {
        style: this.#style,
        redraw: () => this.#draw(),
        answer,
        words: this.#session().words,
        isArmed: () => performance.now() >= this.#armedAt,
      }),
    );

  readonly askUser: AskQuestion = async (question, signal) =>
    await this.#ask<string>("has a question", signal, (answer) => {
      const given = (text: string) => {
        this.#view.note(`? ${question.question}\n  ${text}`);
        answer(text);
      };
      return questionDialog(question, { style: this.#style, redraw: () => this.#draw(), answer: given });
    });

  /** Runs the session until the person leaves it. Returns where to, if not to the shell. */
  async run(port: SessionPort): Promise<SessionMove | undefined> {
    this.#port = port;
    this.#refresh();
    this.#view.note(`signalbox native · session ${port.id} · /help shows commands and keys`);
    this.#showEnd(port.history);
    if (port.unfinished) await this.#work((signal) => port.run(signal));
    for (;;) {
      const line = await this.#nextLine();
      if (line === undefined) return undefined;
      const move = await this.#carryOut(line, port);
      if (move === "leave") return undefined;
      if (move !== undefined) return move;
      this.#refresh();
    }
  }

  [Symbol.dispose](): void {
    const id = this.#port?.id;
    if (id !== undefined) this.#view.note(`Resume later with: signalbox sessions resume ${id}`);
    this.#close();
    this.#open[Symbol.dispose]();
  }

  async #carryOut(text: string, port: SessionPort): Promise<SessionMove | "leave" | undefined> {
    const typed = readTyped(text);
    switch (typed.kind) {
      case "leave":
        return "leave";
      case "command": {
        if (typed.text === "/resume") return await this.#chooseSession(port);
        this.#view.note(`❯ ${shortLine(typed.text, 200)}`, this.#style.bold);
        const write = (written: string) => this.#view.note(written, (line) => line);
        const move = await port.command(typed.text, { write, follow: (begin) => this.#work(begin) });
        if (typed.text === "/help") write(KEYS);
        if (move === undefined && port.queued > 0) await this.#workOff(port);
        return move ?? undefined;
      }
      case "shell":
        await this.#work(async function* events(signal) {
          yield* port.shell(typed.text, signal);
        });
        return undefined;
      case "task":
        port.add(typed.text);
        await this.#workOff(port);
        return undefined;
      case "nothing":
        return undefined;
    }
  }

  /** Also works off what was steered too late for a run. */
  async #workOff(port: SessionPort): Promise<void> {
    do await this.#work((signal) => port.run(signal));
    while (port.queued > 0);
  }

  async #work(begin: Begin): Promise<void> {
    const abort = new AbortController();
    const since = performance.now();
    this.#working = { abort, since };
    const clock = setInterval(() => this.#draw(), 1000);
    try {
      const events = begin(abort.signal);
      for (let next = await events.next(); ; next = await events.next()) {
        if (next.done === true) {
          if (next.value !== undefined) this.#view.ended(next.value);
          break;
        }
        this.#see(next.value);
      }
    } finally {
      clearInterval(clock);
      this.#working = undefined;
      this.#workedMs += performance.now() - since;
      this.#takeBackPending();
    }
    if (performance.now() - since >= NOTIFY_MS) this.#notify("is done");
    this.#refresh();
  }

  #see(event: SessionEvent): void {
    this.#view.see(event);
    if (event.type === "message") this.#pending = this.#pending.filter(({ id }) => id !== event.promptId);
    if (event.type === "usage" && event.agent === undefined && event.usage !== undefined) {
      const { window } = this.#session().state();
      this.#context = Math.round((100 * (event.usage.input + event.usage.output)) / window);
    }
    if (event.type === "usage" || event.type === "tool-end") this.#refresh();
    this.#draw();
  }

  /** What an interrupted run has not taken goes back to where it was typed. */
  #takeBackPending(): void {
    const texts = this.#pending.flatMap(({ id, text }) => (this.#port?.withdraw(id) === true ? [text] : []));
    this.#pending = [];
    if (texts.length > 0) this.#editor.setText([...texts, this.#editor.getExpandedText()].join("\n").trimEnd());
  }

  async #nextLine(): Promise<string | undefined> {
    while (this.#lines.length === 0) {
      if (this.#isLeaving) return undefined;
      this.#draw();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#lines.shift();
  }

  #submit(text: string): void {
    // The library cuts the space that makes a text a task.
    if (text.trim() === "") return;
    this.#typed.unshift(text);
    this.#editor.addToHistory(text);
    const typed = readTyped(text);
    if (this.#working !== undefined && this.#port !== undefined && typed.kind === "task")
      this.#pending.push({ id: this.#port.add(typed.text), text });
    else this.#later(text);
    this.#draw();
  }

  #later(text: string): void {
    this.#lines.push(text);
    this.#wake();
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#working?.abort.abort(new Error("the person left"));
    this.#wake();
  }

  async #ask<Answer>(
    why: string,
    signal: AbortSignal,
    make: (answer: (answer: Answer) => void) => Dialog,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const asked = Promise.withResolvers<Answer>();
    const stop = () => asked.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const now = performance.now();
    this.#arm(now - this.#lastKey < TYPING_MS ? TYPING_MS : ARM_MS);
    this.#dialog = make(asked.resolve);
    this.#notify(why);
    this.#draw();
    try {
      return await asked.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#dialog = undefined;
      this.#draw();
    }
  }

  #arm(milliseconds: number): void {
    this.#armedAt = performance.now() + milliseconds;
    setTimeout(() => this.#draw(), milliseconds + 1).unref();
  }

  async #chooseSession(port: SessionPort): Promise<SessionMove | undefined> {
    const choices = port.sessions().map(({ id, title, updated }) => ({
      value: id,
      text: `${new Date(updated).toISOString().slice(0, 16).replace("T", " ")}  ${title}`,
    }));
    const resume = await this.#pick("Resume:", choices);
    return resume === undefined ? undefined : { resume };
  }

  async #pick(title: string, choices: readonly { readonly value: string; readonly text: string }[]) {
    const chosen = Promise.withResolvers<string | undefined>();
    const parts = { style: this.#style, redraw: () => this.#draw(), title, choices, answer: chosen.resolve };
    const before = this.#dialog;
    this.#dialog = picker(parts);
    this.#armedAt = 0;
    this.#draw();
    const value = await chosen.promise;
    this.#dialog = before;
    this.#draw();
    return value;
  }

  #onKey(key: string): void {
    const now = performance.now();
    const isDialogs = this.#dialog !== undefined && (now >= this.#armedAt || isKey(key, "ctrl+c", "escape"));
    this.#lastKey = now;
    this.#hint = "";
    if (isKey(key, "ctrl+z")) return this.#suspend();
    if (isKey(key, "ctrl+l")) return this.#screen.requestRender(true);
    if (isDialogs) return this.#dialog?.onKey(key);
    // It was meant for the prompt.
    if (this.#dialog !== undefined) this.#arm(TYPING_MS);
    if (!this.#ownKey(key, now)) this.#editor.handleInput(key);
  }

  /** Keys that are not the editor's. */
  #ownKey(key: string, now: number): boolean {
    const isEmpty = this.#editor.getText() === "";
    if (isKey(key, "escape") && !this.#editor.isShowingAutocomplete()) this.#interrupt();
    else if (isKey(key, "ctrl+c")) this.#cancel(isEmpty, now);
    else if (isKey(key, "ctrl+d") && isEmpty) this.#leaveSoon();
    else if (isKey(key, "shift+tab")) this.#nextMode();
    else if (isKey(key, "ctrl+o")) this.#view.unfold();
    else if (isKey(key, "ctrl+r")) void this.#searchHistory();
    else if (isKey(key, "up") && isEmpty) return this.#takeBackOne();
    else if (isKey(key, "tab") && this.#working !== undefined && this.#isWhole()) this.#queueTyped();
    else return false;
    return true;
  }

  #interrupt(): void {
    this.#working?.abort.abort(new Error("interrupted"));
  }

  #cancel(isEmpty: boolean, now: number): void {
    if (!isEmpty) return this.#editor.setText("");
    if (this.#working !== undefined) return this.#interrupt();
    if (now < this.#leaveUntil) return this.#leave();
    this.#leaveUntil = now + LEAVE_MS;
    this.#hint = "press Ctrl-C again to leave";
  }

  #leaveSoon(): void {
    if (this.#working === undefined) return this.#leave();
    this.#isLeaving = true;
    this.#hint = "leaves when the work is done";
  }

  #nextMode(): void {
    const port = this.#port;
    if (port === undefined) return;
    port.setMode(NEXT_MODE[port.mode]);
    this.#refresh();
  }

  /** Something to send, where Tab has nothing to complete. */
  #isWhole(): boolean {
    const text = this.#editor.getText();
    return text.trim() !== "" && !/^\/\S*$|(?:^|\s)@\S*$/.test(text) && !this.#editor.isShowingAutocomplete();
  }

  #queueTyped(): void {
    const text = this.#editor.getExpandedText();
    this.#editor.setText("");
    this.#typed.unshift(text);
    this.#later(text);
  }

  /** Brings the last prompt that waits back into the editor, or else the history. */
  #takeBackOne(): boolean {
    const line = this.#lines.pop() ?? this.#withdrawn();
    if (line === undefined) this.#loadHistory();
    else this.#editor.setText(line);
    return line !== undefined;
  }

  #withdrawn(): string | undefined {
    const last = this.#pending.at(-1);
    if (last === undefined || this.#port?.withdraw(last.id) !== true) return undefined;
    this.#pending = this.#pending.slice(0, -1);
    return last.text;
  }

  #loadHistory(): readonly string[] {
    if (this.#history === undefined) {
      this.#history = this.#port?.prompts() ?? [];
      for (const text of [...this.#typed, ...this.#history].toReversed()) this.#editor.addToHistory(text);
    }
    return [...new Set([...this.#typed, ...this.#history])];
  }

  async #searchHistory(): Promise<void> {
    const choices = this.#loadHistory().map((text) => ({ value: text, text: shortLine(text, 500) }));
    const text = await this.#pick("Search:", choices);
    if (text !== undefined) this.#editor.setText(text);
    this.#draw();
  }

  #live(width: number, height: number): readonly string[] {
    const isWorking = this.#working !== undefined;
    const waiting = [
      ...this.#pending.map(({ text }) => `next: ${shortLine(text, 200)}`),
      ...(isWorking ? this.#lines.map((text) => `after: ${shortLine(text, 200)}`) : []),
    ];
    const queued = waiting.slice(-MAX_PENDING).map((line) => this.#style.dim(`  ${line} (up edits it)`));
    const dialog = this.#dialog?.render(width, height - 1);
    const status = this.#statusLine(width);
    const foot = [...queued, ...(dialog ?? this.#editor.render(width)), status];
    const room = height - foot.length;
    const body = room <= 1 ? [] : [...this.#view.live(width)].slice(-(room - 1));
    return [...body, ...(room > 0 ? [""] : []), ...foot].slice(-height);
  }

  #statusLine(width: number): string {
    if (this.#hint !== "") return this.#style.yellow(this.#hint);
    if (this.#state === undefined) return this.#style.dim("starting …");
    const since = this.#working?.since;
    const worked = this.#workedMs + (since === undefined ? 0 : performance.now() - since);
    const isWorking = since !== undefined;
    return statusLine({ ...this.#state, context: this.#context, worked, isWorking }, width, this.#style);
  }

  #refresh(): void {
    const { model, mode } = this.#session();
    this.#state = { ...this.#session().state(), model, mode };
    this.#draw();
  }

  #session(): SessionPort {
    if (this.#port === undefined) throw new Error("there is no session yet");
    return this.#port;
  }

  /** How a conversation ended that is resumed. */
  #showEnd(history: readonly Message[]): void {
    const asked = history.findLast((message) => message.role === "user" && message.source === "person");
    const said = history.findLast((message) => message.role === "assistant" && textIn(message).trim() !== "");
    if (asked?.role !== "user") return;
    this.#view.see({ type: "message", message: asked });
    if (said?.role === "assistant") this.#view.see({ type: "text-delta", text: textIn(said) });
    this.#view.see({ type: "turn-end", turn: 0 });
  }

  #draw(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#screen.requestRender();
    }, DRAW_MS);
  }

  #notify(what: string): void {
    this.#screen.terminal.write(`\u0007\u001b]9;signalbox ${what}\u0007`);
  }

  #suspend(): void {
    this.#screen.stop();
    process.kill(process.pid, "SIGTSTP");
  }

  /** After a stop, the shell or another program has used the terminal. */
  #continue(): void {
    this.#screen.stop();
    this.#screen.start();
    this.#screen.requestRender(true);
  }

  #close(): void {
    clearTimeout(this.#drawing);
    this.#screen.finish();
  }

  #listen(on: NodeJS.EventEmitter, event: string, listener: () => void): void {
    on.on(event, listener);
    this.#open.defer(() => void on.off(event, listener));
  }
}

const textIn = ({ parts }: AssistantMessage) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");

const KEYS = `
Enter         send; while it works: for its next request
Tab           complete /commands and @files; while it works: send when it is done
Shift-Enter   a new line, like Alt-Enter, Ctrl-J or \\ and Enter
Up            edit what waits; in an empty line: what you asked before (Ctrl-R searches)
Esc           interrupt
Ctrl-C        clear the line, then interrupt; twice on an empty line: leave
Ctrl-D        on an empty line: leave
Shift-Tab     the next mode: ask, plan, auto
Ctrl-O        show what was folded, the last first
Ctrl-Z        suspend
`;

export const openRichTerminal = (environment: NodeJS.ProcessEnv): RichTerminal => new RichTerminal(environment);
