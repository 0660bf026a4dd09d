import { isatty } from "node:tty";
import type { Command } from "commander";
import { guardParts } from "../../guard/decide-and-record.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { dollars, printable } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { findLog, listAgents, listSessions } from "../../native/log/list-sessions.ts";
import { findSession, sessionsFolder, sessionsPlace } from "../../native/log/log-folder.ts";
import { damageError, readLog, type SessionLog } from "../../native/log/read-log.ts";
import { replay } from "../../native/log/replay.ts";
import { forkSession } from "../../native/log/session-log.ts";
import { droppedIn, transcript } from "../../native/log/transcript.ts";
import { endLeftCommands } from "../../sandbox/run/left-commands.ts";
import type { CommandInput, CommandModule, SubVerbHelp } from "../command-module.ts";
import { countFlag, once, printJson, textFlag } from "../flags.ts";
import { refuseUnread, subVerb, subVerbsText } from "../sub-verbs.ts";
import { engineFlags, joinPiped, readPipedInput, refuseUnknownTools } from "./flags.ts";
import { nativeSettings } from "./settings.ts";

/** Loaded when used. */
const takeBack = (direction: "undo" | "redo") => async (input: CommandInput) =>
  await (await import("./undo.ts")).undoSession(direction, input);

const line = ([id = "", when = "", state = "", title = ""]: readonly string[]) =>
  `${id}  ${when}  ${printable(state).padEnd(18)}  ${printable(title)}\n`;

const age = (time: number) => new Date(time).toISOString().slice(0, 16).replace("T", " ");

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

const ENGINE = [
  "--model",
  "--effort",
  "--base-url",
  "--accept",
  "--accept-keep",
  "--accept-changed",
  "--accept-timeout",
  "--max-turns",
  "--max-cost",
  "--timeout",
  "--plain",
  "--model-idle",
  "--allow-tool",
  "--deny-tool",
  "--skill-directory",
  "--disable-skill",
  "--policy",
  "--preset",
  "--require-sandbox",
  "--json",
];

/** What each subcommand of `sessions` does and reads. */
export const SESSIONS_HELP: Readonly<Record<string, SubVerbHelp>> = {
  list: {
    usage: "[--here] [--json]",
    summary: "list conversations, newest first",
    flags: ["--here", "--json"],
    examples: ["signalbox sessions list --here"],
  },
  show: {
    usage: "SESSION [--json]",
    summary: "show one: its facts, then what was said and done",
    flags: ["--json"],
    examples: ["signalbox sessions show last"],
  },
  dropped: {
    usage: "SESSION [--json]",
    summary: "show what was left out when it was shortened",
    flags: ["--json"],
    examples: ["signalbox sessions dropped last"],
  },
  resume: {
    usage: "SESSION [-p TEXT] [flags]",
    summary: "go on with one, on the terminal or with one prompt",
    flags: ["--prompt", ...ENGINE],
    examples: ["signalbox sessions resume last", 'signalbox sessions resume last -p "now add a test"'],
  },
  undo: {
    usage: "SESSION [--to TURN] [flags]",
    summary: "undo the last turn: its files and its messages",
    flags: ["--to", "--list", "--dry-run", "--force", "--yes", "--json"],
    more: `Files become what they were before the turn; files that it made are removed.
What you changed since is kept and named, unless you pass --force. Files that
git ignores are not in a snapshot and stay. It asks first; 'sessions redo' takes
it back until there is new work. docs/snapshots.md says more.

Exit codes:
  0 done   1 some files could not be restored (the conversation stays as it is)
  2 usage, or no such turn   3 not confirmed, open elsewhere, no snapshot,
  inside a session, or some files were kept`,
    examples: [
      "signalbox sessions undo last --list",
      "signalbox sessions undo last --dry-run",
      "signalbox sessions undo last --to 2 --yes",
    ],
  },
  redo: {
    usage: "SESSION [--dry-run] [--yes] [--json]",
    summary: "redo what was undone",
    flags: ["--dry-run", "--yes", "--json"],
    examples: ["signalbox sessions redo last"],
  },
  fork: {
    usage: "SESSION [--records N] [--json]",
    summary: "copy one, or its first records, into a new one",
    flags: ["--records", "--json"],
    examples: ["signalbox sessions fork 1f0c2d3e --records 40"],
  },
  export: {
    usage: "SESSION [--raw] [--json]",
    summary: "write it as Markdown, secrets redacted",
    flags: ["--raw", "--json"],
    examples: ["signalbox sessions export last > talk.md"],
  },
};

export const SESSIONS_EXAMPLES = [
  "signalbox sessions list --here",
  "signalbox sessions resume last",
  "signalbox sessions export last > talk.md",
];

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
  if (prompt === undefined && isatty(0)) return await modes.talk(settings, place, flags);
  const task = prompt === undefined ? undefined : Buffer.from(prompt);
  const whole = joinPiped(task, await readPipedInput())?.toString();
  return await modes.workOn(settings, place, whole, flags["json"] === true);
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
