import { existsSync } from "node:fs";
import { readPolicyFile } from "../guard/policy/load-policy.ts";
import { isTrusted, readTrust, revoke, trust } from "../guard/policy/trust.ts";
import { findWorkspace, workspacePolicy } from "../guard/policy/workspace.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { printable } from "../lib/printable.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { readText } from "./active-policy.ts";
import type { CommandModule } from "./verbs.ts";

export const command: CommandModule = {
  configure(trusting) {
    trusting
      .option("--list", "show what is trusted")
      .option("--revoke", "take the trust back")
      .option("--yes", "trust what was shown, without a question")
      .addHelpText(
        "after",
        "\nExamples:\n  signalbox trust          shows the policy of this workspace\n  signalbox trust --yes    trusts it as shown",
      );
  },
  async run({ flags }) {
    const folder = signalboxHome();
    const path = workspacePolicy(findWorkspace(process.cwd()));
    if (flags["list"] === true) return list(folder);
    if (flags["revoke"] === true) {
      process.stdout.write(revoke(folder, path) ? `${path} is no longer trusted\n` : `${path} was not trusted\n`);
      return EXIT.ok;
    }
    return trustHere(folder, path, flags["yes"] === true);
  },
};

function list(folder: string): number {
  for (const file of readTrust(folder)) {
    const now =
      existsSync(file.path) && isTrusted([file], file.path, readText(file.path))
        ? "as it was"
        : "changed or gone: not trusted any more";
    process.stdout.write(`${file.path}  since ${file.time}  ${now}\n`);
  }
  return EXIT.ok;
}

/** Shows the file, or what changed since it was trusted, and trusts it when `--yes` is given. */
function trustHere(folder: string, path: string, yes: boolean): number {
  if (!existsSync(path))
    throw new UserError("this workspace has no policy to trust", {
      where: path,
      fix: "write one first; docs/guard.md shows how",
    });
  const text = readText(path);
  readPolicyFile(text, path);
  const before = readTrust(folder).find((file) => file.path === path)?.text;
  if (before === text) {
    process.stdout.write(`${path} is trusted already\n`);
    return EXIT.ok;
  }
  process.stdout.write(`${printable(difference(before ?? "", text))}\n`);
  if (!yes)
    throw new UserError("nothing is trusted yet", {
      where: path,
      fix: "read it, then run: signalbox trust --yes",
      exitCode: EXIT.refused,
    });
  trust(folder, { path, text, time: new Date().toISOString() });
  process.stdout.write(`${path} is trusted as shown; any change drops the trust\n`);
  return EXIT.ok;
}

/** Lines that went and lines that came, in the order of the new text. */
function difference(before: string, after: string): string {
  const old = before === "" ? [] : before.split("\n");
  const now = after.split("\n");
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.map((line) => (old.includes(line) ? `  ${line}` : `+ ${line}`)),
  ].join("\n");
}
