import type { SessionEvent, SessionOutcome } from "../contract/engine-event.ts";
import type { WorkMode } from "../contract/engine-settings.ts";
import type { SessionMove, SessionPort } from "../contract/session-port.ts";
import type { AskPerson, PermissionAnswer } from "../contract/tool.ts";
import { readTyped } from "../contract/typed-line.ts";
import { atExit } from "../lib/process/at-exit.ts";
import { shortLine } from "../lib/text/printable.ts";
import { editOutside } from "./external-editor.ts";
import { type AskQuestion, PermissionDialog, questionDialog } from "./dialog.ts";
import { DialogHost } from "./dialog-host.ts";
import { KEYS, PromptEditor } from "./prompt-editor.ts";
import { type ScreenLines, isKey, LiveScreen, wrapped } from "./screen.ts";
import { ConversationView } from "./conversation-view.ts";
import { type Status, statusLine } from "./status-line.ts";
import { isUtf8Terminal, type Style, styleFor } from "./style.ts";
import { TypedLines } from "./typed-lines.ts";

type Begin = (signal: AbortSignal) => AsyncGenerator<SessionEvent, SessionOutcome | void>;

/** How often what arrives is drawn. What is typed is drawn at once. */
const DRAW_MS = 40;
const LEAVE_MS = 2_000;
/** Who waited less is still looking. */
const NOTIFY_MS = 8_000;
const MAX_PENDING = 4;
const ROOM_FOR_CHOICES = 8;

const NEXT_MODE: Readonly<Record<WorkMode, WorkMode>> = { ask: "plan", plan: "auto", auto: "ask" };

/**
 * The terminal of one session. It takes keys as soon as it is open; what is typed before the session is there waits
 * for it.
 */
export class RichTerminal {
  readonly #style: Style;
  readonly #screen: LiveScreen;
  readonly #view: ConversationView;
  readonly #editor: PromptEditor;
  readonly #open = new DisposableStack();
  #port: SessionPort | undefined;
  #working: { readonly abort: AbortController; readonly since: number } | undefined;
  #workedMs = 0;
  #context: number | undefined;
  #state: Omit<Status, "worked" | "isWorking" | "context"> | undefined;
  readonly #dialogs: DialogHost;
  readonly #lines = new TypedLines();
  #isLeaving = false;
  #isMoving = false;
  #leaveUntil = 0;
  #hint = "";
  #drawing: NodeJS.Timeout | undefined;
  #asleep: NodeJS.Timeout | undefined;
  #hasHistory = false;
  #files: Promise<readonly string[]> | undefined;

