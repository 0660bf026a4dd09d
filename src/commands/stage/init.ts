import { mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { compilePolicy } from "../../guard/policy/active-policy.ts";
import { compiledFile, workspacePolicy } from "../../guard/policy/compiled-policy.ts";
import { trust } from "../../guard/policy/trust.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { entryPath, writeEntry } from "../../staging/entry.ts";
import { type InitPlan, type NewFile, planInit } from "../../staging/plan-init.ts";
import { lookAt, replaceFile, writeProblem } from "../../staging/repository-file.ts";
import type { CommandModule } from "../command-module.ts";
import { isConfirmed } from "../flags.ts";
import { repositoryHere } from "./staging-place.ts";

export const command: CommandModule = {
  configure(init: Command) {
    init.option("--yes", "write the files shown without asking").addHelpText("after", HELP);
  },

  async run({ flags }) {
    const { root, home } = repositoryHere();
    const plan = planInit(root);
    if (plan.files.length === 0) {
      process.stdout.write(".signalbox/ already exists; nothing was written.\n");
      return EXIT.ok;
    }
    process.stdout.write(`${printable(planLines(plan).join("\n"))}\n`);
    for (const problem of plan.problems) say(`not imported: ${problem}`);
    if (flags["yes"] !== true && !(await isConfirmed("Write these files? [y/N] ")))
      throw new UserError("nothing was written", {
        where: root,
        fix: "review the files shown, then run: signalbox init --yes",
        exitCode: EXIT.refused,
      });
    // Before the repository is changed, because the next steps write to the home folder.
    for (const file of [compiledFile(home, root), entryPath(home)]) makeFolder(dirname(file));
    writeAll(root, plan);
    const policy = plan.files.find(({ path }) => path === ".signalbox/policy.yaml");
    // The user has just seen every line of it.
    if (policy !== undefined)
      trust(home, { path: workspacePolicy(root), text: policy.bytes.toString("utf8"), time: new Date().toISOString() });
    compilePolicy(home, root);
    writeEntry(home);
    process.stdout.write("Done. Next: signalbox stage\n");
    return EXIT.ok;
  },
};

function planLines({ files, instructions }: InitPlan): readonly string[] {
  return [
    ...files.flatMap(({ path, bytes, copyOf }) => {
      if (copyOf !== undefined) return [`+++ ${path}  (a copy of ${copyOf})`];
      const lines = bytes.toString("utf8").trimEnd().split("\n");
      return [`+++ ${path}`, ...lines.map((line) => `+ ${line}`)];
    }),
    "",
    ...instructions.map(
      (path) => `${path} is left unchanged; signalbox stage adds a marked block to what agents read.`,
    ),
  ];
}

function writeAll(place: string, { files, folders }: InitPlan): void {
  const root = realpathSync(place);
  for (const file of files) writeNew(root, file);
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
}

function writeNew(root: string, { path, bytes, executable }: NewFile): void {
  try {
    const now = lookAt(root, path);
    if (now.locked !== undefined) throw new Error(now.locked);
    replaceFile(root, { ...now, mode: executable ? 0o755 : 0o644 }, bytes);
  } catch (error) {
    throw new UserError(`${path} cannot be written: ${writeProblem(error)}`, {
      where: join(root, path),
      fix: "make sure the target is a writable folder inside the repository, then run it again (files already written are kept)",
      exitCode: EXIT.failed,
      cause: error,
    });
  }
}

const HELP = `
Creates .signalbox/ with a policy, and copies the agents, skills and commands from .claude, .github, .agents and .codex
into it, so that every agent can use them. Existing files are not changed. See docs/staging.md.

Exit codes: 0 written, or already there; 1 a file could not be written; 3 not confirmed.

Examples:
  signalbox init           shows the files, then asks
  signalbox init --yes     for scripts`;
