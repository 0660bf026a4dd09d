import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { judgedScript, writeScript } from "../shell/open-shell.ts";
import { contextVariables, isReserved, renderShell } from "./shell-template.ts";

type Expected = (value: string) => string;
const same: Expected = (value) => value;
/** A shell drops line feeds at the end of what it substitutes. */
const cut: Expected = (value) => value.replace(/\n+$/, "");

/** Places for a value, and what is printed from there. */
const POSITIONS: Readonly<Record<string, readonly [command: string, expected: Expected]>> = {
  "plain word": ["printf '%s' {{v}}", same],
  "part of a word": ["printf '%s' a{{v}}b", (v) => `a${v}b`],
  "single quotes": ["printf '%s' 'a {{v}} b'", (v) => `a ${v} b`],
  "only in single quotes": ["printf '%s' '{{v}}'", same],
  "double quotes": ['printf "%s" "a {{v}} b"', (v) => `a ${v} b`],
  "dollar single quotes": ["printf '%s' $'a\\t{{v}}'", (v) => `a\t${v}`],
  "dollar double quotes": ["printf '%s' $\"a {{v}}\"", (v) => `a ${v}`],
  "command substitution": ['printf "%s" "$(printf "%s" "{{v}}")"', cut],
  "unquoted substitution": ["x=$(printf '%s' {{v}}); printf '%s' \"$x\"", cut],
  backticks: ["x=`printf '%s' {{v}}`; printf '%s' \"$x\"", cut],
  "default value": ['printf "%s" "${unset_one:-{{v}}}"', same],
  "unquoted default value": ["x=${unset_one:-{{v}}}; printf '%s' \"$x\"", same],
  assignment: ["x={{v}}; printf '%s' \"$x\"", same],
  "here string": ["cat <<<{{v}}", (v) => `${v}\n`],
  "here document": ["cat <<EOF\na {{v}} b\nEOF", (v) => `a ${v} b\n`],
  "quoted here document": ["cat <<'EOF'\na {{v}} $HOME `id` \\ b\nEOF", (v) => `a ${v} $HOME \`id\` \\ b\n`],
  "double-quoted here document": ['cat <<"E O F"\n{{v}}\nE O F', (v) => `${v}\n`],
  "escaped here document": ["cat <<\\EOF\n{{v}}\nEOF", (v) => `${v}\n`],
  "here document with tabs": ["cat <<-'EOF'\n\t{{v}}\n\tEOF", (v) => `${v}\n`],
  "two here documents": ["cat <<A - <<'B'\n{{v}}\nA\n{{v}}\nB", (v) => `${v}\n`],
  "here document in a substitution": ["x=$(cat <<'EOF'\n{{v}}\nEOF\n); printf '%s' \"$x\"", cut],
  "after a comment with a quote": ["# don't {{v}}\nprintf '%s' {{v}}", same],
  "case word": ["case {{v}} in *) printf '%s' \"{{v}}\";; esac", same],
  "case in a substitution": ['printf "%s" "$(case a in a) printf "%s" "{{v}}";; esac)"', cut],
  "test of equality": ["[[ {{v}} == x ]] || printf '%s' '{{v}}'", same],
  "for loop": ["for x in {{v}} '{{v}}'; do printf '%s' \"$x\"; done", (v) => `${v}${v}`],
  function: ["f() { printf '%s' \"$1\"; }; f {{v}}", same],
};

const PAYLOADS: Readonly<Record<string, string>> = {
  substitution: "$(touch PWNED)",
  backticks: "`touch PWNED`",
  "single quote": "'; touch PWNED; '",
  "double quote": '"; touch PWNED; "',
  both: `'"; touch PWNED; #`,
  semicolon: "; touch PWNED",
  lines: "x\ntouch PWNED\n",
  delimiters: "x\nEOF\ntouch PWNED\nE O F\ntouch PWNED\nA\nB\ntouch PWNED",
  "own delimiter": "x\nRECIPE_TEXT_0\ntouch PWNED",
  brace: "${x:-$(touch PWNED)}",
  arithmetic: "a[$(touch PWNED)]",
  backslash: "\\'; touch PWNED; \\",
  dollar: "$'\\'; touch PWNED",
  template: "{{v}}$(touch PWNED)",
  glob: "*",
  empty: "",
  unicode: "ü\u2028 $(touch PWNED)",
};

test("every payload in every position arrives unchanged and never runs", () => {
  const cwd = tempFolder();
  const cases = Object.entries(POSITIONS).flatMap(([position, [command, expected]]) =>
    Object.entries(PAYLOADS).map(([payload, value]) => ({
      name: `${position} × ${payload}`,
      command,
      value,
      expected,
    })),
  );
  cases.forEach(({ command, value }, index) => {
    const { script, variables, problem } = renderShell(command, { v: value });
    expect(problem).toBeUndefined();
    writeScript(join(cwd, `${index}.sh`), script, variables);
  });
  // One shell for all, so that hundreds of cases cost little.
  const driver = 'for ((i = 0; i < $1; i++)); do ( . "./$i.sh" ) 2>&1; printf "\\0"; done';
  const { stdout } = spawnSync("bash", ["-c", driver, "bash", String(cases.length)], { cwd, encoding: "utf8" });
  const printed = stdout.split("\0");
  expect(cases.map(({ name }, index) => [name, printed[index]])).toEqual(
    cases.map(({ name, value, expected }) => [name, expected(value)]),
  );
  expect(existsSync(join(cwd, "PWNED"))).toBe(false);
});

