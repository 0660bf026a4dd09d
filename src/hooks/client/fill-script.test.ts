import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { fillScript, fillText, type ScriptName } from "./fill-script.ts";
import { WRAPPER_LINE } from "./wrappers.ts";

const HOSTILE = [
  "it's",
  '"; touch marked; "',
  "'; touch marked; '",
  "$(touch marked)`touch marked`",
  "\n$(touch marked)\ntouch marked\n#",
  "a & touch marked &",
  "$& $1 $' $$ \\ \\' \\",
  "@ONE@ @OTHER@ @@",
  "* ~ -n {a,b} !x",
  "",
];

test.each(["/bin/sh", "/bin/bash"])("whatever words hold, %s reads them as they are", (shell) => {
  const cwd = tempFolder();
  const text = fillText("printf '%s\\0' @ONE@ @ALL@ @NONE@ last\n", { ONE: "@ALL@", ALL: HOSTILE, NONE: [] });
  const { stdout } = spawnSync(shell, ["-c", text], { cwd, encoding: "utf8" });
  expect(stdout.split("\0")).toEqual(["@ALL@", ...HOSTILE, "last", ""]);
  expect(readdirSync(cwd)).toEqual([]);
});

test("a placeholder without a value, a value without a placeholder and a NUL are refused", () => {
  expect(() => fillText("a @ONE@ @OTHER@", { ONE: "1" })).toThrow("the placeholder @OTHER@ has no value");
  expect(() => fillText("a @ONE@", { ONE: "1", OTHER: "2" })).toThrow("there is no placeholder for OTHER");
  expect(() => fillText("a @ONE@", { ONE: "a\0b" })).toThrow("NUL");
  expect(() => fillScript("entry-plain", {})).toThrow("@BUNDLE@ has no value");
});

test.each(["/opt/a b/bash", "/bin/bash\ntouch marked", "bash", "", "/bin/ba'sh"])(
  "%j is refused as the interpreter of a script",
  (path) => expect(() => fillText("#!@BASH@ -p\n", { BASH: path })).toThrow("plain absolute path"),
);

const REFUSALS = ["REFUSED_TOOL", "REFUSED_STOP", "REFUSED_SUBAGENT_STOP", "NO_ANSWER"];
const LAUNCH = ["TOKEN", "SECONDS", "STOP_SECONDS", "SEAL", "BUNDLE", ...REFUSALS];

/** The placeholders of each script, including those in the files it sources. */
const PLACEHOLDERS: Readonly<Record<ScriptName, readonly string[]>> = {
  "launch-bash": [...LAUNCH, "PORT"],
  "launch-sh": [...LAUNCH, "SOCKET", "NC"],
  staged: [...REFUSALS, "EVENT", "SEAL", "ABSENT", "WARNING", "ABSENT_DENIAL", "ABSENT_REASON", "REMEMBERED", "AGENT"],
  "entry-plain": ["BUNDLE"],
  "entry-served": ["SECONDS", "SEAL", "LAUNCHES", "SERVERS", "SERVER", "BUNDLE"],
};

const NAMES = ["launch-bash", "launch-sh", "staged", "entry-plain", "entry-served"] as const;

test.each(NAMES)("no placeholder of %s stands in quotes or in a comment, where a value could end them", (name) => {
  const [cwd, place] = [tempFolder(), tempFolder()];
  const file = join(place, "script");
  mkdirSync(join(place, ".signalbox/bin"), { recursive: true });
  writeFileSync(join(place, ".signalbox/bin/hook"), "#!/bin/sh\ncat >/dev/null\n", { mode: 0o700 });
  for (const hostile of HOSTILE) {
    const values = Object.fromEntries(PLACEHOLDERS[name].map((key) => [key, hostile]));
    const bash = name.endsWith("bash") || name.endsWith("served") ? { BASH: "/bin/bash" } : {};
    writeFileSync(file, fillScript(name, { ...values, ...bash }), { mode: 0o700 });
    const env = { PATH: "/usr/bin:/bin", HOME: place, TMPDIR: place };
    const { status, stderr } = spawnSync(file, ["tool-before", "x"], { cwd, env, input: "{}", encoding: "utf8" });
    expect(status).not.toBeNull();
    expect(stderr).not.toMatch(/syntax error|unexpected|unterminated/i);
  }
  expect(readdirSync(cwd)).toEqual([]);
});

test("every script of the folder is one of these, or part of one", () => {
  const files = globSync("*.sh", { cwd: import.meta.dirname });
  const texts = files.map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));
  const sourced = texts.flatMap((text) => [...text.matchAll(/^\. \.\/(.*)$/gm)].map(([, file]) => file));
  expect(new Set(files)).toEqual(new Set([...NAMES.map((name) => `${name}.sh`), ...sourced]));
});

test("a staged wrapper has the line by which it is known as ours, and no note for shellcheck", () => {
  const values = Object.fromEntries(PLACEHOLDERS.staged.map((key) => [key, ""]));
  const text = fillScript("staged", values);
  expect(text.split("\n")[1]).toBe(WRAPPER_LINE);
  expect(text).not.toMatch(/# shellcheck|^\. /m);
});
