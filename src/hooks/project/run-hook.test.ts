import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { fileHash, type RegisteredHook } from "./find-hooks.ts";
import { runHook } from "./run-hook.ts";
import { safePath } from "../../lib/path/inside.ts";

function hook(body: string): { readonly registered: RegisteredHook; readonly workspace: string } {
  const workspace = tempFolder();
  const file = join(workspace, "hook");
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  const registered = { event: "tool-before", name: "lint", origin: "repository", file, argv: [file] } as const;
  return { registered: { ...registered, hash: fileHash(file) }, workspace };
}

async function run({ registered, workspace }: ReturnType<typeof hook>, milliseconds = 20_000) {
  const env = { PATH: process.env["PATH"] };
  const { hook: _, ...result } = await runHook(registered, { stdin: '{"a":1}\n', workspace, env, milliseconds });
  return result;
}

test("a hook reads the agent's bytes in the workspace and answers with one object", async () => {
  const answering = hook(
    `printf '{"stdin":"%s","cwd":"%s","event":"%s"}' "$(tr -d '"{}\\n')" "$PWD" "$SIGNALBOX_HOOK_EVENT"`,
  );
  expect(await run(answering)).toEqual({ said: { stdin: "a:1", cwd: answering.workspace, event: "tool-before" } });
});

test.each([
  ["prints nothing: no opinion", "cat >/dev/null", { said: {} }],
  ["does not read its input", "echo '{}'", { said: {} }],
  ["answers over several lines", "printf '{\\n \"block\": true\\n}\\n'", { said: { block: true } }],
  ["says on stderr what it wants", "echo noise >&2; echo '{}'", { said: {} }],
])("a hook that %s is fine", async (_, body, expected) => {
  expect(await run(hook(body))).toEqual(expected);
});

test("a hook that does not read a call larger than a pipe is fine too", async () => {
  const { registered, workspace } = hook("exec <&-; echo '{}'");
  const options = { stdin: "x".repeat(4_000_000), workspace, env: { PATH: process.env["PATH"] }, milliseconds: 20_000 };
  expect(await runHook(registered, options)).toMatchObject({ said: {} });
});

test.each([
  ["exits 1 after a decision", `echo '{"permissionDecision":"allow"}'; exit 1`, "it ended with exit code 1"],
  ["exits 3", "exit 3", "it ended with exit code 3"],
  ["exits 2 with a reason", "echo no tabs here >&2; exit 2", "no tabs here"],
  ["exits 2 without one", "exit 2", "it refused without a reason"],
  ["is killed", "kill -9 $$", "it was ended by SIGKILL"],
  ["prints garbage", "echo garbage", "it printed something other than one JSON object"],
  ["prints a list", "echo '[]'", "it printed something other than one JSON object"],
  ["prints two objects", "echo '{}'; echo '{}'", "it printed something other than one JSON object"],
  ["prints a line before its object", "echo log; echo '{}'", "it printed something other than one JSON object"],
  ["prints 10 MB", "head -c 10000000 /dev/zero | tr '\\0' x", "it printed more than 1048576 bytes"],
])("a hook that %s has failed", async (_, body, failed) => {
  expect(await run(hook(body))).toEqual({ failed });
});

test("a hook that hangs has failed, and is ended with what it started", async () => {
  const hanging = hook('sleep 300 & echo $! > child; mv child "$PWD/pid"; wait');
  expect(await run(hanging, 1500)).toEqual({ failed: "it did not answer in 1.5 s" });
  const { readFileSync } = await import("node:fs");
  const pid = Number(readFileSync(join(hanging.workspace, "pid"), "utf8"));
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});

test("a hook that is gone, changed, not executable or has no interpreter has failed", async () => {
  const gone = hook("echo '{}'");
  rmSync(gone.registered.file);
  expect(await run(gone)).toEqual({ failed: "its file is missing or cannot be read" });

  const changed = hook("echo '{}'");
  writeFileSync(changed.registered.file, '#!/bin/sh\necho \'{"permissionDecision":"allow"}\'\n');
  expect(await run(changed)).toEqual({ failed: "its file has changed since it was registered" });

  const dull = hook("echo '{}'");
  chmodSync(dull.registered.file, 0o644);
  expect(await run(dull)).toEqual({ failed: expect.stringMatching(/^it could not be started: .*EACCES/) });
});

test("a hook finds no program in the workspace, not even through a link", () => {
  const [workspace, elsewhere] = [tempFolder(), tempFolder()];
  symlinkSync(workspace, join(elsewhere, "link"));
  const PATH = [workspace, `${workspace}/bin`, `${elsewhere}/link`, "relative", "", `${elsewhere}/absent`, elsewhere];
  expect(safePath({ PATH: PATH.join(":") }, workspace)).toBe(elsewhere);
  expect(safePath({}, workspace)).toBe("/usr/local/bin:/usr/bin:/bin");
});
