import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Need } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import { atExit } from "../../lib/process/at-exit.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { isInside, safePath } from "../../lib/path/inside.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import type { CommandContainment } from "./contained-commands.ts";
import { markingVariables, markIfPossible, processTree } from "./process-tree.ts";

/** A program that answers on its stdin and stdout for as long as a session lasts. */
export interface ServerProgram {
  /** How messages name it: `the MCP server files`. */
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What it gets beside the cleaned environment of every command. */
  readonly env: Readonly<Record<string, string>>;
  /** True where it must not run without a sandbox, because nobody chose to run it. */
  readonly insideOnly: boolean;
}

/** Where servers run. */
export interface ServerPlace {
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly containment: Pick<CommandContainment, "place" | "argv">;
  readonly policy: Pick<Policy, "home"> & { readonly paths: Pick<Policy["paths"], "readRoots"> };
  /** Where our processes are recorded, so that they can be ended if we are killed. */
  readonly marksFolder: string;
}

export interface StartedServer {
  readonly child: ChildProcess;
  /** The end of what it has written on stderr, for messages. */
  readonly lastWords: () => string;
  /** Ends its whole tree. */
  end(): Promise<void>;
}

const MAX_WORDS = 2000;
const LAST_OUTPUT_MS = 500;
const GRACE_MS = 1000;

/** Starts a server where commands run: in the session's sandbox, with the environment that commands get and its own. */
export async function startServer(server: ServerProgram, place: ServerPlace): Promise<StartedServer> {
  const { workspace, environment, containment } = place;
  const command = `exec ${[server.command, ...server.args].map(shQuote).join(" ")}`;
  const needs = [...lentVariables(server), ...lentFolders(server, place.policy)];
  if (needs.length > 0) await containment.place(command, { needs });
  const { argv, inside } = await containment.argv(command, [server.command, ...server.args]);
  if (server.insideOnly && !inside) throw new Error("it runs only in a sandbox, and there is none here");
  const [program = "", ...rest] = argv;
  const id = randomId();
  const clean = { ...cleanEnvironment(environment), PATH: safePath(environment, workspace) };
  const env = {
    // The sandbox drops secrets itself, but for those that were lent.
    ...(inside ? { ...environment, ...clean } : clean),
    ...server.env,
    ...markingVariables(environment, id, "server"),
  };
  const child = spawn(program, rest, { cwd: workspace, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const words = { text: "" };
  child.stderr?.on("data", (chunk: Buffer) => {
    words.text = `${words.text}${chunk.toString("utf8")}`.slice(-MAX_WORDS);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => undefined);
  await once(child, "spawn");
  child.on("error", () => undefined);
  return { child, lastWords: () => words.text.trim(), end: ending(child, id, place.marksFolder) };
}

/** The line of a server's last words that most likely says what is wrong. */
export function tellingLine(words: string): string {
  const lines = words.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.findLast((line) => /error|cannot|not found|no such|denied/i.test(line)) ?? lines.at(-1) ?? "";
  return shortLine(telling, 300);
}

/** Variables that look like credentials or load code reach a program only in a sandbox of its own. */
function lentVariables({ title, env }: ServerProgram): readonly Need[] {
  const kept = cleanEnvironment(env);
  return Object.keys(env)
    .filter((variable) => !(variable in kept))
    .map((target) => ({ kind: "variable", target, because: `${title} is given ${target}` }));
}

/** Read roots of the policy that the sandbox hides, where the program or a file for it is. */
function lentFolders({ title, command, args }: ServerProgram, { paths, home }: ServerPlace["policy"]): readonly Need[] {
  const files = [command, ...args].filter((word) => isAbsolute(word) && existsSync(word));
  const isHidden = (root: string) => [home, "/tmp", "/var/tmp"].some((top) => root !== top && isInside(root, top));
  return paths.readRoots
    .filter((root) => isAbsolute(root) && isHidden(root) && files.some((file) => isInside(file, root)))
    .map((target) => ({ kind: "path", target, access: "read", because: `${title} needs ${target}` }));
}

/** Makes sure that no process of the server outlives us. */
function ending(child: ChildProcess, id: string, marksFolder: string): () => Promise<void> {
  const tree = processTree(id, child.pid ?? 0, GRACE_MS);
  const exit = atExit(tree.kill);
  const marked = markIfPossible(marksFolder, id);
  let ended: Promise<void> | undefined;
  return () =>
    (ended ??= tree.end().then(async () => {
      await lastOutput(child);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      exit[Symbol.dispose]();
      marked?.[Symbol.dispose]();
    }));
}

/** What it printed last may still be in the pipe, which stays open if something else holds it. */
async function lastOutput({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null || stderr.closed) return;
  await once(stderr, "close", { signal: AbortSignal.timeout(LAST_OUTPUT_MS) }).catch(() => undefined);
}
