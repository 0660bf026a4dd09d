import { createReadStream, fstatSync, readFileSync, type Stats } from "node:fs";
import type { Agent } from "../agents/pack/agent.ts";
import { errorCode, UserError } from "../lib/text/user-error.ts";
import { say } from "../lib/process/standard-streams.ts";

/** More than any agent accepts. */
const MAX_BYTES = 64 * 1024 * 1024;
const NOTICE_MS = 3000;

export interface PromptSources {
  readonly text?: string | undefined;
  readonly file?: string | undefined;
  /** The words after `--`. */
  readonly passed: readonly string[];
  /** The caller adds stdin to a prompt that comes from elsewhere, so both may be given. */
  readonly addsStdin?: true;
}

/** What we need to know about an agent to tell its flags from a prompt. */
type AgentWords = Pick<Agent, "subcommands" | "valueFlags" | "promptFlags" | "protocolFlags">;

/** For a prompt that comes without an agent's own words. */
export const NO_AGENT_WORDS: AgentWords = { subcommands: [], valueFlags: [], promptFlags: [], protocolFlags: [] };

export interface PromptAndFlags {
  readonly prompt: Buffer | undefined;
  readonly flags: readonly string[];
}

/**
 * The prompt of a launch: -p, a file, a single word after `--`, or piped stdin. More than one is an error. Piped stdin
 * is left to the agent if the words after `--` contain a prompt, need none, or make the agent speak a protocol on
 * stdin.
 */
export async function readPrompt(agent: AgentWords, sources: PromptSources): Promise<PromptAndFlags> {
  const sole = soleWord(agent, sources.passed);
  const prompts = [sources.text, sources.file, sole].filter((source) => source !== undefined);
  const redirected = sources.addsStdin !== true && sources.file !== "-" && prompts.length > 0 && stdinHoldsFile();
  if (prompts.length > 1 || redirected) {
    const fix = "use one of -p TEXT, --prompt-file FILE, stdin, or one word after --";
    throw new UserError("more than one prompt was given", {
      fix,
      ...(redirected ? { where: "stdin is a file that is not empty" } : {}),
    });
  }
  const flags = sole === undefined ? sources.passed : [];
  if (sources.text !== undefined) return { prompt: promptArgument(sources.text), flags };
  if (sole !== undefined) return { prompt: promptArgument(sole), flags };
  if (sources.file !== undefined) return { prompt: await readPromptFile(sources.file), flags };
  return { prompt: leavesRoom(agent, sources.passed) ? await readPiped() : undefined, flags };
}

function soleWord(agent: AgentWords, passed: readonly string[]): string | undefined {
  const [word] = passed;
  if (passed.length !== 1 || word === undefined || word.startsWith("-")) return undefined;
  return agent.subcommands.includes(word) ? undefined : word;
}

const INFORMATION = ["--version", "-v", "-V", "--help", "-h"];

/** Whether the words after `--` are only flags and their values, none of them a prompt or a request for information. */
function leavesRoom(agent: AgentWords, passed: readonly string[]): boolean {
  if (speaksProtocol(agent, passed)) return false;
  return passed.every((word, index) => {
    if (!word.startsWith("-")) return agent.valueFlags.includes(passed[index - 1] ?? "");
    const flag = word.split("=")[0] ?? "";
    return word !== "-" && word !== "--" && !INFORMATION.includes(word) && !agent.promptFlags.includes(flag);
  });
}

function speaksProtocol({ protocolFlags }: AgentWords, passed: readonly string[]): boolean {
  const words = ` ${passed.map((word) => (word.startsWith("--") ? word.replace("=", " ") : word)).join(" ")} `;
  return protocolFlags.some((flag) => words.includes(` ${flag} `));
}

/** Node decodes invalid UTF-8 on the command line as U+FFFD. The system still has the original bytes. */
export function promptArgument(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (!text.includes("\ufffd") || process.platform !== "linux" || readFileSync("/proc/self/cmdline").includes(bytes))
    return bytes;
  throw new UserError("the prompt is not valid UTF-8", {
    where: "the command line",
    fix: "convert it, for example with iconv -f latin1 -t utf-8",
  });
}

async function readPromptFile(path: string): Promise<Buffer> {
  if (path === "-") return await readAll(process.stdin, "stdin");
  try {
    // O_NONBLOCK would turn a FIFO without a writer into an empty prompt. The user can interrupt the wait.
    return await readAll(createReadStream(path), path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read the prompt file (${errorCode(error) ?? String(error)})`, {
      where: path,
      fix: "check the path and permissions",
      cause: error,
    });
  }
}

/** The piped input, or undefined if stdin is a terminal, a device such as /dev/null, or closed. */
async function readPiped(): Promise<Buffer | undefined> {
  return stdinKind() === undefined
    ? undefined
    : await readStdin("waiting for the prompt on stdin (press Ctrl-D to end it)");
}

/** What stdin is, if it can hold input that nobody types. Undefined for a terminal, a device such as /dev/null, or none. */
export function stdinKind(): "pipe" | "socket" | "file" | undefined {
  const stat = stdinStat();
  if (stat?.isFIFO() === true) return "pipe";
  if (stat?.isSocket() === true) return "socket";
  return stat?.isFile() === true ? "file" : undefined;
}

/** All of stdin. Shows `notice` when that takes long. */
export async function readStdin(notice: string): Promise<Buffer> {
  const timer = setTimeout(() => say(notice), NOTICE_MS);
  try {
    return await readAll(process.stdin, "stdin");
  } finally {
    clearTimeout(timer);
  }
}

const stdinHoldsFile = () => {
  const stat = stdinStat();
  return stat !== undefined && stat.isFile() && stat.size > 0;
};

function stdinStat(): Stats | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>, where: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new UserError("the prompt is too large for any agent (over 64 MiB)", { where, fix: "shorten it" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
