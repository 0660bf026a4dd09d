import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { agentNamed } from "../agents/packs.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { firstLine, identify, UNKNOWN_VERSION } from "./binary-identity.ts";

const agent = agentNamed("amplifier", "");

/** A program that notes each start, and how it is identified. */
function scene(script: string) {
  const folder = realpathSync(tempFolder());
  const [program, cache, starts] = [join(folder, "amplifier"), join(folder, "cache"), join(folder, "starts")];
  const write = (text: string) => writeFileSync(program, `#!/bin/sh\necho >> '${starts}'\n${text}\n`, { mode: 0o755 });
  write(script);
  writeFileSync(starts, "");
  const binary = { path: program, real: program, from: "PATH", words: [program], warnings: [] } as const;
  const places = { cache, env: { PATH: process.env["PATH"] } };
  return {
    program,
    write,
    identify: (readOnly = false) => identify(agent, binary, { ...places, readOnly }),
    starts: () => readFileSync(starts, "utf8").length,
  };
}

test("a program is asked for its version and hashed once, and again when it has changed", async () => {
  const { program, write, identify: asked, starts } = scene("echo 1.2.3; echo more");
  const first = { version: "1.2.3", sha256: sha256(readFileSync(program, "utf8")), nativeSha256: "" };
  expect([await asked(), await asked(), starts()]).toEqual([first, first, 1]);
  write("printf '\\033[1m 2.0 \\033[0m'");
  expect([(await asked()).version, starts()]).toEqual(["2.0", 2]);
});

test("a version that is not known is not kept, and a read-only look starts nothing", async () => {
  const { identify: asked, starts, write } = scene("echo 1.2.3; exit 1");
  expect([(await asked()).version, (await asked()).version, starts()]).toEqual([UNKNOWN_VERSION, UNKNOWN_VERSION, 2]);
  write("echo 9");
  expect([(await asked(true)).version, starts()]).toEqual([UNKNOWN_VERSION, 2]);
  expect([(await asked()).version, (await asked(true)).version, starts()]).toEqual(["9", "9", 3]);
});

test.each([
  ["only blanks", "echo; echo '  '", undefined],
  ["nothing", "true", undefined],
  ["a long line", "head -c 500 /dev/zero | tr '\\0' x", "x".repeat(80)],
  ["and leaves a program behind", "echo 1.0; sleep 5 &", "1.0"],
])("the first line of a program that prints %s", async (_, script, expected) => {
  expect(await firstLine("/bin/sh", ["-c", script], { PATH: process.env["PATH"] })).toBe(expected);
});

test("a program that cannot be started has no first line", async () => {
  expect(await firstLine("/nonexistent/program", [], {})).toBeUndefined();
});
