import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERBS } from "../src/verbs.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

/** What a shell offers for the last of these words. */
type Ask = (...words: readonly string[]) => readonly string[];

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await signalbox(["completions", shell]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
const lines = (text: string) => text.split("\n").filter((line) => line !== "");

async function bash(): Promise<Ask> {
  const text = await script("bash");
  expect(text).not.toContain("mapfile");
  return (...words) => {
    const all = ["signalbox", ...words];
    const setting = `COMP_WORDS=(${quoted(all)}); COMP_CWORD=${all.length - 1}`;
    const asked = `${text}\n${setting}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return lines(execFileSync("bash", ["-c", asked], { encoding: "utf8" }));
  };
}

/** Zsh's own functions ask the line editor; these say what they were given, of what fits the word. */
async function zsh(): Promise<Ask> {
  const text = await script("zsh");
  const standIns = `compdef() {}; _message() {}; _files() { print -- FILES }
_describe() { local -a fitting; fitting=(\${(M)\${(P)2}:#\${words[CURRENT]}*}); (( $#fitting )) && print -l -- \${fitting%%:*} }`;
  return (...words) => {
    const all = ["signalbox", ...words];
    const asked = `${standIns}\n${text}\nwords=(${quoted(all)}); CURRENT=${all.length}; _signalbox`;
    return lines(execFileSync("zsh", ["-f", "-c", asked], { encoding: "utf8" }));
  };
}

async function fish(): Promise<Ask> {
  const text = await script("fish");
  const cwd = tempFolder();
  mkdirSync(join(cwd, "home"));
  writeFileSync(join(cwd, "task.md"), "");
  return (...words) => {
    const asked = `${text}\ncomplete -C ${quoted([["signalbox", ...words].join(" ")])}`;
    const env = { PATH: process.env["PATH"], HOME: join(cwd, "home") };
    const output = execFileSync("fish", ["--no-config", "-c", asked], { cwd, env, encoding: "utf8" });
    return lines(output).map((line) => line.split("\t")[0] ?? "");
  };
}

const FILES = { bash: [], zsh: ["FILES"], fish: ["task.md"] };

describe.each([
  ["bash", bash] as const,
  ...(isOnPath("zsh") ? [["zsh", zsh] as const] : []),
  ...(isOnPath("fish") ? [["fish", fish] as const] : []),
])("the completion for %s", (shell, open) => {
  test("offers every verb", async () => {
    const ask = await open();
    expect(ask("cl")).toEqual(["claude"]);
    expect(ask("")).toEqual(expect.arrayContaining(VERBS.map(({ name }) => name)));
    expect(ask("help", "doc")).toEqual(["doctor"]);
  });

  test("offers the words that a verb knows, and its agents", async () => {
    const ask = await open();
    expect(ask("guard", "ex")).toEqual(["explain"]);
    expect(ask("sessions", "l")).toEqual(["list"]);
    expect(ask("completions", "z")).toEqual(["zsh"]);
    expect(ask("run", "cod")).toEqual(["codex"]);
    expect(ask("stage", "claude", "cod")).toEqual(["codex"]);
  });

  test("offers only the flags of the verb at hand", async () => {
    const ask = await open();
    expect(ask("claude", "--prompt-")).toEqual(["--prompt-file"]);
    expect(ask("doctor", "--prompt-").filter((word) => word.startsWith("-"))).toEqual([]);
    expect(ask("guard", "explain", "--sta").filter((word) => word.startsWith("-"))).toEqual([]);
    expect(ask("prove", "run", "--sta").filter((word) => word.startsWith("-"))).toEqual([]);
  });

  test("leaves files to the shell behind a flag that takes one, and offers nothing of ours behind --", async () => {
    const ask = await open();
    expect(ask("claude", "--prompt-file", "ta")).toEqual(FILES[shell]);
    expect(ask("claude", "--", "ta")).toEqual(FILES[shell]);
    expect(ask("claude", "--", "--prompt-").filter((word) => word !== "FILES")).toEqual([]);
  });
});
