import { expect, test } from "vitest";
import { judge } from "../../guard/judge/judge.ts";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { unsettableNames } from "../../lib/process/dangerous-variables.ts";

const policy = { ...PRESETS.default, version: 1 as const, workspaceRoot: "/srv/repo", home: "/home/dev" };
const decide = (command: string) => judge({ tool: "Bash", input: { command } }, policy, fakeMachine({}));
const verdictOf = (command: string) => decide(command).verdict;

/** Every way to set a variable, and the verdict if its name is harmless. */
const WAYS: readonly (readonly [way: (name: string) => string, harmless: "allow" | "ask"])[] = [
  [(name) => `${name}=./x; ls`, "allow"],
  [(name) => `${name}=$(nproc); ls`, "allow"],
  [(name) => `true && ${name}=./x; ls`, "allow"],
  [(name) => `${name}+=./x; ls`, "ask"],
  [(name) => `${name}=(./x); ls`, "ask"],
  [(name) => `${name}[0]=./x; ls`, "ask"],
  [(name) => `for ${name} in ./x; do ls; done`, "allow"],
  [(name) => `for ${name} in a b c; do ls; done`, "allow"],
  [(name) => `for ${name}; do ls; done`, "ask"],
  [(name) => `for ((${name}=1; ${name}<2; ${name}++)); do ls; done`, "ask"],
  [(name) => `select ${name} in ./x; do ls; done`, "ask"],
  [(name) => `read ${name}; ls`, "allow"],
  [(name) => `read -r ${name} <<< ./x; ls`, "allow"],
  [(name) => `read -rp 'name? ' other ${name}; ls`, "allow"],
  [(name) => `read -a ${name}; ls`, "allow"],
  [(name) => `read -ra${name} <<< ./x; ls`, "allow"],
  [(name) => `read -d : -n 5 -t 1 -u 0 ${name}; ls`, "allow"],
  [(name) => `while read -r ${name}; do ls; done < a.txt`, "allow"],
  [(name) => `cat a.txt | while read -r ${name}; do ls; done`, "allow"],
  [(name) => `builtin read ${name}; ls`, "allow"],
  [(name) => `command read ${name}; ls`, "allow"],
  [(name) => `mapfile ${name} < a.txt; ls`, "ask"],
  [(name) => `readarray -t ${name} < a.txt; ls`, "ask"],
  [(name) => `printf -v ${name} ./x; ls`, "allow"],
  [(name) => `printf -v${name} %s ./x; ls`, "allow"],
  [(name) => `builtin printf -v ${name} ./x; ls`, "allow"],
  [(name) => `printf "$(cat x)" ${name} ./x; ls`, "ask"],
  [(name) => `getopts ab ${name}; ls`, "allow"],
  [(name) => `wait -p ${name}; ls`, "allow"],
  [(name) => `wait -n -p ${name} 12; ls`, "allow"],
  [(name) => `exec {${name}}> out.txt; ls`, "ask"],
  [(name) => `ls {${name}}< a.txt`, "ask"],
  [(name) => `coproc ${name} { ls; }`, "ask"],
  [(name) => `declare ${name}=./x; ls`, "allow"],
  [(name) => `typeset ${name}=./x; ls`, "allow"],
  [(name) => `local ${name}=./x; ls`, "allow"],
  [(name) => `readonly ${name}=./x; ls`, "allow"],
  [(name) => `declare -x ${name}=./x; ls`, "ask"],
  [(name) => `declare -n other=${name}; other=./x; ls`, "ask"],
  [(name) => `export ${name}=./x; ls`, "ask"],
  [(name) => `${name}=./x; export ${name}; ls`, "ask"],
  [(name) => `n=${name}; export $n=./x; ls`, "ask"],
  [(name) => `n=${name}; read $n; ls`, "allow"],
  [(name) => `n=${name}; printf -v "$n" ./x; ls`, "allow"],
  [(name) => `read "$(expr ${name})"; ls`, "ask"],
  [(name) => `let ${name}=1; ls`, "ask"],
  [(name) => `((${name}=1)); ls`, "ask"],
  [(name) => `echo $((${name}=1)); ls`, "ask"],
  [(name) => `: "\${${name}:=./x}"; ls`, "ask"],
  [(name) => `unset ${name}; ls`, "allow"],
  [(name) => `unset -v ${name}; ls`, "allow"],
  [(name) => `${name}=./x ls`, "ask"],
  [(name) => `env ${name}=./x ls`, "ask"],
  [(name) => `set -a; ${name}=./x; ls`, "ask"],
  [(name) => `eval ${name}=./x; ls`, "allow"],
  [(name) => `if true; then ${name}=./x; fi; ls`, "allow"],
];

const POISON =
  "PATH HOME IFS ENV BASH_ENV SHELLOPTS BASHOPTS LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES PS4 PROMPT_COMMAND CDPATH GLOBIGNORE " +
  "GIT_DIR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT NODE_OPTIONS PYTHONPATH PYTHONSTARTUP PERL5OPT RUBYOPT EDITOR PAGER LESSOPEN TMPDIR MAKEFLAGS";

test("no way of setting a variable that programs obey is allowed", () => {
  const allowed = [...POISON.split(" "), ...unsettableNames()].flatMap((name) =>
    WAYS.map(([way]) => way(name)).filter((command) => verdictOf(command) === "allow"),
  );
  expect(allowed).toEqual([]);
});

test("with a harmless name only what exports, evaluates or hides the name is asked about", () => {
  const verdicts = WAYS.map(([way]) => [way("item"), verdictOf(way("item"))]);
  expect(verdicts).toEqual(WAYS.map(([way, harmless]) => [way("item"), harmless]));
});

test("the reason names the variable", () => {
  for (const command of ["for PATH in ./x; do ls; done", "read -a PATH", "printf -v PATH x", "wait -p PATH"])
    expect(decide(command).because).toContain("PATH");
});

test.each([
  "x=sudo; $x rm",
  "FOO=1 sudo ls",
  'S=sudo; "$S" id',
  "x=; $x sudo id",
  "true && x=sudo; $x id",
  "false || x=sudo; $x id",
  "if true; then x=sudo; fi; $x id",
  "x=sudo; if true; then x=ls; fi; $x id",
  "case a in a) x=sudo;; esac; $x id",
  "while true; do x=sudo; break; done; $x id",
  "for x in ls sudo; do :; done; $x id",
  "for x in ls sudo; do $x id; done",
  "read x <<< sudo; $x id",
  "read a x <<< 'ls sudo'; $x id",
  "printf -v x %s sudo; $x id",
  "x=su; x+=do; $x id",
  "x=su; y=do; $x$y id",
  "x='sudo id'; $x",
  "x='sudo id'; eval $x",
  'x="sudo id"; bash -c "$x"',
  "x=$(echo sudo); $x id",
  "x=$(echo -e 'su\\x64o'); $x id",
  "x=$(printf '%q' sudo); $x id",
  "export x=sudo; $x id",
  "declare x=sudo; $x id",
  "${x:-sudo} id",
  "set -- sudo id; $1 id",
  'set -- sudo id; "$@"',
  "x=env; if true; then x=timeout; fi; $x 5 sudo id",
  "if true; then f=.env; fi; cat $f",
  "f=a.txt; test -e b && f=.env; cat $f",
  "command cd .git && echo x > config",
])("%s is denied, not asked about", (command) => {
  expect(verdictOf(command)).toBe("deny");
});
