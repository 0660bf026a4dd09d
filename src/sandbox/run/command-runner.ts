import { join, resolve } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { atExit } from "../../lib/process/at-exit.ts";
import { findProgram } from "../../lib/path/find-program.ts";
import { helperProgram, packageFolder } from "../../lib/path/package-folder.ts";
import { openPipes } from "../../lib/process/pipe-pool.ts";
import { openStarter, type ProgramStarter } from "../../lib/process/program-starter.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { definedFields } from "../../lib/json/json-value.ts";
import { boundRecipeRun } from "../../lib/text/recipe-command.ts";
import { isPlainCommand } from "../../shell/parse/read-script.ts";
import type { CommandContainment } from "./contained-commands.ts";
import { endSession, killSession, markIfPossible } from "./process-tree.ts";
import { bashArgv, bashEnvironment, type RunningCommand, startCommand, startDetached } from "./start-command.ts";

export interface RunnerParts {
  readonly policy: Policy;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of secrets that commands may have. */
  readonly keepVariables?: readonly string[] | undefined;
  /** A private folder for output that is too long to show. */
  readonly outputFolder: string;
  /** Where our processes are recorded, so that they can be ended if we are killed. */
  readonly marksFolder: string;
  /** Where the commands run. It stays open when the runner is closed. */
  readonly containment: CommandContainment;
}

interface CommandRequest {
  readonly command: string;
  readonly folder: string;
}

export interface DetachedCommand {
  readonly pid: number;
  readonly outputFile: string;
  readonly exitFile: string;
  /** It runs in the session's sandbox and ends with it. */
  readonly inside: boolean;
}

/** Starts commands in the session's sandbox if it has one, tracks those that keep running, and ends them all when it is closed. */
export interface CommandRunner {
  start(request: CommandRequest): Promise<RunningCommand>;
  startDetached(request: CommandRequest): Promise<DetachedCommand>;
  /** Gives a running command a short name by which it can be read and stopped. */
  keep(running: RunningCommand): string;
  named(name: string): RunningCommand | undefined;
  names(): readonly string[];
  forget(name: string): void;
  /** A command may follow soon, so prepare what it needs. */
  getReady(): void;
  close(): Promise<void>;
}

export function openCommandRunner(parts: RunnerParts): CommandRunner {
  const { policy, outputFolder, containment } = parts;
  const session = randomId();
  const environment = bashEnvironment(parts.environment, policy.workspaceRoot, parts.keepVariables);
  const live = new Set<RunningCommand>();
  const { clear, ...registry } = namedCommands(live);
  const pipes = openPipes();
  let opened: ProgramStarter | undefined;
  const starter = () => (opened ??= openStarter(helperProgram()));
  let started = 0;
  const all = allOf(session, live, parts.marksFolder);

  let whole: typeof environment | undefined;
  const insideEnvironment = () => (whole ??= { ...definedFields(parts.environment), ...environment });

  const order = async ({ command, folder }: CommandRequest) => {
    const bare = commandArgv(ownRecipe(command, policy.workspaceRoot), folder, environment["PATH"] ?? "");
    const { argv, inside } = await containment.argv(command, bare);
    return {
      argv,
      folder,
      // The sandbox drops secrets itself, but for those that were lent.
      environment: inside ? insideEnvironment() : environment,
      session,
      pipes,
      starter: starter(),
      outputFile: join(outputFolder, `output-${session.slice(0, 8)}-${++started}.txt`),
      inside,
    };
  };

  return {
    async start(request) {
      all.watch();
      const running = await startCommand(await order(request));
      live.add(running);
      void running.ended.finally(() => live.delete(running));
      return running;
    },
    async startDetached(request) {
      const placed = await order(request);
      return { ...(await startDetached(placed)), outputFile: placed.outputFile, inside: placed.inside };
    },
    ...registry,
    getReady() {
      pipes.prepare();
      starter();
    },
    async close() {
      await Promise.all([...live].map((running) => running.end()));
      clear();
      pipes.close();
      opened?.close();
      await all.end();
    },
  };
}

/** A recipe by its name is run by this signalbox, whatever is on PATH, and in the session's workspace. */
function ownRecipe(command: string, cwd: string): string {
  if (!command.startsWith("signalbox recipe ")) return command;
  return boundRecipeRun(command, { program: join(packageFolder(), "bin/signalbox"), variables: {}, cwd }) ?? command;
}

/** All processes of a session. Those that left their group and closed their output are found by their mark. */
function allOf(session: string, live: ReadonlySet<RunningCommand>, marksFolder: string) {
  let exit: Disposable | undefined;
  let marked: Disposable | undefined;
  const killAll = (): void => {
    killSession(
      session,
      [...live].flatMap(({ rows }) => rows),
    );
    marked?.[Symbol.dispose]();
  };
  return {
    /**
     * Makes sure that no process outlives us: we end them when we exit, and the next signalbox does if we are killed.
     */
    watch(): void {
      if (exit !== undefined) return;
      exit = atExit(killAll);
      marked = markIfPossible(marksFolder, session);
    },
    async end(): Promise<void> {
      if (exit !== undefined) await endSession(session);
      exit?.[Symbol.dispose]();
      marked?.[Symbol.dispose]();
    },
  };
}

/** Words that only a shell can execute. */
const SHELL_WORDS = new Set(
  ". : alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

/**
 * The argv for a judged command: the words themselves when they can only be read in one way, otherwise a fresh bash,
 * which also reports a missing program properly. Programs are searched for in `path`.
 */
function commandArgv(command: string, folder: string, path: string): readonly string[] {
  const [program, ...rest] = isPlainCommand(command) ? command.split(" ") : [];
  if (program !== undefined && !SHELL_WORDS.has(program)) {
    const isPath = program.includes("/");
    if (findProgram(isPath ? resolve(folder, program) : program, isPath ? "/" : path)) return [program, ...rest];
  }
  return bashArgv(command);
}

const MAX_NAMED = 20;

/** Commands that keep running while the model does other things, by the names the model knows. */
function namedCommands(live: ReadonlySet<RunningCommand>) {
  const commands = new Map<string, RunningCommand>();
  let count = 0;
  return {
    keep(running: RunningCommand): string {
      for (const [name, other] of commands) if (commands.size >= MAX_NAMED && !live.has(other)) commands.delete(name);
      if (commands.size >= MAX_NAMED) throw new Error(`${MAX_NAMED} commands are already running; stop one first`);
      const name = `c${++count}`;
      commands.set(name, running);
      return name;
    },
    named: (name: string) => commands.get(name),
    names: () => [...commands.keys()],
    forget: (name: string) => void commands.delete(name),
    clear: () => commands.clear(),
  };
}
