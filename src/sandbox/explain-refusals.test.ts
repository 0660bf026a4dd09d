import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { hasSandbox, openScene, type SandboxScene } from "../../test/support/sandbox-scene.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { explainRefusals, newlyHidden } from "./explain-refusals.ts";

const HIDDEN =
  "blocked by the sandbox: .env is hidden: the policy keeps **/.env from being read (rule deny_read). To run it outside: signalbox outside -- CMD";
const floor = (path: string, glob: string) =>
  `blocked by the sandbox: ${path} is protected: a floor keeps ${glob} from being written (rule floor:write). To see what is protected: signalbox sandbox --explain`;
const outside = (path: string) =>
  `blocked by the sandbox: ${path} is outside the folders that commands can write. To run it outside: signalbox outside -- CMD`;
const git = (path: string) =>
  `blocked by the sandbox: ${path} is protected: git follows it outside the sandbox too. To run it outside: signalbox outside -- CMD`;

describe.skipIf(!hasSandbox)("what the sandbox refuses a command is said, with the rule and one command", () => {
  let scene: SandboxScene;

  beforeAll(async () => {
    scene = await openScene({
      layOut(_, workspace) {
        execFileSync("git", ["init", "-q", workspace]);
        const files = {
          ".env": "A=1\n",
          ".github/workflows/ci.yml": "on: push\n",
          ".claude/settings.json": "{}\n",
          "sub/x": "",
        };
        for (const [path, text] of Object.entries(files)) {
          mkdirSync(dirname(join(workspace, path)), { recursive: true });
          writeFileSync(join(workspace, path), text);
        }
      },
    });
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const view = () => {
    const { home, workspace, sandbox } = scene;
    return { plan: sandbox.plan, policy: { ...PRESETS.ci, version: 1 as const, workspaceRoot: workspace, home } };
  };
  const explain = (command: string) => {
    const { output } = scene.run(command);
    return explainRefusals({ output, command, folder: scene.workspace }, view());
  };

  test.each([
    ["echo X >> .env", HIDDEN],
    ["cat .env", HIDDEN],
    ["cd sub; echo X >> ../.env", HIDDEN],
    ["rm .env", HIDDEN],
    [`sh -c 'echo X > "$PWD/.env"'`, HIDDEN],
    ["touch .github/workflows/x", floor(".github/workflows/x", ".github/workflows/**")],
    ["cd .github/workflows && echo x > ci.yml", floor(".github/workflows/ci.yml", ".github/workflows/**")],
    ["echo {} > .claude/settings.json", floor(".claude/settings.json", "**/.claude/**")],
    ["git config a.b c", git(".git/config")],
    ["echo x > .git/hooks/pre-commit", git(".git/hooks/pre-commit")],
    ["touch /usr/x", outside("/usr/x")],
    [
      "mv .github elsewhere",
      "blocked by the sandbox: .github holds protected files, so it cannot be moved or removed. To see what is protected: signalbox sandbox --explain",
    ],
  ])("%s", (command, note) => {
    expect(explain(command)).toEqual([note]);
  });

  test.each([
    "cat missing",
    "touch sub/y && ls -la .env .github",
    "chmod 0 sub/x; cat sub/x; chmod 644 sub/x",
    "mkdir -p made && touch made/x /tmp/x ~/x",
    "echo 'the .env file: a line about permissions'",
    "cat /proc/1/mem",
  ])("nothing is said of %s, which is an ordinary success or failure", (command) => {
    expect(explain(command)).toEqual([]);
  });

  test("however much is refused, three lines say so", () => {
    expect(explain("rm -rf .git .github .claude .env")).toHaveLength(3);
  });

  test("where the errors were not seen, it only says what is so about the command's paths", () => {
    const place = { output: undefined, folder: scene.workspace };
    expect(explainRefusals({ ...place, command: "grep A .env sub/x /usr/bin/env" }, view())).toEqual([
      HIDDEN.replace("blocked by the sandbox:", "in the sandbox"),
    ]);
  });

  test("a secret that appears during a session is said to be hidden from the next one on", () => {
    expect(newlyHidden(view())).toEqual([]);
    scene.run("echo B=2 > sub/.env");
    expect(newlyHidden(view())).toEqual([
      "from the next session on, sub/.env is hidden from commands: the policy keeps **/.env from being read (rule deny_read). To see what is protected: signalbox sandbox --explain",
    ]);
  });

  test("signalbox sandbox says it after the command's errors, and names a new secret at its end", async () => {
    const [cwd, home] = [tempRepository(), tempFolder()];
    writeFileSync(join(cwd, ".env"), "A=1\n");
    const env = { ...process.env, HOME: home };
    const sandbox = (command: string) => signalbox(["sandbox", "--", command], { cwd, env });
    expect(await sandbox("echo X >> .env")).toMatchObject({
      code: 1,
      stderr: `bash: line 1: .env: Permission denied\nsignalbox: ${HIDDEN}\n`,
    });
    expect(await sandbox("mkdir sub; echo B=2 > sub/.env")).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/signalbox: from the next session on, sub\/\.env is hidden .*\n$/),
    });
  });
});
