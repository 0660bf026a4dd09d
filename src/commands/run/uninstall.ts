import { lstatSync, rmdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Command } from "commander";
import { removeTree, namesIn, treeSize } from "../../lib/files/folder-tree.ts";
import { writtenContext } from "../../launch/write-context.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isInside } from "../../lib/path/inside.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { refuseInSession } from "../../lib/process/inside-session.ts";
import { MARK } from "../../lib/process/left-work.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { timerLine } from "../../lib/process/timer-line.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { errorCode, EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { sweepRuns } from "../../launch/run-folder.ts";
import { recoverRuns } from "../../receipts/run/recover-runs.ts";
import { endLeftCommands } from "../../sandbox/run/left-commands.ts";
import type { CommandInput, CommandModule } from "../command-module.ts";
import { isConfirmed, printJson } from "../flags.ts";
import { heldKinds } from "./prune.ts";
import { runSetting } from "./setting.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--all", "also receipts, audit log and keys, and the rules and settings that you wrote")
      .option("--dry-run", "only show what would be removed")
      .option("--yes", "do not ask")
      .option("--json", "print {dry_run, removed, kept}")
      .addHelpText("after", HELP);
  },

  async run({ flags }) {
    const [dryRun, all] = [flags["dryRun"] === true, flags["all"] === true];
    if (!dryRun) refuseInSession("a session cannot uninstall", "run it in your own terminal; --dry-run works here");
    const home = signalboxHome();
    const context = writtenContext(currentFolder());
    const plan = planUninstall(home, all, context?.path);
    if (!(flags["json"] === true)) process.stdout.write(printable(planText(plan, home)));
    if (!dryRun && plan.remove.length > 0) {
      await refuseInUse(home);
      const isAgreed =
        flags["yes"] === true || (flags["json"] !== true && (await isConfirmed("Remove these for good? [y/N] ")));
      if (!isAgreed) throw refused();
      using line = timerLine("removing files");
      line.start();
      await removeAll(plan.remove, home);
      context?.remove();
    }
    if (!dryRun) await sweepRuns(process.env);
    report(plan, flags, dryRun);
    return EXIT.ok;
  },
};

/** What each name in the signalbox folder is. Only these are ever removed. */
const STATE: Readonly<Record<string, string>> = {
  sessions: "conversations of native",
  memory: "what native noted about workspaces",
  runs: "runs and their results",
  "recipe-runs": "runs of recipes",
  snapshots: "files as they were before sessions",
  worktrees: "working copies of agents",
  kept: "files taken out of workspaces",
  homes: "private homes of the sandbox, with what agents installed there",
  "mcp-auth": "logins to MCP servers",
  "mcp-lists": "lists of tools of MCP servers",
  "trust.json": "which repositories you trust",
  proofs: "results of prove",
  bin: "the program that staged hooks call",
  "sandbox-proof.json": "the sandbox's trial",
  cache: "cache",
  checked: "cache",
  compiled: "compiled policies",
  taint: "marks of sessions that read untrusted text",
  launches: "left over from launches",
  servers: "left over from sessions",
  s: "left over from sandboxes",
  stops: "left over from sessions",
  hints: "left over from launches",
  locks: "locks",
  "policy.lock": "lock",
  pruning: "left over from prune",
  ".gitignore": "keeps this folder out of git",
};

/** What proves what happened here, and what the person wrote. */
const PRECIOUS: Readonly<Record<string, string>> = {
  receipts: "receipts of runs and sessions",
  audit: "the log of decisions",
  heads: "what shows that receipts and log are complete",
  keys: "the keys that sealed them",
  "policy.yaml": "your rules",
  "settings.yaml": "your settings",
  "mcp.json": "your MCP servers",
  "instructions.md": "your instructions",
  agents: "your agents",
  skills: "your skills",
  recipes: "your recipes",
  hooks: "your hooks",
};

/** Names with a number in them: a trial of the sandbox or a write of a file that was interrupted. */
const LEFT = /^(?:trial-|doctor-\d+$|.*\.[0-9a-f]{32}\.tmp$)/;

interface Item {
  readonly path: string;
  readonly what: string;
  readonly bytes: number;
}

interface Uninstall {
  readonly remove: readonly Item[];
  /** Removed with `--all`. */
  readonly precious: readonly Item[];
  /** Not ours. */
  readonly foreign: readonly Item[];
}

