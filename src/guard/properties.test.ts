import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { HELD_PARTS } from "../contract/agent-call.ts";
import { rounds } from "../../test/support/seeded-random.ts";
import { DENIED, WRAPPERS } from "../../test/fixtures/guard/wrapped-denials.ts";
import { processorTime } from "../../test/support/processor-time.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { judge, isStricter } from "./judge/judge.ts";
import type { Policy } from "../contract/policy.ts";
import { PRESETS } from "./presets/presets.ts";
import { agrees } from "../shell/parse/compare.ts";
import { commandsThatMayRun } from "../shell/parse/may-run.ts";
import { commandsThatMustRun } from "../shell/parse/must-run.ts";
import { shQuote } from "../lib/text/shell-words.ts";

const SEED = 20_261_115;
const machine = fakeMachine({});
const policy: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
/** Without a sandbox, and in one that holds everything, with a workspace that could be restored. */
const PLACES = [
  ["uncontained", machine],
  ["contained", { ...machine, contained: HELD_PARTS, recoverable: () => true }],
] as const;
type Place = (typeof PLACES)[number][1];
const judgedIn = (place: Place) => (command: string) =>
  judge({ tool: "Bash", input: { command } }, policy, place).verdict;
const verdictOf = judgedIn(machine);

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

/** Denied without a sandbox; in one, its own network and disk hold them. */
const HELD = new Set<string>(["nc -l 80", "dd if=a of=b"]);
const deniedIn = (place: Place) => DENIED.filter((command) => place === machine || !HELD.has(command));
/** After a program, a word of the shell's own is the name of another program, which does not run the rest. */
const isOtherProgram = (outer: string, inner: string) => STARTS_PROGRAM.test(outer) && SHELL_WORD.test(inner);
const STARTS_PROGRAM = /^(?!true|false|ls|if|while|coproc|export)[a-zA-Z$]/;
const SHELL_WORD = /^(?:[!({\n]|if |while |coproc |exec |builtin |command |time |[A-Z]+=)/;
const close = (wrapper: string) =>
  ({ "( ": " )", "{ ": "; }", "if true; then ": "; fi", "while ": "; do :; done" })[wrapper] ?? "";

describe.each(PLACES)("%s", (_, place) => {
  const verdict = judgedIn(place);
  const [first = DENIED[0], ...others] = deniedIn(place);
  const denied = [first, ...others] as const;

  test("a denied command behind any generated script is still denied", () => {
    for (let round = 0; round < rounds(500); round++) {
      const command = script();
      for (const separator of ["; ", "\n", " && ", " | "])
        expect(verdict(command + separator + pick(denied)), command).toBe("deny");
    }
  });

  test("no wrapper, and no two of them, loosen a denial", () => {
    for (const command of denied)
      for (const outer of WRAPPERS) {
        expect(verdict(outer + command + close(outer)), outer + command).toBe("deny");
        const inner = pick(WRAPPERS);
        const nested = outer + inner + command + close(inner) + close(outer);
        if (commandsThatMayRun(nested).errors.length === 0 && !(place !== machine && isOtherProgram(outer, inner)))
          expect(verdict(nested), nested).not.toBe("allow");
      }
  });

  test("shells inside shells, eval and substitutions keep a denial", () => {
    for (const command of denied)
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
        expect(verdict(wrap(command)), wrap(command)).toBe("deny");
        expect(verdict(wrap(wrap(command))), wrap(wrap(command))).not.toBe("allow");
      }
  });

  test("wrapping an allowed command in something that changes its environment never makes it freer", () => {
    for (let round = 0; round < rounds(500); round++) {
      const command = simpleCommand();
      const before = verdict(command);
      for (const prefix of ["PATH=. ", "LD_PRELOAD=./x ", "GIT_PAGER=./x ", "env -i ", "timeout 5 "]) {
        expect(isStricter(before, verdict(prefix + command)), prefix + command).toBe(false);
      }
    }
  });
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