  readonly #environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
    this.#style = styleFor(environment);
    const words = () => this.#session().words;
    this.#view = new ConversationView({ style: this.#style, now: () => performance.now(), words });
    this.#dialogs = new DialogHost(this.#style, () => this.#draw());
    const frame: ScreenLines = {
      take: (width) => this.#view.take(width),
      live: (width, height) => this.#live(width, height),
      onKey: (key) => this.#onKey(key),
    };
    this.#screen = new LiveScreen(frame, isUtf8Terminal(environment));
    this.#editor = new PromptEditor(this.#screen, this.#style, {
      commands: () => this.#port?.commands() ?? [],
      files: () => (this.#files ??= this.#port?.files() ?? Promise.resolve([])),
    });
    this.#editor.onSubmit = (text) => this.#submit(text, false);
    this.#open.use(atExit(() => this.#close()));
    this.#listen(process, "SIGCONT", () => this.#continue());
    // From elsewhere: the key arrives as a key.
    this.#listen(process, "SIGINT", () => this.#cancel(true));
    this.#listen(process.stdin, "end", () => this.leave());
    this.#screen.start();
  }

  readonly warn = (text: string): void => {
    this.#view.note(`signalbox: ${text}`, this.#style.yellow);
    this.#draw();
  };

  readonly askPerson: AskPerson = async (question, signal) => {
    this.#notify("needs your approval");
    const { words } = this.#session();
    this.#showLong(words.question(question.call).text);
    const { isArmed } = this.#dialogs;
    const parts = { style: this.#style, redraw: () => this.#draw(), words, isArmed };
    return await this.#dialogs.ask<PermissionAnswer>(
      signal,
      (answer) => new PermissionDialog(question, { ...parts, answer }),
    );
  };

  readonly askUser: AskQuestion = async (question, signal) => {
    this.#notify("has a question");
    const parts = { style: this.#style, redraw: () => this.#draw() };
    const answer = await this.#dialogs.ask<string>(signal, (given) =>
      questionDialog(question, { ...parts, answer: given }),
    );
    this.#view.note(`? ${question.question}\n  ${answer}`);
    return answer;
  };

  readonly leave = (): void => {
    this.#isLeaving = true;
    this.#working?.abort.abort(new Error("the person left"));
    this.#lines.wake();
  };

  /** Runs the session until the person leaves it. Returns where to, if not to the shell. */
  async run(port: SessionPort): Promise<SessionMove | undefined> {
    this.#port = port;
    this.#lines.port = port;
    this.#refresh();
    this.#view.note(`signalbox native · session ${port.id} · /help shows commands and keys`);
    this.#view.showEnd(port.history);
    if (port.unfinished) await this.#work((signal) => port.run(signal));
    for (;;) {
      const line = await this.#lines.next(() => this.#isLeaving);
      if (line === undefined) return undefined;
      const move = await this.#carryOut(line, port);
      if (move === "leave") return undefined;
      this.#isMoving = move !== undefined;
      if (move !== undefined) return move;
      this.#refresh();
    }
  }

  [Symbol.dispose](): void {
    const id = this.#port?.id;
    if (id !== undefined && !this.#isMoving) this.#view.note(`Resume later with: signalbox sessions resume ${id}`);
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
      this.#takeBackSteered();
    }
    if (performance.now() - since >= NOTIFY_MS) this.#notify("is done");
    this.#refresh();
  }

  #see(event: SessionEvent): void {
    this.#view.see(event);
    if (event.type === "message" && event.promptId !== undefined) this.#lines.taken(event.promptId);
    if (event.type === "usage" && event.agent === undefined && event.usage !== undefined) {
      const { window } = this.#session().state();
      this.#context = Math.round((100 * (event.usage.input + event.usage.output)) / window);
    }
    if (event.type === "usage" || event.type === "tool-end") this.#refresh();
    this.#draw();
  }

  /** What an interrupted run has not taken goes back to where it was typed. */
  #takeBackSteered(): void {
    const texts = this.#lines.takeBackSteered();
    if (texts.length > 0) this.#editor.setText([...texts, this.#editor.getExpandedText()].join("\n").trimEnd());
  }

  #submit(text: string, isQueued: boolean): void {
    if (text.trim() === "") return;
    this.#editor.addToHistory(text);
    this.#lines.send(text, { isWorking: this.#working !== undefined, isQueued });
    this.#draw();
  }

  async #chooseSession(port: SessionPort): Promise<SessionMove | undefined> {
    const choices = port.sessions().map(({ id, title, updated }) => ({
      value: id,
      text: `${new Date(updated).toISOString().slice(0, 16).replace("T", " ")}  ${title}`,
    }));
    const resume = await this.#dialogs.pick("Resume:", choices);
    return resume === undefined ? undefined : { resume };
  }

  #onKey(key: string): void {
    this.#hint = "";
    if (isKey(key, "ctrl+z")) return this.#suspend();
    if (isKey(key, "ctrl+l")) return this.#screen.requestRender(true);
    if (!this.#dialogs.onKey(key) && !this.#ownKey(key)) this.#editor.handleInput(key);
  }

  /** Keys that are not the editor's. */
  #ownKey(key: string): boolean {
    const isEmpty = this.#editor.getText() === "";
    if (isKey(key, "escape") && !this.#editor.isShowingAutocomplete()) this.#interrupt();
    else if (isKey(key, "ctrl+c")) this.#cancel(isEmpty);
    else if (isKey(key, "ctrl+d") && isEmpty) this.#leaveSoon();
    else if (isKey(key, "shift+tab")) this.#nextMode();
    else if (isKey(key, "ctrl+o")) this.#view.unfold();
    else if (isKey(key, "ctrl+r")) void this.#searchHistory();
    else if (isKey(key, "ctrl+g")) this.#editOutside();
    else if (isKey(key, "up") && isEmpty) return this.#takeBackOne();
    else if (isKey(key, "tab") && this.#working !== undefined && this.#isWhole()) this.#queueTyped();
    else return false;
    return true;
  }

  #interrupt(): void {
    this.#working?.abort.abort(new Error("interrupted"));
  }

  #cancel(isEmpty: boolean): void {
    const now = performance.now();
    if (!isEmpty) return this.#editor.setText("");
    if (this.#working !== undefined) return this.#interrupt();
    if (now < this.#leaveUntil) return this.leave();
    this.#leaveUntil = now + LEAVE_MS;
    this.#hint = "press Ctrl-C again to leave";
  }

  #leaveSoon(): void {
    if (this.#working === undefined) return this.leave();
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
    this.#submit(text, true);
  }

  /** Brings the last prompt that waits back into the editor, or else the history. */
  #takeBackOne(): boolean {
    const line = this.#lines.takeBackOne();
    if (line === undefined) this.#loadHistory();
    else this.#editor.setText(line);
    return line !== undefined;
  }

  #loadHistory(): void {
    if (this.#hasHistory) return;
    this.#hasHistory = true;
    for (const text of this.#lines.history().toReversed()) this.#editor.addToHistory(text);
  }

  async #searchHistory(): Promise<void> {
    const choices = this.#lines.history().map((text) => ({ value: text, text: shortLine(text, 500) }));
    const text = await this.#dialogs.pick("Search:", choices);
    if (text !== undefined) this.#editor.setText(text);
    this.#draw();
  }

  #editOutside(): void {
    this.#screen.stop();
    const edited = editOutside(this.#editor.getExpandedText(), this.#environment);
    this.#screen.start();
    this.#screen.requestRender(true);
    if ("text" in edited) this.#editor.setText(edited.text);
    else this.#view.note(edited.because, this.#style.yellow);
  }

  /** What does not fit above the choices can be read by scrolling up. */
  #showLong(text: string): void {
    const { columns, rows } = this.#screen.terminal;
    const lines = text.split("\n").flatMap((line) => wrapped(line, columns - 2));
    if (lines.length > rows - ROOM_FOR_CHOICES) this.#view.note(`? ${text}`, this.#style.bold);
  }

  #live(width: number, height: number): readonly string[] {
    const isWorking = this.#working !== undefined;
    const waiting = this.#lines.waiting(isWorking).slice(-MAX_PENDING);
    const queued = waiting.map((line) => this.#style.dim(`  ${line}`));
    const dialog = this.#dialogs.render(width, height - 1);
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
    // Nothing else keeps the process from ending until it is continued.
    this.#asleep = setInterval(() => {}, 1000);
    process.kill(process.pid, "SIGTSTP");
  }

  /** After a stop, the shell or another program has used the terminal. */
  #continue(): void {
    clearInterval(this.#asleep);
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