function planUninstall(home: string, all: boolean, context: string | undefined): Uninstall {
  const items = namesIn(home)
    .flatMap((name) =>
      name === "commands"
        ? // Commands that run leave marks beside those that the person wrote.
          namesIn(join(home, name)).map((each) => ({
            name: join(name, each),
            state: MARK.test(each) ? "left over from a command" : undefined,
            precious: "your commands",
          }))
        : [{ name, state: STATE[name] ?? (LEFT.test(name) ? "left over" : undefined), precious: PRECIOUS[name] }],
    )
    .map(({ name, state, precious }) => ({ name, state, precious, path: join(home, name) }));
  const item = ({ path }: { readonly path: string }, what: string): Item => ({ path, what, bytes: treeSize(path) });
  return {
    remove: [
      ...items.flatMap((each) => {
        const what = each.state ?? (all ? each.precious : undefined);
        return what === undefined ? [] : [item(each, what)];
      }),
      ...(context === undefined ? [] : [item({ path: context }, "the last agent of this folder")]),
    ],
    precious: all ? [] : items.flatMap((each) => (each.precious === undefined ? [] : [item(each, each.precious)])),
    foreign: items.flatMap((each) =>
      (each.state ?? each.precious) === undefined ? [item(each, "not from signalbox")] : [],
    ),
  };
}

/** Whatever runs would write again, and its files would be gone under it. */
async function refuseInUse(home: string): Promise<void> {
  await endLeftCommands(home, say);
  await recoverRuns(runSetting(process.env));
  const [first, ...others] = await heldKinds(home);
  if (first === undefined) return;
  throw new UserError(`signalbox is still in use: ${first.what}: ${first.because}`, {
    where: others.length === 0 ? home : `and ${others.length} more: signalbox runs --all, signalbox sessions list`,
    fix: "end it first, then run signalbox uninstall again; nothing was removed",
    exitCode: EXIT.refused,
  });
}

async function removeAll(items: readonly Item[], home: string): Promise<void> {
  for (const { path } of items)
    try {
      removeTree(path);
    } catch (cause) {
      throw new UserError(`cannot remove it: ${messageOf(cause)}`, {
        where: path,
        fix: "make it removable, then run signalbox uninstall again; what was removed stays removed",
        exitCode: EXIT.failed,
        cause,
      });
    }
  for (const folder of [join(home, "commands"), home]) removeIfEmpty(folder);
}

/** A home that is a link stays, for whoever made the link. */
function removeIfEmpty(folder: string): void {
  try {
    if (!lstatSync(folder).isSymbolicLink()) rmdirSync(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "EBUSY", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) throw error;
  }
}

function planText({ remove, precious, foreign }: Uninstall, home: string): string {
  const list = (title: string, items: readonly Item[]) =>
    items.length === 0
      ? []
      : [
          title,
          ...items.map(
            ({ path, what, bytes }) =>
              `  ${size(bytes).padStart(8)}  ${printableLine(isInside(path, home) ? relative(home, path) : path).padEnd(20)} ${what}`,
          ),
        ];
  const lines = [
    ...(remove.length === 0 ? [`Nothing to remove in ${home}.`] : list(`To be removed from ${home}:`, remove)),
    ...list("Kept, unless you pass --all:", precious),
    ...list("Not from signalbox, and kept:", foreign),
  ];
  return `${lines.join("\n")}\n`;
}

const size = (bytes: number) =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MB`;

const refused = () =>
  new UserError("nothing was removed", {
    where: "signalbox uninstall",
    fix: "to remove what is shown: signalbox uninstall --yes",
    exitCode: EXIT.refused,
  });

function report({ remove, precious, foreign }: Uninstall, flags: CommandInput["flags"], dryRun: boolean): void {
  const asJson = ({ path, bytes }: Item) => ({ path, bytes });
  if (flags["json"] === true)
    return printJson({ dry_run: dryRun, removed: remove.map(asJson), kept: [...precious, ...foreign].map(asJson) });
  if (dryRun) return void process.stdout.write("Nothing was removed (--dry-run).\n");
  process.stdout.write(`${remove.length === 0 ? "" : "Removed. "}${LAST}\n`);
}

const LAST =
  "What is left: signalbox unstage in each repository where you ran stage, and npm uninstall -g signalbox for the program.";

const HELP = `
Shows and removes what signalbox wrote outside of repositories, in ~/.signalbox. Receipts, audit log and keys stay unless
you pass --all, and so do your own rules and settings; what signalbox does not know stays in any case. Refuses while
something still runs. Repositories keep what
stage wrote there (signalbox unstage); only the note of the last agent in this folder goes.

Exit codes: 0 removed, or nothing there; 1 something could not be removed; 3 in use, or not confirmed.

Examples:
  signalbox uninstall --dry-run
  signalbox uninstall
  signalbox uninstall --all --yes`;
