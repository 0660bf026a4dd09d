import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { verifyCodex } from "./verify.ts";

const OURS = ["-c", "hooks.PreToolUse=[]", "-c", "hooks.Stop=[]"];

/** A program that replaces Codex, and what a launch of it would pass. */
function launchOf(program: string, folder = tempFolder()) {
  const [binary, wrapper] = [join(folder, "codex"), join(folder, "wrapper")];
  writeFileSync(binary, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  const folders = { folder, home: folder, workspace: folder, cwd: folder };
  const rest = {
    flags: [],
    env: { PATH: "/usr/bin:/bin" },
    interactive: false,
    trusts: () => false,
    trusted: [],
    staged: () => false,
    mayRead: () => true,
    warn: () => {},
  };
  return { ...folders, ...rest, binary, wrapper };
}

/** Asks a program that answers every request for hooks with this, and returns the resulting error. */
async function asked(program: string) {
  const parts = launchOf(program);
  const error: unknown = await verifyCodex(parts, OURS).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(existsSync(join(parts.folder, "checked"))).toBe(false);
  return error instanceof UserError ? { what: error.message, fix: error.fix } : error;
}

const answering = (answer: unknown) => `while read -r line; do
  case $line in *hooks/list*) cat <<'ANSWER'
${JSON.stringify(answer)}
ANSWER
  esac
done`;

const listing = (errors: readonly unknown[]) => ({ id: 1, result: { data: [{ cwd: "/", hooks: [], errors }] } });

test("a configuration that Codex itself refuses is told in its own words, without what could steer a terminal", async () => {
  const message = 'legacy `profile = "x"` is no longer supported; use `--profile x`\u001b[2J';
  expect(await asked(answering(listing([{ path: "/", message }])))).toEqual({
    what: 'Codex rejects its configuration, so its tool calls cannot be guarded: legacy `profile = "x"` is no longer supported; use `--profile x`\\u{1b}[2J',
    fix: "fix what Codex reports, or use --unguarded",
  });
});

test("a refusal of the question itself is told too, and a long one is cut", async () => {
  const long = await asked(answering({ id: 1, error: { code: -32600, message: "x".repeat(5000) } }));
  expect(long).toMatchObject({ what: expect.stringMatching(/cannot be guarded: x{500}$/) });
});

test.each([
  ["lists none and says nothing", answering(listing([]))],
  ["lists none and says what is no text", answering(listing([{ message: 7 }, "word"]))],
  ["does not answer", "exit 1"],
  ["answers invalid JSON", "echo '\"id\":1 and no more'"],
])("a Codex that %s is said to take none of our hooks", async (_, program) => {
  expect(await asked(program)).toEqual({
    what: "this Codex accepts 0 of our 2 hooks, so its tool calls cannot be guarded",
    fix: "use a version listed by signalbox doctor, or use --unguarded",
  });
});

test("a Codex that takes our hooks is asked once, and again when the program or our flags change", async () => {
  const folder = tempFolder();
  const hook = { trustStatus: "trusted", enabled: true, command: `'${join(folder, "wrapper")}' x` };
  const listed = { id: 1, result: { data: [{ cwd: "/", hooks: [hook, hook], errors: [] }] } };
  const counting = `echo asked >> '${folder}/count'\n${answering(listed)}`;
  const timesAsked = () => readFileSync(join(folder, "count"), "utf8").split("\n").length - 1;
  const parts = launchOf(counting, folder);
  await verifyCodex(parts, OURS);
  await verifyCodex(parts, OURS);
  expect(timesAsked()).toBe(1);
  await verifyCodex(parts, [...OURS, "-c", "features.hooks=true"]);
  expect(timesAsked()).toBe(2);
  await verifyCodex(launchOf(`# newer\n${counting}`, folder), [...OURS, "-c", "features.hooks=true"]);
  expect(timesAsked()).toBe(3);
});
