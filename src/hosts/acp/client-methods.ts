import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type {
  CreateTerminalRequest,
  ReadTextFileRequest,
  TerminalExitStatus,
  TerminalOutputResponse,
  WriteTextFileRequest,
} from "@agentclientprotocol/sdk";
import { newEvent } from "../../contract/agent-event.ts";
import type { Policy } from "../../contract/policy.ts";
import { type ContainmentFacts, uncontained } from "../../contract/seal.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { type CommandRunner, openCommandRunner } from "../../sandbox/run/command-runner.ts";
import { type CommandContainment, openCommandContainment, UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import type { AcpSession } from "./acp-session.ts";

/** The commands that an agent leaves to its client. The guard decides each; where there is a sandbox they run in it. */
export interface AcpTerminals extends AsyncDisposable {
  create(request: CreateTerminalRequest, session: AcpSession | undefined): Promise<{ readonly terminalId: string }>;
  output(id: string): TerminalOutputResponse;
  waitForExit(id: string): Promise<TerminalExitStatus>;
  kill(id: string): Promise<object>;
  /** Ends the command if it still runs, and forgets it. */
  release(id: string): Promise<object>;
  readonly facts: () => ContainmentFacts;
}

interface Terminal {
  readonly running: Awaited<ReturnType<CommandRunner["start"]>>;
  readonly limit: number;
  /** Set as soon as the command has ended. */
  status: TerminalExitStatus | undefined;
  text: string;
  truncated: boolean;
}

const MAX_TERMINALS = 64;

const MAX_OUTPUT = 1024 * 1024;

const MAX_RESULT = 4000;

/** `policy`: the rules in effect in the workspace. `privateFolder`: that of the run. */
export function openTerminals(policy: Policy, env: NodeJS.ProcessEnv, privateFolder: string): AcpTerminals {
  const known = new Map<string, Terminal>();
  let opened: Commands | undefined;
  let count = 0;
  const terminal = (id: string): Terminal => {
    const found = known.get(id);
    if (found === undefined) throw new Error(`there is no terminal ${id}`);
    return found;
  };
  const kill = async (id: string) => {
    await terminal(id).running.end();
    return {};
  };
  return {
    async create(request, session) {
      if (session === undefined) throw new Error("there is no session");
      if (known.size >= MAX_TERMINALS) throw new Error(`more than ${MAX_TERMINALS} terminals are open`);
      opened ??= openCommands(policy, env, privateFolder, session);
      const id = `terminal-${++count}`;
      known.set(id, await startTerminal(id, request, session, opened));
      return { terminalId: id };
    },
    output(id) {
      const { text, truncated, status } = collect(terminal(id));
      return { output: text, truncated, ...(status === undefined ? {} : { exitStatus: status }) };
    },
    async waitForExit(id) {
      const waiting = terminal(id);
      await waiting.running.ended;
      return waiting.status ?? {};
    },
    kill,
    async release(id) {
      await kill(id);
      known.delete(id);
      return {};
    },
    facts() {
      const facts = opened?.containment.facts() ?? uncontained(null);
      // The agent can still run commands itself.
      return { ...facts, contained: false, by: null, held: [], proven_at: null, because: ONLY_LEFT };
    },
    async [Symbol.asyncDispose]() {
      await opened?.runner.close();
      await opened?.containment[Symbol.asyncDispose]();
    },
  };
}

const ONLY_LEFT = "an ACP agent runs commands itself; only those that it leaves to signalbox are contained";

interface Commands {
  readonly containment: CommandContainment;
  readonly runner: CommandRunner;
  readonly root: string;
}

function openCommands(policy: Policy, env: NodeJS.ProcessEnv, folder: string, { job, tell }: AcpSession): Commands {
  const home = signalboxHome(env);
  const warn = (message: string) => tell([newEvent({ type: "warning", message })]);
  const containment =
    policy.sandbox === "off"
      ? UNCONTAINED
      : openCommandContainment({
          isRequired: policy.sandbox !== "auto",
          warn,
          recoverable: job.recovery?.recoverable,
          async open() {
            const { openContainedSession } = await import("../../sandbox/contained-session.ts");
            return await openContainedSession({
              policy,
              caller: { session: job.runId, agent: "acp" },
              environment: env,
              signalboxHome: home,
              network: () => policy.network,
              isTainted: () => false,
              warn,
            });
          },
        });
  const outputFolder = join(folder, "terminals");
  makeFolder(outputFolder);
  const runner = openCommandRunner({
    policy,
    environment: env,
    outputFolder,
    marksFolder: commandMarks(home),
    containment,
  });
  return { containment, runner, root: policy.workspaceRoot };
}

/** Starts a command and reports its end. Throws if the guard denies it, or it cannot be placed. */
async function startTerminal(
  id: string,
  request: CreateTerminalRequest,
  { job, tell, events }: AcpSession,
  { containment, runner, root }: Commands,
): Promise<Terminal> {
  const command = commandLine(request);
  const folder = resolve(root, request.cwd ?? ".");
  const call = { tool: "execute", input: { command }, cwd: folder, shell: "bash", id } as const;
  const decision = job.decide(call, await containment.judged());
  tell([newEvent({ type: "tool_call", tool_name: call.tool, tool_use_id: id, input: call.input })]);
  if (decision.verdict !== "allow") throw new Error(decision.because);
  await containment.place(command, decision);
  job.recovery?.began(id);
  const running = await runner.start({ command, folder });
  const limit = Math.min(request.outputByteLimit ?? MAX_OUTPUT, MAX_OUTPUT);
  const terminal: Terminal = { running, limit, text: "", truncated: false, status: undefined };
  void running.ended.then((end) => {
    job.recovery?.ended(id);
    collect(terminal);
    const notes = containment.takeNotes(running.inside ? { output: terminal.text, command, folder } : undefined);
    terminal.text += notes.map((note) => `${note}\n`).join("");
    terminal.status = { exitCode: end.code, signal: end.signal };
    const output = terminal.text.slice(-MAX_RESULT);
    const result = { tool_name: "execute", tool_use_id: id, output, is_error: end.code !== 0 };
    events.push(newEvent({ type: "tool_result", ...result }));
  });
  return terminal;
}

/** One line for bash. A command without arguments may be a whole line, because many agents send it that way. */
function commandLine({ command, args = [], env = [] }: CreateTerminalRequest): string {
  const odd = env.find(({ name }) => !/^[A-Za-z_]\w*$/.test(name));
  if (odd !== undefined) throw new Error(`the variable ${JSON.stringify(odd.name)} has no valid name`);
  const variables = env.map(({ name, value }) => `${name}=${shQuote(value)}`);
  if (args.length > 0) return [...variables, ...[command, ...args].map(shQuote)].join(" ");
  return [...variables.map((variable) => `export ${variable}; `), command].join("");
}

/** Adds what came since the last time. As the protocol says, the beginning is dropped first. */
function collect(terminal: Terminal): Terminal {
  const { head, tail, lost } = terminal.running.output.take();
  const text = lost > 0 ? tail.toString("utf8") : terminal.text + Buffer.concat([head, tail]).toString("utf8");
  const over = Buffer.byteLength(text) - terminal.limit;
  terminal.truncated ||= lost > 0 || over > 0;
  terminal.text =
    over > 0
      ? Buffer.from(text)
          .subarray(over)
          .toString("utf8")
          .replace(/^\uFFFD+/, "")
      : text;
  return terminal;
}

/** Reads and writes files for an agent that leaves this to its client. The guard decides each call. */
export function fileAnswers(session: AcpSession | undefined) {
  const perform = <Value>(tool: "read" | "write", input: { readonly path: string }, work: () => Value): Value => {
    if (session === undefined) throw new Error("there is no session");
    const id = `file-${++count}`;
    const { verdict, because } = session.job.decide({ tool, input, id });
    session.tell([newEvent({ type: "tool_call", tool_name: tool, tool_use_id: id, input })]);
    if (verdict !== "allow") throw new Error(because);
    try {
      const value = work();
      session.events.push(
        newEvent({ type: "tool_result", tool_name: tool, tool_use_id: id, output: "done", is_error: false }),
      );
      return value;
    } catch (error) {
      const output = messageOf(error);
      session.events.push(newEvent({ type: "tool_result", tool_name: tool, tool_use_id: id, output, is_error: true }));
      throw error;
    }
  };
  return {
    read({ path, line, limit }: ReadTextFileRequest): { content: string } {
      const content = perform("read", { path }, () => readFileSync(path, "utf8"));
      if (line === undefined && limit === undefined) return { content };
      const from = Math.max(0, (line ?? 1) - 1);
      return {
        content: content
          .split("\n")
          .slice(from, limit === undefined || limit === null ? undefined : from + limit)
          .join("\n"),
      };
    },
    write({ path, content }: WriteTextFileRequest): Record<string, never> {
      perform("write", { path }, () => writeFileSync(path, content));
      return {};
    },
  };
}

let count = 0;
