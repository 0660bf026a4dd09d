import { isatty } from "node:tty";
import type { Command } from "commander";
import { NO_AGENT_WORDS, readPrompt } from "../../launch/read-prompt.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { refuseDeepSession } from "../../lib/process/inside-session.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { PLAN_APPROVED } from "../../contract/engine-settings.ts";
import { once, textFlag } from "../flags.ts";
import { engineFlags, joinPiped, readPipedInput, refuseUnknownTools, waitForPipedInput } from "./flags.ts";
import type { CommandModule } from "../command-module.ts";

/** `signalbox native`: our own engine, on a terminal, for one task, or behind an editor. */
export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command) {
    command
      .usage("[flags] [-- one prompt]")
      .option("-p, --prompt <text>", "work on one task, then exit", once)
      .option("--prompt-file <file>", "read the task from a file ('-' is stdin, also beside -p)", once)
      .option("--resume <session>", "resume a session (an id, part of one, or last)", once)
      .option("-c, --continue", "resume the last session of this folder")
      .option("--plan", "only read and answer with a plan, until you approve it")
      .option("--approve", "with -c or --resume: carry out the session's plan")
      .option("--worktrees <number>", "let so many sub-agents work at once, each in a copy of the workspace", once)
      .option("--acp", "serve an editor over the Agent Client Protocol on stdin and stdout");
    engineFlags(command).addHelpText("after", EXAMPLES);
  },

  async run({ flags, passed = [] }) {
    refuseDeepSession(process.env, say);
    const resume = resumed(flags);
    refuseUnknownTools(flags);
    if (flags["acp"] === true) {
      refuseWithAcp(flags, passed);
      return await (await import("./acp.ts")).serveEditor(flags);
    }
    refuseModes(flags, resume);
    const asked = await wholePrompt(flags, passed);
    const prompt = flags["approve"] === true ? approval(asked) : asked;
    const { nativeSettings } = await import("./settings.ts");
    const settings = nativeSettings(flags, resume);
    const place = { cwd: currentFolder(), resume };
    const modes = await import("./modes.ts");
    if (prompt === undefined && isatty(0)) return await modes.talk(settings, place, flags);
    const task = promptText(prompt, resume);
    return await modes.workOn(settings, place, task, flags["json"] === true);
  },
};

/** The task, with what is piped in beside it. `--prompt-file -` beside another task waits for stdin to end. */
async function wholePrompt(
  flags: Readonly<Record<string, unknown>>,
  passed: readonly string[],
): Promise<Buffer | undefined> {
  const text = textFlag(flags, "prompt");
  const file = textFlag(flags, "promptFile");
  const waits = file === "-" && (text !== undefined || passed.length > 0);
  const sources = { text, file: waits ? undefined : file, passed, addsStdin: true } as const;
  const { prompt, flags: left } = await readPrompt(NO_AGENT_WORDS, sources);
  if (left.length > 0) {
    throw new UserError("native takes no flags after --", {
      where: "--",
      fix: "put a single quoted prompt there",
    });
  }
  const tookStdin = sources.file === "-" || (text ?? sources.file ?? passed[0]) === undefined;
  if (tookStdin) return prompt;
  return joinPiped(prompt, await (waits ? waitForPipedInput() : readPipedInput()));
}

function resumed(flags: Readonly<Record<string, unknown>>): string | undefined {
  const resume = textFlag(flags, "resume");
  if (flags["continue"] !== true) return resume;
  if (resume === undefined) return "last";
  throw new UserError("--continue already names a session: the last one of this folder", {
    where: "--resume",
    fix: "pass one of the two",
  });
}

function refuseModes(flags: Readonly<Record<string, unknown>>, resume: string | undefined): void {
  if (flags["plan"] === true && flags["autopilot"] === true) {
    throw new UserError("--plan only reads, and --autopilot carries the task out", {
      where: "--autopilot",
      fix: "plan first, then: signalbox native -c --approve --autopilot",
    });
  }
  if (flags["approve"] !== true || (resume !== undefined && flags["plan"] !== true)) return;
  throw new UserError("--approve carries out the plan of a session that is resumed", {
    where: "--approve",
    fix: "signalbox native -c --approve, without --plan",
  });
}

/** Approves the plan, with what the user adds to it. */
const approval = (more: Buffer | undefined) =>
  Buffer.concat([Buffer.from(PLAN_APPROVED), ...(more === undefined ? [] : [Buffer.from("\n"), more])]);

function refuseWithAcp(flags: Readonly<Record<string, unknown>>, passed: readonly string[]): void {
  const other = ["prompt", "promptFile", "resume", "continue", "json", "approve", "worktrees"].find(
    (name) => flags[name] !== undefined,
  );
  if (other === undefined && passed.length === 0) return;
  throw new UserError("with --acp, tasks and sessions come from the editor", {
    where: other === undefined ? "--" : `--${other.replace("F", "-f")}`,
    fix: "leave it out",
  });
}

/** A resumed session may continue without a prompt; a new one has nothing to do. */
function promptText(prompt: Buffer | undefined, resume: string | undefined): string | undefined {
  if (prompt === undefined && resume !== undefined) return undefined;
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(prompt);
  } catch (cause) {
    throw new UserError("the prompt is not valid UTF-8", { fix: "convert it, for example with iconv", cause });
  }
  if (text.trim() !== "") return text;
  throw new UserError(prompt === undefined ? "no prompt, and no terminal to ask on" : "the prompt is empty", {
    fix: 'pass a task: signalbox native -p "fix the failing test"',
  });
}

const EXAMPLES = `
Exit codes: 0 done (and accepted)  1 failed  2 wrong usage or input
            3 refused: no key, a key that would be sent unencrypted, a session that is open elsewhere
            4 the check never passed  5 a limit was reached  6 no progress: it went in circles
            8 the check passes only because it was changed
            9 another gate never let it stop: effort, open work items, a hook, a conflict of --worktrees
            70 internal error
            129 terminal closed  130 interrupted (SIGINT)  131 SIGQUIT  141 the reader of --json went away
            143 terminated (SIGTERM)

Examples:
  signalbox native --model anthropic/claude-haiku-4-5
  signalbox native -p "fix the failing test" --accept "npm test"
  signalbox native --autopilot -p "migrate to v5" --accept "npm test" works on until it says that it is done
  signalbox native --model ollama/qwen3 --prompt-file task.md
  git diff | signalbox native -p "review this"  the piped text is added to the task
  signalbox native -c -p "now add a test"       goes on with the last session of this folder
  signalbox native --plan -p "speed up the import" then: signalbox native -c --approve
  signalbox native --plain                      lines only, for screen readers and logs (also SIGNALBOX_PLAIN=1)
  signalbox native --worktrees 3 -p "port the five parsers"
  signalbox native --acp                        for an editor that speaks ACP (docs/editors.md)`;
