import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { planPreset, userPreset } from "../guard/allow/plan-allow.ts";
import { loadActivePolicy, readPreset } from "../guard/policy/active-policy.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { calledAs } from "../lib/path/package-folder.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { refuseInSession } from "../lib/process/inside-session.ts";
import { say } from "../lib/process/standard-streams.ts";
import { timerLine } from "../lib/process/timer-line.ts";
import { printable } from "../lib/text/printable.ts";
import { unifiedDiff } from "../lib/text/unified-diff.ts";
import { EXIT, isUserError, UserError } from "../lib/text/user-error.ts";
import { wrapLines } from "../lib/text/wrap-lines.ts";
import { suggestedModels } from "../models/choose-model.ts";
import { planModel, wantedModel, loadSettings, writeModel } from "../native/settings/settings-files.ts";
import { isProvable } from "../proof/proof-state.ts";
import { type Examination, examine } from "../proof/doctor/examine.ts";
import type { CommandModule } from "./command-module.ts";
import { checkLines, nextLines, paint, startLines } from "./doctor.ts";
import { askLine, type Flags, isConfirmed, isTerminal, once, textFlag } from "./flags.ts";
import { checkModel, modelNotes } from "./models.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--model <name>", "the model of native, as provider/model", once)
      .option("--no-model", "leave the model of native as it is")
      .option("--base-url <url>", "with --model: base URL of the provider, for your own server", once)
      .option("--preset <name>", "the rules to start from: default, ci, read-only or none", once)
      .option("--prove", "test the rules with the installed agents (takes minutes)")
      .option("--no-prove", "do not test them now")
      .option("--yes", "write the files, and take the suggestion where no flag answers")
      .addHelpText("after", HELP);
  },

  async run({ flags, verbs }) {
    refuseInSession(
      "a session cannot change your settings",
      "run it in your own terminal; signalbox doctor works here",
    );
    const home = signalboxHome();
    const baseUrl = textFlag(flags, "baseUrl");
    refuseUnanswerable(flags, baseUrl);
    // A file that is broken, newer or read-only is found before anything is asked.
    const present = presentSettings(home);
    const found = await lookAround(home);
    const chosen: Choice = {
      model: await chosenModel(flags, present, baseUrl),
      baseUrl,
      preset: await chosenPreset(flags, present.preset),
    };
    await writeChoice(home, chosen, flags["yes"] === true);
    const provable = found.canStart.some(isProvable);
    const isProved = provable && (await wantsProof(flags));
    const proved = isProved ? await (await import("./prove.ts")).command.run(noWords("prove", verbs)) : EXIT.ok;
    process.stdout.write(`\n${nextLines(found, { ...screenSize(), as: here() }).join("\n")}\n`);
    return proved;
  },
};

/** What the user's own files say now. */
interface Present {
  readonly model: string | undefined;
  /** What native would use without a choice. */
  readonly used: string | undefined;
  readonly preset: PresetName;
}

interface Choice {
  /** Undefined: left as it is. */
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly preset: PresetName;
}

type PresetName = NonNullable<ReturnType<typeof readPreset>>;

const here = () => calledAs(process.env, currentFolder());

const screenSize = () => ({ width: process.stdout.isTTY ? process.stdout.columns : undefined, paint });

const noWords = (verb: string, verbs: Parameters<CommandModule["run"]>[0]["verbs"]) => ({
  verb,
  words: [],
  flags: {},
  verbs,
  passed: undefined,
});

/** Without a terminal, flags have to answer. */
function refuseUnanswerable(flags: Flags, baseUrl: string | undefined): void {
  if (baseUrl !== undefined && textFlag(flags, "model") === undefined)
    throw new UserError("--base-url is the address of a model, and none is named", {
      where: "--base-url",
      fix: "add --model provider/model",
    });
  if (isTerminal() || flags["yes"] === true) return;
  const missing = [
    ...(flags["model"] === undefined ? ["--model NAME (or --no-model)"] : []),
    ...(flags["preset"] === undefined ? ["--preset NAME"] : []),
    ...(flags["prove"] === undefined ? ["--prove (or --no-prove)"] : []),
    "--yes",
  ];
  throw new UserError("setup has questions, and there is no terminal to ask them on", {
    where: "signalbox setup",
    fix: `pass ${missing.join(", ")}; --yes alone takes the suggestions and proves nothing`,
  });
}

function presentSettings(home: string): Present {
  const settings = loadSettings(home);
  // Throws for a file that could not be written either.
  planModel(home, { model: settings.user?.model ?? "ollama/any" });
  return {
    model: settings.user?.model,
    used: wantedModel(process.env, settings)?.value,
    preset: userPreset(home),
  };
}

/** Finds the agents and tries the sandbox, and shows both. */
async function lookAround(home: string): Promise<Examination> {
  using line = timerLine("looking for agents and trying the sandbox");
  line.start();
  const found = await examine(currentFolder(), process.env, manifest.version);
  line.stop();
  const screen = screenSize();
  // What native lacks is asked for below, and the others are settled by proving.
  const troubles = found.checks.filter(
    ({ id, status }) => status === "fail" || (status === "warn" && ["sandbox", "git", "places.home"].includes(id)),
  );
  const lines = [...startLines(found, screen), ...troubles.flatMap((check) => checkLines(check, screen))];
  process.stdout.write(`${lines.join("\n")}\n${printable(`Files          ${home}`)}\n`);
  return found;
}

