import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Command } from "commander";
import { type ContainmentForm, WEAKER_LOSES, weakerNotice } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import { exitStatus } from "../launch/exit-status.ts";
import { randomId } from "../lib/files/random-id.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { refuseInSandbox } from "../lib/process/inside-session.ts";
import { say } from "../lib/process/standard-streams.ts";
import { timerLine } from "../lib/process/timer-line.ts";
import { printableLine } from "../lib/text/printable.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { type ContainedSession, openContainedSession } from "../sandbox/contained-session.ts";
import { limitFacts, limitText } from "../sandbox/session/limits.ts";
import { chosenPolicy } from "./active-policy.ts";
import type { CommandModule } from "./command-module.ts";

const MAX_OUTPUT = 64 * 1024;

const LINGER_MS = 500;

const NETWORK = {
  none: "No network.",
  any: "Every host, except private addresses and cloud metadata.",
  allowlist: "Network through the door, only to these hosts:",
} as const;

export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command) {
    command
      .usage("[flags] -- COMMAND")
      .option("--explain", "show what commands in the sandbox can reach")
      .option("--why", "show each form of the sandbox, what refuses it here, and what is lost without it")
      .option("--json", "with --explain and --why: print JSON")
      .option("--policy <file>", "use this policy instead of the active one")
      .option("--preset <name>", "default, read-only, ci or none, when no file names one")
      .addHelpText(
        "after",
        `
Runs one command in the same sandbox that agents get, without judging it first. Several words are one program with its
arguments; a single word is a line for bash. Exits with the command's exit code, or 3 when there is no sandbox.

Examples:
  signalbox sandbox -- npm test
  signalbox sandbox -- 'cat ~/.ssh/id_ed25519 | wc'
  signalbox sandbox --explain
  signalbox sandbox --why`,
      );
  },

  async run({ flags, passed = [] }) {
    const chosen = chosenPolicy(flags).policy;
    const policy = chosen.sandbox === "off" ? { ...chosen, sandbox: "auto" as const } : chosen;
    if (flags["explain"] !== true && flags["why"] !== true && passed.length === 0)
      throw new UserError("no command to run", { fix: "try: signalbox sandbox -- npm test" });
    refuseInSandbox(
      "this already runs inside a session's sandbox",
      "run the command as it is, without signalbox sandbox",
    );
    if (flags["why"] === true) {
      const { whyForms, whyText } = await import("./sandbox-forms.ts");
      const forms = await whyForms(chosen, signalboxHome());
      process.stdout.write(flags["json"] === true ? `${JSON.stringify(forms)}\n` : whyText(forms));
      return EXIT.ok;
    }
    using opening = timerLine("opening the sandbox");
    opening.start();
    const session = await openContainedSession({
      policy,
      caller: { session: randomId(), agent: "signalbox sandbox" },
      environment: process.env,
      signalboxHome: signalboxHome(),
      network: () => policy.network,
      isTainted: () => false,
      warn: say,
    });
    opening.stop();
    if (!session.contained) {
      const { because, fix } = session.containment;
      throw new UserError(`the command cannot be contained: ${because}`, { fix, exitCode: EXIT.refused });
    }
    await using open = session;
    const notice = weakerNotice(open.containment);
    if (notice !== undefined) say(notice);
    if (flags["explain"] === true) {
      process.stdout.write(explainSandbox(open, policy, flags["json"] === true));
      return EXIT.ok;
    }
    const [only = ""] = passed;
    const line = passed.length === 1 ? only : passed.map(shQuote).join(" ");
    const { status, output } = await runInside(open.program, line);
    for (const note of open.takeNotes(status === 0 ? undefined : { output, command: line, folder: currentFolder() }))
      say(note);
    return status;
  },
};

/** Its errors are looked at on their way, unless they go to a terminal, which some programs want to have. */
async function runInside(program: string, line: string) {
  const errors = isatty(2) ? "inherit" : "pipe";
  const child = spawn(program, [line], { cwd: currentFolder(), stdio: ["inherit", "inherit", errors] });
  let output = errors === "pipe" ? "" : undefined;
  child.stderr?.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    output = `${output}${chunk.toString("utf8")}`.slice(-MAX_OUTPUT);
  });
  // The reader has gone away: the command meets that as it would without us.
  if (child.stderr !== null) process.stderr.on("error", () => child.stderr?.destroy());
  const closed = once(child, "close");
  // The terminal sends Ctrl-C to the command too, which decides.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  await once(child, "exit");
  process.off("SIGINT", ignore);
  // What it left running in the background still has the pipe.
  await Promise.race([closed, sleep(LINGER_MS)]);
  return { status: exitStatus({ code: child.exitCode, signal: child.signalCode }, undefined), output };
}

function notHeld(form: ContainmentForm): string {
  if (form === "landlock") return `Not held: ${WEAKER_LOSES.join("; ")}.`;
  return form === "bubblewrap"
    ? "Not held: sockets that other programs create later outside /run, /tmp, /var/tmp and the home folder."
    : "Not held: processes. Loopback is the machine's own, and only the door can be called on it.";
}

/** What commands in a sandbox can reach, for people or as JSON. */
export function explainSandbox(session: ContainedSession, policy: Policy, asJson: boolean): string {
  const { form, by, held, provenAt } = session.containment;
  const { roots, mounts, watched } = session.plan;
  const paths = (kinds: readonly string[]) => mounts.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  const facts = {
    form,
    by,
    held,
    provenAt,
    workspace: session.plan.workspace,
    writable: roots,
    readOnly: paths(["read-only"]).filter((path) => !roots.includes(path)),
    hidden: paths(["empty-folder", "empty-file", "scratch-folder", "replace"]),
    notCreatable: watched,
    network: { mode: policy.network.mode, allow: policy.network.allow },
    variables: { passed: policy.passVariables ?? [] },
    limits: held.includes("processes") ? limitFacts(policy, session.usesHelper) : [],
  };
  if (asJson) return `${JSON.stringify(facts)}\n`;
  const list = (title: string, entries: readonly string[]) =>
    entries.length === 0 ? [] : ["", title, ...entries.map((entry) => `  ${printableLine(entry)}`)];
  const lines = [
    `Held: ${held.join(", ")}, by ${by}, proven ${provenAt}`,
    ...list("Commands can write", facts.writable),
    ...list("They can read everything else on the disk, except these, which are hidden", facts.hidden),
    ...list(form === "landlock" ? "Put back if a command changes it" : "Read-only inside", facts.readOnly),
    ...list("Cannot be created", facts.notCreatable),
    ...list(
      "Limits for all commands together",
      facts.limits.map((fact) => `${fact.what}: ${limitText(fact)}`),
    ),
    "",
    NETWORK[facts.network.mode],
    ...(facts.network.mode === "allowlist" ? facts.network.allow.map((host) => `  ${printableLine(host)}`) : []),
    "",
    "Variables that look like credentials are not passed on" +
      (facts.variables.passed.length === 0 ? "." : `, except ${facts.variables.passed.join(", ")}.`),
    notHeld(form),
  ];
  return `${lines.join("\n")}\n`;
}
