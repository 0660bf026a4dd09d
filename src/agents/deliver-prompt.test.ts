import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { Agent } from "./pack/agent.ts";
import { amplifier } from "./amplifier/program.ts";
import { claude } from "./claude/program.ts";
import { codex } from "./codex/program.ts";
import { copilot } from "./copilot/program.ts";
import { deliverPrompt, promptSize } from "./deliver-prompt.ts";

const deliver = (
  agent: Agent,
  prompt: string | Buffer,
  env: NodeJS.ProcessEnv = {},
  flags: string[] = ["--model", "m"],
) => deliverPrompt({ agent, flags, prompt: Buffer.from(prompt), env, folder: tempFolder() });

test.each([
  [claude, ["-p", "--model", "m", "--", "-x 'y'"]],
  [codex, ["exec", "--model", "m", "--", "-x 'y'"]],
  [copilot, ["--model", "m", "--prompt=-x 'y'"]],
  [amplifier, ["run", "--model", "m", "--", "-x 'y'"]],
])("a short prompt is one safe element of $name's argv", (agent, argv) => {
  const delivery = deliver(agent, "-x 'y'");
  expect(delivery).toEqual({ argv, plan: { agent: agent.name, requested: "auto", selected: "argv", warnings: [] } });
});

test.each([
  [claude, ["-p", "--model", "m"]],
  [codex, ["exec", "--model", "m", "-"]],
  [copilot, ["--model", "m"]],
])("a long prompt reaches $name by stdin and not in argv", (agent, argv) => {
  const prompt = "it's `$HOME`\r\n".repeat(1000);
  const delivery = deliver(agent, prompt);
  expect({ argv: delivery.argv, stdin: delivery.stdin?.toString() }).toEqual({ argv, stdin: prompt });
});

test("flags that already choose the mode are not doubled", () => {
  expect(deliver(claude, "hi", {}, ["--print"]).argv).toEqual(["--print", "--", "hi"]);
  expect(deliver(codex, "hi", {}, ["exec", "--json"]).argv).toEqual(["exec", "--json", "--", "hi"]);
  expect(deliver(amplifier, "hi", {}, ["run", "-v"]).argv).toEqual(["run", "-v", "hi"]);
  expect(deliver(copilot, "hi", {}, ["-s", "--", "x"]).argv).toEqual(["-s", "-p", "hi", "--", "x"]);
});

test("a prompt file is private and holds the bytes as they came", () => {
  const folder = tempFolder();
  const limit = { unit: "bytes", most: 1_000_000 } as const;
  const tempfile = {
    limit,
    argv: (flags: readonly string[], path: string) => [...flags, "--prompt-file", path],
    evidence: "test",
  };
  const prompt = Buffer.from("\ufeffit's\r\n".repeat(2000));
  const delivery = deliverPrompt({ agent: { ...claude, channels: { tempfile } }, flags: [], prompt, env: {}, folder });
  const path = join(folder, "prompt.txt");
  expect(delivery.argv).toEqual(["--prompt-file", path]);
  expect(readFileSync(path).equals(prompt)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a refusal creates nothing and shows nothing of the prompt", () => {
  const folder = tempFolder();
  const request = {
    agent: amplifier,
    flags: [],
    prompt: Buffer.from("secret"),
    env: { SIGNALBOX_PROMPT_DELIVERY: "tempfile" },
    folder,
  };
  expect(() => deliverPrompt(request)).toThrowError(
    expect.objectContaining({
      message: expect.stringMatching(/^amplifier refuses tempfile delivery: /),
      exitCode: 3,
      where: "a prompt of 6 bytes for amplifier",
      fix: "use auto or argv",
    }),
  );
  expect(existsSync(join(folder, "prompt.txt"))).toBe(false);
});

test.each([
  ["empty", "", "the prompt is empty", undefined],
  ["with a NUL", "ab\0c", "the prompt contains a NUL byte", "byte 2"],
  ["not UTF-8", Buffer.from([0x61, 0xff, 0x62]), "the prompt is not valid UTF-8", "byte 1"],
  ["cut inside a character", Buffer.from("aé").subarray(0, 2), "the prompt is not valid UTF-8", "byte 1"],
  ["an encoded surrogate", Buffer.from([0xed, 0xa0, 0x80]), "the prompt is not valid UTF-8", "byte 0"],
])("a prompt that is %s is refused", (_, prompt, message, where) => {
  expect(() => deliver(claude, prompt)).toThrowError(expect.objectContaining({ message, where, exitCode: 2 }));
});

test("what Claude does with '/word' and '@path' is said, without quoting them", () => {
  const slash =
    "the prompt starts with '/': Claude Code runs such a word as its own command; put a space before it to send it as text";
  const at = "the prompt names a file with '@': Claude Code reads such files before any rule is asked";
  expect(deliver(claude, "/compact now").plan.warnings).toEqual([slash]);
  expect(deliver(claude, "read @/etc/passwd").plan.warnings).toEqual([at]);
  expect(deliver(claude, "mail me@example.org a/b").plan.warnings).toEqual([]);
  expect(deliver(codex, "/compact @/etc/passwd").plan.warnings).toEqual([]);
});

test("a size counts bytes and code points", () => {
  expect(promptSize(Buffer.from("aé😀"))).toEqual({ bytes: 7, characters: 3 });
});
