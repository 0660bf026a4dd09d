import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PRESETS } from "../src/guard/presets/presets.ts";
import { shQuote } from "../src/lib/text/shell-words.ts";
import { findBubblewrap } from "../src/sandbox/prove-sandbox.ts";
import { limitsOf } from "../src/sandbox/session/limits.ts";
import { openSessionSandbox } from "../src/sandbox/open-session-sandbox.ts";
import { sessionArguments } from "../src/sandbox/linux/session-argv.ts";
import { interleaved, type Subject } from "./measure.ts";
import { FORMS, openScene } from "../test/support/sandbox-scene.ts";
import { openSandboxRuntime } from "./sandbox-runtime.ts";
import type { Suite } from "./suite.ts";

const LINE = "/bin/true";

/** What a sandbox adds to one command, beside the bare command, a bubblewrap for each command and the field's library. */
export const containment: Suite = async ({ quick }) => {
  const home = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  using cleanup = new DisposableStack();
  cleanup.defer(() => rmSync(home, { recursive: true, force: true }));
  const workspace = join(home, "work");
  mkdirSync(workspace);
  const policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "workspace" } as const;
  const bubblewrap = findBubblewrap(workspace);
  const started = performance.now();
  const parts = { environment: process.env, signalboxHome: join(home, ".signalbox") };
  const proving = await openSessionSandbox(policy, parts);
  if (!proving.contained || bubblewrap === undefined)
    throw new Error(proving.contained ? "no bubblewrap" : proving.containment.because);
  await proving[Symbol.asyncDispose]();
  const proven = performance.now();
  await using sandbox = await openSessionSandbox(policy, parts);
  if (!sandbox.contained) throw new Error(sandbox.containment.because);
  const opened = performance.now();

  const shell = (name: string, line: string): Subject => ({
    name,
    program: "/bin/bash",
    args: ["--norc", "--noprofile", "-c", line],
    cwd: workspace,
  });
  await using entered = await openSessionSandbox(policy, {
    ...parts,
    signalboxHome: join(home, ".entered"),
    findHelper: () => undefined,
  });
  if (!entered.contained) throw new Error(entered.containment.because);
  const perCommand = [bubblewrap, ...sessionArguments(sandbox.plan, { limits: limitsOf({}) }), "bash", "-c", LINE];
  await using landlock = FORMS.includes("landlock") ? await openScene({ form: "landlock" }) : undefined;
  await using library = await openSandboxRuntime(LINE, workspace);
  const [bare, ...others] = await interleaved(
    [
      shell("bare", LINE),
      shell("a second bash, no sandbox", `bash --norc --noprofile -c ${LINE}`),
      shell("session sandbox", `${shQuote(sandbox.program)} ${LINE}`),
      ...(landlock === undefined
        ? []
        : [shell("session sandbox, Landlock", `${shQuote(landlock.sandbox.program)} ${LINE}`)]),
      shell("fallback: nsenter", `${shQuote(entered.program)} ${LINE}`),
      shell("bubblewrap per command", perCommand.map(shQuote).join(" ")),
      ...(library === undefined ? [] : [shell("sandbox-runtime, once wrapped", library.command)]),
    ],
    quick ? 30 : 200,
  );
  const base = bare?.medianMs ?? Number.NaN;
  const rows = [bare, ...others].flatMap((timing) =>
    timing === undefined ? [] : [{ ...timing, addedMs: Math.round((timing.medianMs - base) * 10) / 10 }],
  );
  const added = Object.fromEntries(rows.map(({ name, addedMs }) => [name, addedMs]));
  const theirs = library === undefined ? {} : { runtimeOpenMs: library.openMs, runtimeWrapMs: library.wrapMs };
  const opening = { firstWithTrialMs: Math.round(proven - started), laterMs: Math.round(opened - proven), ...theirs };
  return { rows, result: { added: { ...added, ...opening }, rows, opening } };
};
