import { dollars } from "../../lib/dollars.ts";
import { isatty } from "node:tty";
import type { Command } from "commander";
import { commandScreen } from "../../screen/screen-command.ts";
import { guardParts } from "../../guard/decide-and-record.ts";
import { screen } from "../../screen/screen.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { printable } from "../../lib/printable.ts";
import { say } from "../../lib/say.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { damageError } from "../../sessions/damage-error.ts";
import { droppedIn } from "../../sessions/dropped.ts";
import { findLog, listAgents } from "../../sessions/agent-logs.ts";
import { findSession, sessionsFolder, sessionsPlace } from "../../sessions/folder.ts";
import { forkSession } from "../../sessions/fork.ts";
import { listSessions } from "../../sessions/list.ts";
import { readLog, type SessionLog } from "../../sessions/read-log.ts";
import { replay } from "../../sessions/replay.ts";
import { transcript } from "../../sessions/transcript.ts";
import { endLeftCommands } from "../../tools/command/left-commands.ts";
import { countFlag, once, printJson, textFlag } from "../flags.ts";
import { engineFlags, refuseUnknownTools } from "./flags.ts";
import { nativeSettings } from "./settings.ts";
import { joinPiped, readPipedInput } from "./piped-input.ts";
import type { CommandInput, CommandModule } from "../command-module.ts";
import { SESSIONS_EXAMPLES, SESSIONS_HELP } from "./sessions-help.ts";
import { subVerbsText } from "../sub-help.ts";
import { refuseUnread, subVerb } from "../sub-verbs.ts";

/** `signalbox sessions`: the conversations with our own engine. */
export const command: CommandModule = {
  subVerbs: SESSIONS_HELP,
  firstWords: () => Object.keys(ACTIONS),

  configure(command: Command) {
    command
      .argument("<what>", "list, show, dropped, resume, undo, redo, fork or export")
      .argument("[session]", "an id, part of one, or last (of this folder)")
      .option("--here", "only sessions of this folder")
      .option("--records <number>", "fork: copy only the first N records", once)
      .option("--raw", "export: keep secrets")
      .option("--to <turn>", "undo: take back everything from this turn on", once)
      .option("--list", "undo: show the turns and the files that each changed")
      .option("--dry-run", "undo, redo: only show what would happen")
      .option("--force", "undo: also take back files that were changed since")
      .option("--yes", "undo, redo: do not ask")
      .option("-p, --prompt <text>", "resume: run this prompt without a terminal", once);
    engineFlags(command).addHelpText("after", subVerbsText(SESSIONS_HELP, SESSIONS_EXAMPLES));
  },

  async run(input) {
    const [word = ""] = input.words;
    const act = subVerb("sessions", input.words[0], ACTIONS);
    refuseUnread(`sessions ${word}`, input.flags, SESSIONS_HELP[word]?.flags ?? []);
    await endLeftCommands(signalboxHome(), say);
    return await act(input);
  },
};

/** Loaded when used. */
const takeBack = (direction: "undo" | "redo") => async (input: CommandInput) =>
  await (await import("./undo.ts")).undoSession(direction, input);

const ACTIONS = {
  list,
  show,
  dropped,
  resume,
  undo: takeBack("undo"),
  redo: takeBack("redo"),
  fork,
  export: exportSession,
};

async function list({ flags }: CommandInput): Promise<number> {
  const here = currentFolder();
  const sessions = listSessions(sessionsPlace(signalboxHome())).filter(
    ({ cwd }) => flags["here"] !== true || cwd === here,
  );
  if (flags["json"] === true) printJson(sessions);
  else if (sessions.length === 0) process.stdout.write("no sessions yet\n");
  else
    for (const { id, updated, state, title } of sessions) process.stdout.write(line([id, age(updated), state, title]));
  return EXIT.ok;
}

const line = ([id = "", when = "", state = "", title = ""]: readonly string[]) =>
  `${id}  ${when}  ${printable(state).padEnd(18)}  ${printable(title)}\n`;
const age = (time: number) => new Date(time).toISOString().slice(0, 16).replace("T", " ");

