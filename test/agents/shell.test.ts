import { withoutSandbox } from "../support/without-sandbox.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOnPath } from "../support/is-on-path.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { realAgent, UNATTENDED } from "./real-agent.ts";

const DIFFERING = "f=xlong; touch $f[2,-1]";

/** Where each shell would write for the command above. */
const written = (cwd: string) => ["xlong[2,-1]", "long"].filter((name) => existsSync(join(cwd, name)));

test.skipIf(!isOnPath("zsh"))("Claude Code runs commands in bash, whatever SHELL says", async () => {
  await using agent = await realAgent("claude", {
    turns: [{ shell: ["echo $BASH_VERSION > version", DIFFERING] }, { text: "done" }],
  });
  const home = agent.env["HOME"] ?? "";
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ env: { CLAUDE_CODE_SHELL: "/usr/bin/zsh" } }));
  const env = { ...agent.env, SHELL: "/usr/bin/zsh" };
  await signalbox(["claude", "-p", "work", "--", ...UNATTENDED.claude], { cwd: agent.cwd, env });
  expect([readFileSync(join(agent.cwd, "version"), "utf8"), written(agent.cwd)]).toEqual([
    expect.stringMatching(/^\d/),
    ["xlong[2,-1]"],
  ]);
});

test("in Codex a shell that the model names is known, and another than bash or sh is refused", async () => {
  const call = (input: object) => ({ name: "exec_command", input: { ...input } });
  await using agent = await realAgent("codex", {
    turns: [
      {
        calls: [
          call({ cmd: DIFFERING, shell: "zsh" }),
          call({ cmd: "touch named-zsh", shell: "zsh" }),
          call({ cmd: "touch named-unknown", shell: "/nowhere/fish" }),
          call({ cmd: "touch named-sh", shell: "sh", login: false }),
          call({ cmd: "echo $'a' > named-sh-differing", shell: "sh" }),
          call({ cmd: "echo $'a' > named-bash", shell: "bash" }),
          call({ cmd: "touch unnamed", login: false }),
        ],
      },
      { text: "done" },
    ],
  });
  const { cwd, env } = agent;
  // In a sandbox bash runs every command.
  withoutSandbox(agent.env["HOME"] ?? "");
  await signalbox(["codex", "-p", "work", "--", ...UNATTENDED.codex], { cwd, env });
  const names = ["named-zsh", "named-unknown", "named-sh", "named-sh-differing", "named-bash", "unnamed"];
  expect([written(cwd), names.filter((name) => existsSync(join(cwd, name)))]).toEqual([
    [],
    ["named-sh", "named-bash", "unnamed"],
  ]);
  expect(JSON.stringify(agent.model.requests.at(-1)?.body)).toContain("omit the shell");
});
