import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { orderDecider, serveHost } from "../../receipts/run/serve-host.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { openSegment } from "../../guard/audit/write-audit.ts";
import { redact, secretValues } from "../../guard/redact.ts";
import { acpByCommand, HOST_NAMES, type NamedHost, namedHost } from "../../hosts/named-host.ts";
import { stopOnSignal } from "../../native/terminal/stop-on-signal.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { chosenPolicy } from "../active-policy.ts";
import type { CommandModule } from "../command-module.ts";
import { collect, type Flags, printJson } from "../flags.ts";
import { screenedMachine } from "../screened-machine.ts";
import { orderOf } from "./order.ts";

export const command: CommandModule = {
  takesPassed: true,
  firstWords: () => [...HOST_NAMES, "native", "acp", "check"],

  configure(command: Command) {
    command
      .argument("<what>", `${HOST_NAMES.join(", ")}, native or acp to act as that host; check to test another`)
      .option("--param <name=value>", "with check: a host-specific setting", collect)
      .option("--task <text>", "with check: the task to give the host", "say hello")
      .option("--json", "with check: print one JSON line per finding")
      .addHelpText("after", EXAMPLES);
  },

  async run({ words, flags, passed = [] }) {
    const [what = ""] = words;
    if (what === "check") return await check(passed, flags);
    return await serve(await hostNamed(what, passed));
  },
};

async function hostNamed(what: string, passed: readonly string[]): Promise<NamedHost> {
  if (what === "acp") return acpByCommand(commandOf(passed, "signalbox sidecar acp"), process.env, manifest.version);
  if (what !== "native") return await namedHost(what, process.env);
  const { nativeSettings } = await import("../native/settings.ts");
  const { NATIVE_CAPABILITIES, nativeHost } = await import("../../hosts/native-host.ts");
  const backend = { id: "native", backend_version: manifest.version, adapter_version: "1" };
  return { backend, capabilities: NATIVE_CAPABILITIES, openHost: nativeHost(nativeSettings({}), manifest.version) };
}

function commandOf([path, ...argv]: readonly string[], where: string): { path: string; argv: string[] } {
  if (path !== undefined) return { path, argv };
  throw new UserError("no command given", { where, fix: `put it after --: ${where} -- node host.js` });
}

/**
 * Serves until the input ends. Each order is judged by the rules of its workspace combined with its own.
 * When our reader is gone or we are told to end, every agent we started is ended too.
 */
async function serve(host: NamedHost): Promise<number> {
  using stop = stopOnSignal();
  process.stdout.on("error", () => stop.stop("SIGPIPE"));
  stop.signal.addEventListener("abort", () => process.stdin.destroy());
  const home = signalboxHome();
  const folder = mkdtempSync(join(tmpdir(), "signalbox-sidecar-"));
  using audit = openSegment(home, { now: Date.now, anchor: appendAnchor });
  const secrets = { values: secretValues(process.env) };
  const policyOf = (root: string) => chosenPolicy({}, root).policy;
  const decider = orderDecider({
    policyOf,
    agent: host.backend.id,
    world: screenedMachine,
    append: (entry) => audit.append(entry),
    redact: (text) => redact(text, secrets).text,
  });
  try {
    await serveHost({
      ...host,
      input: process.stdin,
      write: (line) => void process.stdout.write(line),
      callerGone: stop.signal,
      folder,
      policyOf,
      decider,
    });
    return stop.code() ?? EXIT.ok;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(words: readonly string[], flags: Flags): Promise<number> {
  const { checkHost } = await import("../../hosts/sidecar/conformance.ts");
  const command = commandOf(words, "signalbox sidecar check");
  const folder = mkdtempSync(join(tmpdir(), "signalbox-check-"));
  let broken = 0;
  try {
    const order = orderOf(
      typeof flags["task"] === "string" ? flags["task"] : undefined,
      { ...flags, root: folder },
      "mock",
    );
    for await (const finding of checkHost(command, { env: process.env, order })) {
      if (finding.wrong !== undefined) broken++;
      if (flags["json"] === true)
        printJson({ name: finding.name, kept: finding.wrong === undefined, wrong: finding.wrong ?? null });
      else
        process.stdout.write(
          `${finding.wrong === undefined ? "ok    " : "BROKEN"} ${finding.name}${finding.wrong === undefined ? "" : `: ${finding.wrong}`}\n`,
        );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (broken > 0) say(`${broken} ${broken === 1 ? "check" : "checks"} failed`);
  return broken === 0 ? EXIT.ok : EXIT.failed;
}

const EXAMPLES = `
Examples:
  signalbox sidecar mock                            a host that plays config.vendor.mock.script
  signalbox sidecar acp -- gemini --acp             any ACP agent as a host
  signalbox sidecar check -- node hosts/mine.js     does it follow the protocol?`;