test.each(["LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS", "PATH", "IFS", "GIT_DIR", "SIGNALBOX_HOME", "LC_ALL"])(
  "a context value never becomes the variable %s",
  (name) => {
    expect(isReserved(name)).toBe(true);
    expect(contextVariables({ [name.toLowerCase()]: "x" }).has(name)).toBe(false);
  },
);

test("context values become variables, nested ones too", () => {
  expect(Object.fromEntries(contextVariables({ a: { "b-c": 1 }, name: "x", list: [1] }))).toEqual({
    RECIPE_VAR_a: '{"b-c":1}',
    RECIPE_VAR_a__b_c: "1",
    RECIPE_VAR_name: "x",
    NAME: "x",
    RECIPE_VAR_list: "[1]",
  });
});

test.each([
  ["echo $(( {{v}} + 1 ))", "is used as a number"],
  ["(( x = {{v}} ))", "is used as a number"],
  ["[[ {{v}} -eq 3 ]]", "is used as a number"],
  ['[[ 3 -gt "{{v}}" ]]', "is used as a number"],
  ["echo ${list[{{v}}]}", "is used as a number"],
  ["list[{{v}}]=1", "is used as a number"],
  ["let x={{v}}", "is used as a number"],
  ["echo ${x:{{v}}}", "is used as a number"],
  ["cat <<EOF\n$(( {{v}} ))\nEOF", "is used as a number"],
  ["bash -c 'echo {{v}}'", "would become part of a program"],
  ['sh -ec "echo {{v}}"', "would become part of a program"],
  ["eval echo {{v}}", "would become part of a program"],
  ["if true; then eval {{v}}; fi", "would become part of a program"],
  ["X=1 python3 -c 'print(\"{{v}}\")'", "would become part of a program"],
  ["python3 - <<'EOF'\nprint('{{v}}')\nEOF", "would become part of a program"],
  ["bash <<EOF\necho {{v}}\nEOF", "would become part of a program"],
])("a value that could be code is refused where it would be code: %s", (command, because) => {
  expect(renderShell(command, { v: "a[$(touch PWNED)]" }).problem).toContain(because);
  expect(renderShell(command, { v: 3 }).problem).toBeUndefined();
});

test("a value with NUL is refused only where it is used", () => {
  expect(renderShell("echo {{v}}", { v: "a\0b" }).problem).toContain("NUL");
  expect(renderShell("echo {{w}}", { v: "a\0b", w: "x" }).problem).toBeUndefined();
});

test("two names that share a variable keep their values apart", () => {
  const { script, variables } = renderShell("echo {{a-b}} {{a_b}}", { "a-b": 1, a_b: 2 });
  expect(script).toBe('echo "${RECIPE_VAR_a_b}" "${RECIPE_VAR_a_b_2}"');
  expect(Object.fromEntries(variables)).toEqual({ RECIPE_VAR_a_b: "1", RECIPE_VAR_a_b_2: "2" });
});

test("a value of 2 MB reaches the script, though no program could get it in its environment", () => {
  const cwd = tempFolder();
  const value = "x".repeat(2 * 1024 * 1024);
  const { script, variables } = renderShell('printf "%s" "{{v}}" | wc -c; true {{v}} | cat; /bin/true', { v: value });
  writeScript(join(cwd, "big.sh"), script, variables);
  const { stdout, status } = spawnSync("bash", ["big.sh"], { cwd, encoding: "utf8" });
  expect([status, stdout.trim()]).toEqual([0, String(value.length)]);
});

test("the guard sees the values of the variables that a script mentions", () => {
  const variables = new Map([
    ["RECIPE_VAR_dir", "/it's"],
    ["RECIPE_VAR_other", "x"],
  ]);
  expect(judgedScript('rm -r "${RECIPE_VAR_dir}"', variables)).toBe(
    `RECIPE_VAR_dir='/it'\\''s'\nrm -r "\${RECIPE_VAR_dir}"`,
  );
});

test("the guard sees a variable that programs act on, whether or not the script mentions it", () => {
  const variables = new Map([
    ["GREETING", "hi"],
    ["XDG_CONFIG_HOME", "/repo/cfg"],
    ["GOFLAGS", `-toolexec=./x ${"x".repeat(100_000)}`],
  ]);
  const judged = judgedScript("git status", variables);
  expect(judged).toMatch(/^XDG_CONFIG_HOME='?\/repo\/cfg'?\nGOFLAGS='-toolexec=\.\/x x+'\ngit status$/);
  expect(judged.length).toBeLessThan(200);
});