const ASKED = "\n";

/** The model to write; undefined if it is to stay as it is. */
async function chosenModel(flags: Flags, present: Present, baseUrl: string | undefined): Promise<string | undefined> {
  const flag = flags["model"];
  if (flag === false) return undefined;
  if (typeof flag === "string") {
    checkModel(flag, baseUrl, "--model");
    return flag;
  }
  const suggested = present.model ?? present.used ?? suggestedModels(process.env)[0];
  if (flags["yes"] === true) return suggested;
  const others = suggestedModels(process.env).filter((name) => name !== suggested);
  process.stdout.write(
    [
      `${ASKED}Which model does native use, the agent of signalbox itself?`,
      "  As provider/model, such as anthropic/claude-sonnet-5 or ollama/qwen3.",
      ...(others.length === 0 ? [] : [`  Keys are also set for ${others.join(", ")}.`]),
      "",
    ].join("\n"),
  );
  for (;;) {
    const answer = await answered(`  model [${suggested ?? "none for now"}]: `);
    const name = answer === "" ? suggested : answer;
    if (name === undefined || name === "none") return undefined;
    try {
      checkModel(name, undefined, "the model");
      return name;
    } catch (error) {
      if (!isUserError(error)) throw error;
      for (const text of [error.message, error.fix]) process.stdout.write(`${indented(text)}\n`);
    }
  }
}

const indented = (text: string) =>
  wrapLines(printable(text), Math.max(20, (process.stdout.columns ?? 80) - 3))
    .map((line) => `  ${line}`)
    .join("\n");

const PRESET_LINES: Readonly<Record<PresetName, string>> = {
  default: "somebody is there: ordinary work runs, the rest is asked about",
  ci: "nobody is there: what no rule allows is denied; needs a sandbox",
  "read-only": "agents may look, and change nothing",
  none: "your own rules only; everything else is asked about",
};

const PRESET_NAMES: readonly string[] = Object.keys(PRESET_LINES);

async function chosenPreset(flags: Flags, present: PresetName): Promise<PresetName> {
  const flag = readPreset(flags["preset"]);
  if (flag !== undefined) return flag;
  if (flags["yes"] === true) return present;
  const lines = Object.entries(PRESET_LINES).map(([name, text], at) => `  ${at + 1} ${name.padEnd(10)} ${text}`);
  process.stdout.write(`${ASKED}Which rules apply, before your own?\n${lines.join("\n")}\n`);
  for (;;) {
    const answer = await answered(`  rules [${present}]: `);
    const name = answer === "" ? present : (PRESET_NAMES[Number(answer) - 1] ?? answer);
    try {
      return readPreset(name) ?? present;
    } catch (error) {
      if (!isUserError(error)) throw error;
      process.stdout.write(`  please answer with a number from 1 to ${PRESET_NAMES.length}, or a name\n`);
    }
  }
}

/** An answer. When the terminal goes away, or with Ctrl-C, nothing is written. */
async function answered(question: string): Promise<string> {
  const answer = await askLine(question);
  if (answer !== undefined) return answer;
  throw unwritten();
}

const unwritten = () =>
  new UserError("nothing was written", {
    where: "signalbox setup",
    fix: "run it again when you like",
    exitCode: EXIT.refused,
  });

/** Shows what changes in both files, and writes it once somebody has agreed. */
async function writeChoice(home: string, { model, baseUrl, preset }: Choice, yes: boolean): Promise<void> {
  const settings = model === undefined ? undefined : planModel(home, { model, baseUrl });
  const policy = planPreset(home, preset);
  const diffs = [
    settings === undefined ? "" : unifiedDiff(settings.before ?? "", settings.text, settings.path),
    policy.diff,
  ].filter((diff) => diff !== "");
  if (model !== undefined) for (const note of modelNotes(model, settings?.droppedUrl === true)) say(note);
  if (diffs.length === 0) return void process.stdout.write("\nNothing to change, so nothing was written.\n");
  process.stdout.write(`\n${printable(diffs.join("\n"))}`);
  if (!yes && !(await isConfirmed("Write this? [y/N] "))) throw unwritten();
  policy.write();
  // As the file is now: another program may have changed it meanwhile.
  if (model !== undefined) writeModel(home, { model, baseUrl });
  // What would keep every call from running is said now.
  loadActivePolicy({ workspaceRoot: currentFolder(), folder: home });
  process.stdout.write("Written.\n");
}

async function wantsProof(flags: Flags): Promise<boolean> {
  if (typeof flags["prove"] === "boolean") return flags["prove"];
  if (flags["yes"] === true) return false;
  process.stdout.write(`${ASKED}Test now that these agents keep to the rules? Offline; takes some minutes.\n`);
  return await isConfirmed("  prove [y/N]: ");
}

const HELP = `
Finds the agents, tries the sandbox and shows the command that repairs it, and asks at most four questions: the model of
native, the rules to start from, whether to write the files shown, and whether to test the rules. Run it again at any
time: the answers that are there are suggested. Each question has a flag. It writes settings.yaml and policy.yaml in
~/.signalbox, and keeps what is in them. Keys stay in the environment.

Examples:
  signalbox setup
  signalbox setup --yes
  signalbox setup --model anthropic/claude-sonnet-5 --preset default --no-prove --yes`;
