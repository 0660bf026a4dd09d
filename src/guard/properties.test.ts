import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { rounds } from "../../test/support/seeded-random.ts";
import { processorTime } from "../../test/support/processor-time.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { judge, isStricter } from "./judge/judge.ts";
import type { Policy } from "../contract/policy.ts";
import { PRESETS } from "./presets/presets.ts";
import { agrees } from "../shell/parse/compare.ts";
import { commandsThatMayRun } from "../shell/parse/may-run.ts";
import { commandsThatMustRun } from "../shell/parse/must-run.ts";
import { shQuote } from "../lib/sh-quote.ts";

const SEED = 20_261_115;
const machine = fakeMachine({});
const policy: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const verdictOf = (command: string) => judge({ tool: "Bash", input: { command } }, policy, machine).verdict;

/** A random number generator in [0, 1) that repeats its sequence for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const random = seeded(SEED);
const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];

const WORDS = [
  "a.txt",
  "src/b.ts",
  "'two words'",
  '"$HOME/x"',
  "-n",
  "--all",
  "$'a\\tb'",
  "*.md",
  "x{1,2}",
  "\\ y",
  '"$(date)"',
  "--",
  "日本",
  "''",
  "$x",
] as const;
const PROGRAMS = [
  "ls",
  "cat",
  "git status",
  "git log --oneline",
  "npm test",
  "echo",
  "grep -n foo",
  "wc -l",
  "sort",
  "cargo test",
  "find . -name '*.ts'",
  "node --version",
] as const;
const JOINS = [" && ", " || ", "; ", " | ", "\n", " & "] as const;

function simpleCommand(): string {
  const words = Array.from({ length: Math.floor(random() * 3) }, () => pick(WORDS));
  const redirect = random() < 0.2 ? pick([" > out.txt", " 2>/dev/null", " < a.txt", " 2>&1", " <<< x"]) : "";
  return [pick(PROGRAMS), ...words].join(" ") + redirect;
}

function script(depth = 0): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const roll = depth < 2 ? random() : 0;
    if (roll > 0.93) return `( ${script(depth + 1)} )`;
    if (roll > 0.87) return `{ ${script(depth + 1)}; }`;
    if (roll > 0.8) return `echo "$(${script(depth + 1)})"`;
    if (roll > 0.75) return `if ${simpleCommand()}; then ${simpleCommand()}; fi`;
    return roll > 0.7 ? `for f in a b; do ${simpleCommand()}; done` : simpleCommand();
  });
  return parts.reduce((text, part) => text + pick(JOINS) + part);
}

const DENIED = [
  "sudo id",
  "cat .env",
  "echo x > .git/config",
  "nc -l 80",
  "crontab -l",
  "cat ~/.ssh/id_rsa",
  "tee ~/.bashrc",
  "dd if=a of=b",
] as const;
const WRAPPERS = [
  "env ",
  "env A=1 ",
  "env -i ",
  "command ",
  "nohup ",
  "timeout 5 ",
  "timeout -k 1 5 ",
  "nice ",
  "nice -n 3 ",
  "time ",
  "stdbuf -oL ",
  "setsid ",
  "ionice -c 3 ",
  "exec ",
  "builtin ",
  "! ",
  "xargs ",
  "xargs -n 1 ",
  "busybox ",
  "strace -f ",
  "sudo ",
  "doas ",
  "caffeinate ",
  "CI=1 ",
  "FOO=bar ",
  "true && ",
  "false || ",
  "ls | ",
  "ls; ",
  "ls & ",
  "\n",
  "( ",
  "{ ",
  "coproc ",
  "if true; then ",
  "while ",
] as const;
const close = (wrapper: string) =>
  ({ "( ": " )", "{ ": "; }", "if true; then ": "; fi", "while ": "; do :; done" })[wrapper] ?? "";

test("a denied command behind any generated script is still denied", () => {
  for (let round = 0; round < rounds(1000); round++) {
    const command = script();
    for (const separator of ["; ", "\n", " && ", " | "])
      expect(verdictOf(command + separator + pick(DENIED)), command).toBe("deny");
  }
});

test("no wrapper, and no two of them, loosen a denial", () => {
  for (const denied of DENIED)
    for (const outer of WRAPPERS) {
      expect(verdictOf(outer + denied + close(outer)), outer + denied).toBe("deny");
      const inner = pick(WRAPPERS);
      const nested = outer + inner + denied + close(inner) + close(outer);
      if (commandsThatMayRun(nested).errors.length === 0) expect(verdictOf(nested), nested).not.toBe("allow");
    }
});

test("shells inside shells, eval and substitutions keep a denial", () => {
  for (const denied of DENIED)
    for (const wrap of [
      (text: string) => `sh -c ${shQuote(text)}`,
      (text: string) => `bash -ec ${shQuote(text)}`,
      (text: string) => `eval ${shQuote(text)}`,
      (text: string) => `echo $(${text})`,
      (text: string) => `cat <(${text})`,
      (text: string) => `echo "\`${text}\`"`,
      (text: string) => `bash <<'X'\n${text}\nX`,
      (text: string) => `trap ${shQuote(text)} EXIT`,
    ]) {
      expect(verdictOf(wrap(denied)), wrap(denied)).toBe("deny");
      expect(verdictOf(wrap(wrap(denied))), wrap(wrap(denied))).not.toBe("allow");
    }
});

test("wrapping an allowed command in something that changes its environment never makes it freer", () => {
  for (let round = 0; round < rounds(1000); round++) {
    const command = simpleCommand();
    const before = verdictOf(command);
    for (const prefix of ["PATH=. ", "LD_PRELOAD=./x ", "GIT_PAGER=./x ", "env -i ", "timeout 5 "]) {
      expect(isStricter(before, verdictOf(prefix + command)), prefix + command).toBe(false);
    }
  }
});

test("what the proof accepts, bash accepts, and the other extractor reads the same commands in it", () => {
  const bash = spawnSync("bash", ["-n", "-c", ":"]).status === 0;
  let proven = 0;
  const mutate = (text: string) =>
    random() < 0.5
      ? text
      : text.slice(0, Math.floor(random() * text.length)) +
        pick([
          ")",
          "(",
          "'",
          '"',
          "$(",
          "<<X",
          "\\",
          "&&",
          ";;",
          "`",
          "}",
          "|",
          "{",
          " # ",
          "\n",
          "done",
          "fi",
          "[[",
          "=(",
          "$",
        ]) +
        text.slice(Math.floor(random() * text.length));
  const accepted: string[] = [];
  for (let round = 0; round < rounds(3000); round++) {
    const text = mutate(script());
    const view = commandsThatMustRun(text);
    if (!view.proven) continue;
    proven++;
    const danger = commandsThatMayRun(text);
    if (danger.errors.length === 0 && agrees(view.commands, danger.nodes)) accepted.push(text);
  }
  expect(proven).toBeGreaterThan(300);
  expect(accepted.length / proven).toBeGreaterThan(0.97);
  if (bash)
    for (const text of accepted.slice(0, 250)) expect(spawnSync("bash", ["-n", "-c", text]).status, text).toBe(0);
});

test("no text makes the judge throw, and none of it is answered slowly", () => {
  const pieces = [
    "$(",
    ")",
    "`",
    "'",
    '"',
    "\\",
    "<<",
    "EOF",
    "\n",
    ";",
    "&",
    "|",
    "{",
    "}",
    "(",
    "[[",
    "]]",
    "$x",
    "${",
    "#",
    "*",
    "~",
    "\u0000",
    "\u202e",
    "\ud800",
    "é",
    "if ",
    "for ",
    "case ",
    "rm ",
    "sudo ",
    "eval ",
    ">",
    "<",
    "=",
    "((",
    "!",
    "-",
    "/",
    " ",
    "a",
    "function f",
    "in ",
    "esac",
    "@(",
    "$'",
    '$"',
  ] as const;
  let worst = 0;
  for (let round = 0; round < rounds(8000); round++) {
    const text = Array.from({ length: 1 + Math.floor(random() * 60) }, () => pick(pieces)).join("");
    const start = processorTime();
    expect(["allow", "ask", "deny"]).toContain(verdictOf(text));
    worst = Math.max(worst, processorTime() - start);
  }
  expect(worst).toBeLessThan(500);
});