async function show({ words, flags }: CommandInput): Promise<number> {
  const { log, id, path } = opened(words);
  const records = log.records.map(({ record }) => record);
  const { history, queued, usage, cost, model, rested } = replay(records);
  const agents = listAgents(sessionsPlace(signalboxHome()), id);
  if (flags["json"] === true) {
    printJson({ id, cwd: log.header?.cwd, model, rested, usage, cost, queued, history, agents, damage: log.damage });
    return wholeness(log, path);
  }
  const price = cost === undefined ? "unknown cost" : dollars(cost);
  const facts = [
    `session ${id}`,
    `folder  ${log.header?.cwd ?? "unknown"}`,
    `model   ${model}`,
    `used    ${usage.input} tokens in, ${usage.output} out, ${price}`,
    `state   ${stateOf(log, rested)}`,
    `waiting ${queued.length} ${queued.length === 1 ? "prompt" : "prompts"}`,
    ...agents.map((agent) => `agent   ${agent.id}: ${agent.description} (${agent.model}, ${agent.state})`),
  ];
  process.stdout.write(`${printable(facts.join("\n"))}\n\n${printable(transcript(history))}`);
  return wholeness(log, path);
}

function stateOf({ damage, header }: SessionLog, rested: string | undefined): string {
  if (damage?.newer === true) return `newer: in line ${damage.line}, ${damage.because}`;
  if (damage !== undefined) return `damaged in line ${damage.line}: ${damage.because}`;
  return header === undefined ? "empty: no complete record" : (rested ?? "interrupted");
}

async function dropped({ words, flags }: CommandInput): Promise<number> {
  const { log, path } = opened(words);
  const times = droppedIn(log.records);
  if (flags["json"] === true) printJson(times);
  else if (times.length === 0) process.stdout.write("nothing was left out of this conversation\n");
  for (const { at, because, messages } of flags["json"] === true ? [] : times) {
    const count = `${messages.length} ${messages.length === 1 ? "message" : "messages"}`;
    process.stdout.write(
      `# ${age(at)}: ${count} left out (${printable(because)})\n\n${printable(transcript(messages))}\n`,
    );
  }
  return wholeness(log, path);
}

async function resume({ words, flags }: CommandInput): Promise<number> {
  const wanted = sessionWord(words);
  refuseUnknownTools(flags);
  const settings = nativeSettings(flags, wanted);
  const modes = await import("./modes.ts");
  const prompt = textFlag(flags, "prompt");
  const place = { cwd: currentFolder(), resume: findSession(sessionsFolder(signalboxHome()), wanted, currentFolder()) };
  if (prompt === undefined && isatty(0)) return await modes.talk(settings, place);
  const task = prompt === undefined ? undefined : Buffer.from(prompt);
  const whole = joinPiped(task, await readPipedInput())?.toString();
  return await modes.workOn(settings, { ...place, prompt: whole, json: flags["json"] === true });
}

async function fork({ words, flags }: CommandInput): Promise<number> {
  const folder = sessionsFolder(signalboxHome());
  const id = findSession(folder, sessionWord(words), currentFolder());
  const records = countFlag(flags, "records", 1_000_000_000);
  using copy = forkSession(id, { folder, now: Date.now, cwd: currentFolder(), records });
  if (flags["json"] === true) printJson({ id: copy.id, parent: id });
  else process.stdout.write(`${copy.id}\n`);
  return EXIT.ok;
}

async function exportSession({ words, flags }: CommandInput): Promise<number> {
  const { log, id, path } = opened(words);
  const { history } = replay(log.records.map(({ record }) => record));
  const { redact } = guardParts(process.env, commandScreen(screen));
  const text =
    flags["json"] === true ? `${JSON.stringify({ id, header: log.header, history }, null, 2)}\n` : transcript(history);
  const exportText = flags["raw"] === true ? text : redact(text);
  // A file gets the exact text; on a terminal, control characters would be executed.
  process.stdout.write(isatty(1) ? printable(exportText) : exportText);
  return wholeness(log, path);
}

/** Printed last, after everything that could be read, so that part of a session is not mistaken for all of it. */
function wholeness(log: SessionLog, path: string): number {
  const damaged = damageError("cannot read the whole session", log, path);
  if (damaged !== undefined) throw damaged;
  return EXIT.ok;
}

function opened(words: readonly string[]) {
  const folder = sessionsPlace(signalboxHome());
  const { id, path } = findLog(folder, sessionWord(words), currentFolder());
  return { id, path, log: readLog(path) };
}

function sessionWord(words: readonly string[]): string {
  if (words[1] !== undefined && words[1] !== "") return words[1];
  throw new UserError("which session?", {
    where: `sessions ${words[0] ?? ""}`,
    fix: "pass its id, part of it, or last",
  });
}
