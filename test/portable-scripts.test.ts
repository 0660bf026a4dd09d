import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seatbeltScript } from "../src/sandbox/macos/seatbelt-session.ts";
import { needs } from "./support/platform.ts";
import { PROJECT, SIGNALBOX } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

/** What bash 3.2, the one of macOS, does not know or reads differently. */
const NEWER_BASH: Readonly<Record<string, RegExp>> = {
  "associative arrays and references": /\b(?:declare|local|typeset)\s+-\w*[Anglu]/,
  "mapfile and readarray": /\b(?:mapfile|readarray|coproc)\b/,
  "case changes": /\$\{\w+(?:\[[^\]]*\])?(?:,|\^)/,
  transformations: /\$\{\w+(?:\[[^\]]*\])?@[A-Za-z]\}/,
  "a substring that ends before the end": /\$\{\w+:[^}]*:\s*-\d/,
  "both streams in one pipe or appended": /\|&|&>>/,
  "descriptors by name": /\{\w+\}[<>]/,
  "waiting for any": /\bwait\s+-n/,
  "fractions of a second": /\bread\b[^\n]*-t\s*\d*\.\d/,
  "exact reads": /\bread\b[^\n]*\s-\w*N/,
  "tests for variables": /\[\[?\s+-v\s/,
  times: /%\([^)]*\)T|\bEPOCH(?:REALTIME|SECONDS)\b|\bSRANDOM\b/,
  "options of newer versions": /\bshopt\s+-s\s+[^\n]*\b(?:globstar|lastpipe|inherit_errexit|autocd)\b/,
  "fall through": /;;&|;&/,
};

/** What a plain /bin/sh need not know. */
const NOT_POSIX: Readonly<Record<string, RegExp>> = {
  "double brackets": /(?:^|[\s;(])\[\[\s/m,
  "arithmetic commands": /(?:^|[\s;])\(\(/m,
  arrays: /^\s*\w+=\(/m,
  "here strings": /<<</,
  "process substitution": /[<>]\(/,
  "local variables and functions": /^\s*(?:local|function|declare)\s/m,
  "patterns in replacements": /\$\{\w+\//,
  "ANSI quotes": /\$'/,
  "echo with options": /\becho\s+-/,
  "both streams": /&>/,
};

const faultsIn = (text: string, table: Readonly<Record<string, RegExp>>) =>
  Object.entries(table).flatMap(([name, pattern]) => (pattern.test(text) ? [name] : []));

/** The branch for newer versions is not run by the old one. */
const asOldBash = (text: string) => text.replaceAll(/if \(\(BASH_VERSINFO\[0\] > 3\)\); then\n.*\n\s*else\n/g, "");

/** Comments say anything. */
const code = (text: string) => text.replaceAll(/^\s*#(?!!).*$/gm, "");

const scripts = [
  "bin/signalbox",
  "shims/copilot",
  "scripts/with-node.sh",
  ...globSync("src/hooks/client/*.sh", { cwd: PROJECT }),
].map((path) => ({ path, text: code(readFileSync(join(PROJECT, path), "utf8")) }));

/** Written only where there is /proc. */
const ONLY_LINUX = "src/hooks/client/entry-served.sh";
const isBash = (text: string) => text.startsWith("#!@BASH@");

test.each(scripts.filter(({ path }) => path !== ONLY_LINUX))("$path needs no newer bash than 3.2", ({ text }) => {
  expect(faultsIn(asOldBash(text), NEWER_BASH)).toEqual([]);
});

test.each(scripts.filter(({ text }) => !isBash(text)))("$path needs no more than a plain sh", ({ text }) => {
  expect(faultsIn(text, NOT_POSIX)).toEqual([]);
});

test("the sandbox script of macOS and the completions need no newer bash than 3.2", () => {
  const script = seatbeltScript({
    sandboxExec: "/usr/bin/sandbox-exec",
    profile: "/p",
    commands: "/c",
    variables: { HOME: "/h" },
  });
  const completions = execFileSync(SIGNALBOX, ["completions", "bash"], { encoding: "utf8" });
  expect([script, completions].map((text) => faultsIn(asOldBash(code(text)), NEWER_BASH))).toEqual([[], []]);
});

test.each([
  ["declare -A map", NEWER_BASH],
  ["local -n other=$1", NEWER_BASH],
  ["mapfile -t lines", NEWER_BASH],
  ["echo ${name,,}", NEWER_BASH],
  ["echo ${name^}", NEWER_BASH],
  ["echo ${name@Q}", NEWER_BASH],
  ["echo ${name:1:-1}", NEWER_BASH],
  ["a |& b", NEWER_BASH],
  ["a &>> b", NEWER_BASH],
  ["exec {fd}<file", NEWER_BASH],
  ["wait -n", NEWER_BASH],
  ["read -r -t 0.5 x", NEWER_BASH],
  ["read -r -N 10 x", NEWER_BASH],
  ["[[ -v x ]]", NEWER_BASH],
  ["printf '%(%s)T'", NEWER_BASH],
  ["shopt -s globstar", NEWER_BASH],
  ["a) b ;;& c) d ;;", NEWER_BASH],
  ["[[ a = b ]]", NOT_POSIX],
  ["((x > 1))", NOT_POSIX],
  ["x=(1 2)", NOT_POSIX],
  ["cat <<<x", NOT_POSIX],
  ["diff <(a) b", NOT_POSIX],
  ["local x", NOT_POSIX],
  ["echo ${x//a/b}", NOT_POSIX],
  ["printf $'a'", NOT_POSIX],
  ["echo -n x", NOT_POSIX],
  ["a &> b", NOT_POSIX],
])("%s is found", (text, table) => {
  expect(faultsIn(text, table)).not.toEqual([]);
});

const SHELLS = { dash: ["dash"], busybox: ["busybox", "sh"] } as const;

needs("dash", "busybox").each(Object.entries(SHELLS))("%s reads our scripts and starts signalbox", (_, words) => {
  const [program = "", ...args] = words;
  const env = { PATH: process.env["PATH"], HOME: tempFolder() };
  for (const { path } of scripts.filter(({ text }) => !isBash(text)))
    expect([path, spawnSync(program, [...args, "-n", join(PROJECT, path)]).status]).toEqual([path, 0]);
  const { status, stdout } = spawnSync(program, [...args, SIGNALBOX, "--version"], { env, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});
