import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findDialect } from "../../agents/find-dialect.ts";
import { STAGED_SEAL } from "../server-protocol.ts";
import { orRefuse } from "../../agents/pack/surfaces.ts";
import { stagedWrapper, WRAPPER_LINE } from "./wrappers.ts";

/** Runs a staged wrapper whose entry prints the given lines. */
function answered(...lines: readonly string[]) {
  const home = tempFolder();
  mkdirSync(join(home, "bin"));
  const quoted = lines.map((line) => `'${line}'`).join(" ");
  writeFileSync(join(home, "bin", "hook"), `#!/bin/sh\ncat >/dev/null\nprintf '%s\\n' ${quoted}\n`, { mode: 0o700 });
  const file = join(home, "wrapper");
  const parts = { dialect: findDialect("claude"), events: ["tool-before"], remembered: {}, required: false } as const;
  writeFileSync(file, stagedWrapper(parts), { mode: 0o700 });
  const { status, stdout, stderr } = spawnSync(file, [], {
    input: "{}",
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin", SIGNALBOX_HOME: home },
  });
  return { status, stdout, stderr };
}

test("an answer of the entry that ends with the seal is passed on", () => {
  expect(answered('{"a":1}', "", `${STAGED_SEAL} 0`)).toEqual({ status: 0, stdout: '{"a":1}\n', stderr: "" });
  expect(answered('{"a":1}', "why", `${STAGED_SEAL} 2`)).toEqual({ status: 2, stdout: '{"a":1}\n', stderr: "why\n" });
});

test.each([
  ["no last line", ['{"a":1}']],
  ["another word", ['{"a":1}', "", "other 0"]],
  ["half of the seal", ['{"a":1}', "", "-answer 0"]],
  ["another code", ['{"a":1}', "", `${STAGED_SEAL} 1`]],
  ["no code", ['{"a":1}', "", STAGED_SEAL]],
  ["something behind it", ['{"a":1}', "", `${STAGED_SEAL} 0`, "more"]],
  ["something in front of it", ['{"a":1}', "", `x${STAGED_SEAL} 0`]],
] as const)("an answer with %s instead of the seal refuses", (_, lines) => {
  const { status, stdout } = answered(...lines);
  expect([status, stdout]).toEqual([2, expect.stringContaining('"permissionDecision":"deny"')]);
});

test("what identifies hooks that were staged earlier never changes", () => {
  // In repositories that people have committed: by this line stage knows its wrappers again when its list is lost.
  expect(WRAPPER_LINE).toBe(
    "# Asks signalbox about an event. Written by `signalbox stage`; `signalbox unstage` takes it back.",
  );
  // Codex trusts a hook by its command line.
  expect(orRefuse("tool-before")).toBe(
    " || { echo 'signalbox: the staged hook failed, so this may not happen' >&2; exit 2; }",
  );
  expect(orRefuse("session-start")).toBe("");
});
