import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { commandContainment } from "../../../test/support/command-containment.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { Policy } from "../../contract/policy.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { findBubblewrap } from "../prove-sandbox.ts";
import { bash } from "../../native/tools/bash.ts";
import { openCommandRunner } from "./command-runner.ts";
import { type CommandContainment, openCommandContainment } from "./contained-commands.ts";

let workspace = "";

beforeEach(() => {
  workspace = tempFolder();
});

function open(given?: CommandContainment) {
  const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home: tempFolder() };
  const containment = given ?? commandContainment(policy);
  const [outputFolder, marksFolder] = [tempFolder(), tempFolder()];
  const runner = openCommandRunner({ policy, environment: process.env, outputFolder, marksFolder, containment });
  onTestFinished(() => runner.close());
  const tool = bash({ runner, workspace, takeNotes: containment.takeNotes });
  const context = { callId: "1", signal: new AbortController().signal, progress: () => {}, emit: () => {} };
  return (command: string, more: Record<string, unknown> = {}) =>
    tool.run(tool.input.parse({ command, ...more }), context);
}

describe("when the policy asks for a sandbox", () => {
  const none = {
    contained: false,
    containment: { contained: false, because: "bubblewrap (bwrap) is not installed", fix: "install bubblewrap" },
    async [Symbol.asyncDispose]() {},
  } as const;
  const broken = (isRequired: boolean, warnings: string[] = []) =>
    openCommandContainment({
      isRequired,
      open: async () => none,
      warn: (text) => void warnings.push(text),
    });

  test("and it does not hold, nothing runs", async () => {
    const run = open(broken(true));
    for (const mode of ["sync", "detached"])
      await expect(run("echo ran > file", { mode })).rejects.toThrow(
        "nothing was run: a sandbox is required, which does not work here: bubblewrap (bwrap) is not installed. install bubblewrap",
      );
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("under auto commands then run without one, which is said once", async () => {
    const warnings: string[] = [];
    const run = open(broken(false, warnings));
    await run("echo ran > file");
    await run("echo again > file");
    expect([readFileSync(join(workspace, "file"), "utf8"), warnings]).toEqual([
      "again\n",
      ["contained: no, because bubblewrap (bwrap) is not installed. To change that: install bubblewrap"],
    ]);
  });

  test("one that is opened early says nothing until a command needs it", async () => {
    const warnings: string[] = [];
    const containment = broken(false, warnings);
    containment.prepare();
    await new Promise((resolve) => setImmediate(resolve));
    expect([warnings, containment.facts()]).toEqual([[], undefined]);
    await open(containment)("true");
    expect([warnings.length, containment.facts()?.contained]).toEqual([1, false]);
  });

  test("under auto nothing runs in a workspace that cannot be protected, which is said once", async () => {
    const warnings: string[] = [];
    const refused = openCommandContainment({
      isRequired: false,
      open: () => Promise.reject(new UserError("too many links", { where: "sub", fix: "to look: ls", exitCode: 3 })),
      warn: (text) => void warnings.push(text),
    });
    const run = open(refused);
    for (const mode of ["sync", "detached"])
      await expect(run("echo ran > file", { mode })).rejects.toThrow("nothing was run: a sandbox is required");
    expect([readdirSync(workspace), warnings, refused.facts()?.because]).toEqual([
      [],
      ["no command can run, because too many links (sub). To change that: to look: ls"],
      "too many links (sub)",
    ]);
  });

  test.skipIf(findBubblewrap("/nowhere") === undefined)(
    "commands share one sandbox: its /tmp, its processes, what they may write",
    async () => {
      const run = open();
      const outside = tempFolder();
      const result = await run(`echo in > inside; echo out > ${outside}/file; echo kept > /tmp/left; echo $?`);
      expect(result.failed).toBe(false);
      expect((await run("cat /tmp/left inside")).text).toBe("kept\nin");
      expect([readdirSync(workspace), readdirSync(outside)]).toEqual([["inside"], []]);
      const server = "(while :; do echo still here; sleep 0.05; done) & echo $! > pid";
      expect((await run(server)).text).toContain("keep running until this session ends");
      expect((await run('test -d "/proc/$(cat pid)" && echo alive')).text).toContain("alive");
      // `ls` may see it under another name, while it is being moved away.
      const removing = (await run("echo x > .mcp.json; while [ -e .mcp.json ]; do :; done; ls -A")).text.split("\n");
      expect(removing.filter((line) => !/^\.signalbox-\d+$/.test(line))).toEqual([
        "inside",
        "pid",
        `[blocked by the sandbox: ${workspace}/.mcp.json is protected, so it was removed again]`,
      ]);
    },
  );
});
