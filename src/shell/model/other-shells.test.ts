import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isOnPath } from "../../../test/support/is-on-path.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { judge } from "../../guard/judge/judge.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import type { RunningShell } from "../../contract/agent-call.ts";
import { isCommandOfZsh, isSpecialInZsh } from "./shell-difference.ts";

const policy: Policy = {
  ...PRESETS.default,
  version: 1,
  fallback: "allow",
  workspaceRoot: "/srv/repo",
  home: "/home/dev",
};
const machine = fakeMachine({});

/** True if the judge itself reports that the shell matters, or cannot prove anything about the command anyway. */
function isQuestioned(command: string, shell: RunningShell): boolean {
  const { findings } = judge({ tool: "Bash", input: { command }, shell }, policy, machine);
  return findings.some(({ code }) => code === "shell-differs" || code === "unproven" || code === "syntax");
}

const asksAboutShell = (command: string, shell: RunningShell) =>
  judge({ tool: "Bash", input: { command }, shell }, policy, machine).findings.some(
    ({ code }) => code === "shell-differs",
  );

/** One construct each; `sh` marks those in which a plain sh also differs from bash. */
const DIFFERING: readonly { readonly command: string; readonly sh?: true }[] = [
  ...[">!", ">>!", ">&!"].map((operator) => ({ command: `echo x ${operator} f` })),
  { command: "echo x &>! f", sh: true },
  { command: "f=x.env; cat $f[2,-1]" },
  { command: 'f=x.env; cat "$f[2,-1]"' },
  { command: "f=x.env; cat $f:s/x/e/" },
  { command: 'f=x.env; cat "$f:e"' },
  { command: "f=abc; echo $#f" },
  { command: "printf %d 'path[$(id)]'" },
  { command: "read x < f; printf %d $x" },
  { command: "printf '%*d' 'path[$(id)]' 1" },
  { command: "exit 'path[$(id)]'" },
  { command: "shift n" },
  { command: "[ -t 'path[$(id)]' ]" },
  { command: "path=./evil; ls" },
  { command: "for path in ./evil; do ls; done" },
  { command: "read path < f" },
  { command: "export fpath=./evil" },
  { command: "NULLCMD=./evil; ls" },
  { command: "COLUMNS='path[$(id)]'; ls" },
  { command: "cat =ls" },
  { command: "x==ls; cat x" },
  { command: "x=a:=ls; cat x" },
  { command: "cat ~x/y", sh: true },
  { command: "cat .^x" },
  { command: "cat x=~/y", sh: true },
  { command: "cat .en#v" },
  { command: "cat *~x" },
  { command: "cat .env~1" },
  { command: "cat <1-9>.txt" },
  { command: "{ echo } always { ls; }" },
  { command: "noglob ls" },
  { command: "nocorrect ls" },
  { command: "- ls" },
  { command: "repeat 2 ls" },
  { command: "command repeat 2 ls" },
  { command: "chdir src" },
  { command: "cd a b", sh: true },
  { command: "cd +1" },
  { command: "set -f; cat .e*" },
  { command: "set -A path ./evil" },
  { command: "f='ls ; id'; sh -c $f" },
  { command: "f='.e*'; cat $f" },
  { command: "echo x > f*", sh: true },
  { command: "cat 12< f", sh: true },
  { command: "echo $'\\x2eenv'", sh: true },
  { command: "echo '\\056env' | xargs cat", sh: true },
  { command: "eval 'cat =ls'" },
  { command: "echo .env > list | xargs cat" },
  { command: "echo .env | xargs cat < list" },
];

const SAME = [
  "ls -la src && git log --oneline HEAD~3..HEAD | head -5",
  "git show HEAD^:src/a.ts",
  'for f in src/*.ts; do wc -l "$f"; done',
  'x=a; echo "$x" ${x}s > out.txt 2>&1',
  "printf '%s\\n' one two && exit 1",
  "printf '%5d' 12",
  "set -euo pipefail; npm test",
  "cd src && npm run build -- --mode=production --define=a==b",
  "[ -f a.txt ] || echo missing",
  "cat <<'EOF'\n$f[1] =ls ~x >! y\nEOF",
  "curl -s 'http://localhost/?a=b#c'",
  "pip install requests==2.0",
  "find . -name '*.ts' -exec wc -l {} +",
];

describe("a command that shells read differently", () => {
  test.each(DIFFERING)("$command", ({ command, sh }) => {
    expect({
      bash: asksAboutShell(command, "bash"),
      sh: asksAboutShell(command, "sh"),
      any: asksAboutShell(command, "any"),
    }).toEqual({ bash: false, sh: sh === true, any: true });
  });

  test.each(SAME)("is not seen in %s", (command) => {
    expect(asksAboutShell(command, "any")).toBe(false);
  });

  test("is asked about inside another shell, whoever runs the outer one", () => {
    const inner = (shell: string) => asksAboutShell(`${shell} -c 'echo x >! f'`, "bash");
    expect([inner("bash"), inner("sh"), inner("zsh"), inner("ksh")]).toEqual([false, false, true, true]);
    expect(asksAboutShell(`sh -c "echo '\\056env'"`, "bash")).toBe(true);
    expect(asksAboutShell("bash -c 'echo x >! f'", "any")).toBe(false);
    expect(asksAboutShell("watch 'echo x >! f'", "bash")).toBe(true);
  });
});

const random = seededRandom(20_261_116);
const pick = (items: readonly string[]) => items[Math.floor(random() * items.length)] ?? "";

const WORDS =
  String.raw`a .env * .e* ?nv [ab] 'q w' "$f" $f $f[1] "$f[2,-1]" ${"$"}{f}[1] "${"$"}{f}":h $f:h $f:t "$f:h" $f:1 "$f:/x" =ls x=y == = ~ ~/a ~f ~+ ~- HEAD~1 HEAD^ @^ .^x .en#v *~a ^a a# {a,b} {1..3} {} { } a} {a} $#f $# $? $'a\tb' "a\tb" 'a\tb' a\tb \~ \=ls a=~/b a=~f @ % a,b a:b a:~ $f.x $f/x "$f"x "\$f" '' "" - -- ! !x a!b "a!b" \* \$f $ "$" a$ [ ] [] [!a] [^a] a[1] -n -e +x .. ./ sub/* */ b=[a] %1 1 07 0x1 "a b"`
    .replaceAll(/('q w'|"a b")/g, (text) => text.replace(" ", "\u00a0"))
    .split(" ")
    .map((word) => word.replace("\u00a0", " "));
const REDIRECTS =
  '> out|>! out|>>! out|>&! out|&>! out|> !o|>| out|>> out|2> err|12> out|< a|<1-2>x|<->x|&> out|> o*|> .e*|<<< w|<<< "$f"|>&2|< .e*|3< a|> $f'.split(
    "|",
  );
const PROGRAMS =
  "show|show|show|show|echo|printf '%s.'|printf %d|print|noglob show|nocorrect show|- show|repeat 2 show|builtin echo|command echo|cd sub && show|set -f; show|set -- x y; show|cd sub a; show|test 1 = 1 && show|! show|eval show|f=a show|export f; show|end|r".split(
    "|",
  );
const STARTS =
  "f=.env|f='a b'|f=xa|path=sub|f=*|f==a|f=a:~/b|f=$f$f|for f in a .env|for path in sub|read f < list|export f=.env|f=\"$(show x)\"|NULLCMD=show|IFS=n|f='{a,b}'|f=~/a".split(
    "|",
  );

function generated(): string {
  const words = Array.from({ length: Math.floor(random() * 3) }, () => pick(WORDS));
  const redirect = random() < 0.25 ? ` ${pick(REDIRECTS)}` : "";
  const command = `${pick(PROGRAMS)} ${words.join(" ")}${redirect}`;
  const start = random() < 0.6 ? pick(STARTS) : "";
  if (start.startsWith("for ")) return `${start}; do ${command}; done`;
  const wrapped = pick([
    command,
    command,
    `( ${command} )`,
    `{ ${command}; }`,
    `printf %s "$(${command})"`,
    `${command} | cat`,
  ]);
  return start === "" ? wrapped : `${start}${pick(["; ", " && ", "\n"])}${wrapped}`;
}

const CASES = [...new Set(Array.from({ length: 500 }, generated))];

/** Runs each case in a separate folder, in one process, and returns its output and the files it created. */
function outcomes(program: string, before: string, cases: readonly string[]): readonly string[] {
  const root = tempFolder();
  cases.forEach((text, index) => {
    mkdirSync(join(root, `w${index}`, "sub"), { recursive: true });
    for (const name of ["a", ".env", "b", "sub/a", "HEAD"]) writeFileSync(join(root, `w${index}`, name), `${name}\n`);
    writeFileSync(join(root, `w${index}`, "list"), ".env\n");
    writeFileSync(join(root, `c${index}`), text);
  });
  const driver = `${before}\nshow() { printf '<%s>' "$@"; echo; }\ni=0\nwhile [ $i -lt ${cases.length} ]; do ( cd "w$i" && . "../c$i" ) > "o$i" 2>/dev/null < /dev/null; i=$((i+1)); done\n`;
  writeFileSync(join(root, "driver"), driver);
  const env = { PATH: process.env["PATH"], HOME: join(root, "home"), LC_ALL: "C" };
  spawnSync(program, ["driver"], { cwd: root, env, timeout: 60_000 });
  return cases.map((_, index) => {
    const folder = join(root, `w${index}`);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
    return `${readFileSync(join(root, `o${index}`), "utf8").replaceAll(root, "")}\u0000${files.join(" ")}`;
  });
}

const other = (shell: string, cases: readonly string[]) =>
  shell === "zsh, extended" ? outcomes("zsh", "setopt extendedglob", cases) : outcomes(shell, "", cases);

/** Another shell may stop at an error that bash ignores, but must not do anything that bash would not. */
function isNoMore(one: string, bash: string): boolean {
  const [output = "", files = ""] = one.split("\u0000");
  const [outputOfBash = "", filesByBash = ""] = bash.split("\u0000");
  return outputOfBash.startsWith(output) && files.split(" ").every((file) => filesByBash.split(" ").includes(file));
}

describe.each([
  { shell: "zsh", level: "any" },
  { shell: "zsh, extended", level: "any" },
  { shell: "dash", level: "sh" },
] as const)("$shell", ({ shell, level }) => {
  test.skipIf(!isOnPath(shell.split(",")[0] ?? ""))("does what bash does wherever nothing is asked", () => {
    // Dash does not expand the target of a redirection, and the judge checks the literal one.
    const cases = level === "sh" ? CASES.filter((command) => !command.includes("> $f")) : CASES;
    const unquestioned = cases.filter((command) => !isQuestioned(command, level)).slice(0, 100);
    const bash = outcomes("bash", "", unquestioned);
    const differing = other(shell, unquestioned).flatMap((outcome, index) =>
      isNoMore(outcome, bash[index] ?? "") ? [] : [[unquestioned[index], bash[index], outcome]],
    );
    expect(differing).toEqual([]);
    expect(unquestioned.length).toBe(100);
  });
});

/** Parameters that are special in zsh, and zsh commands that bash does not know. */
const LISTED = `zmodload zsh/parameter
for k in \${(ok)parameters}; do [[ \${parameters[$k]} == *(special|integer|array|association)* ]] && print -r -- "v $k"; done
for k in \${(ok)builtins} \${(ok)reswords}; do print -r -- "c $k"; done`;

/** Special in zsh but harmless, or also special in bash, so that the judge knows them anyway. */
const KNOWN_OTHERWISE = /^(?:\W|\d|_|HOME|IFS|LANG|PATH|PS[1-4]|TERM|WATCH)$/;
/** Commands that both shells have, and lookups that change nothing. */
const IN_BASH = new Set(
  ". : [ [[ ! { } alias bg break builtin case cd command continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash history if jobs kill let local logout popd printf pushd pwd read readonly return select set shift source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while whence where which".split(
    " ",
  ),
);

describe.skipIf(!isOnPath("zsh"))("what a real zsh says of itself", () => {
  test("is in the tables", () => {
    const lines = spawnSync("zsh", ["-f", "-c", LISTED], { encoding: "utf8" }).stdout.trimEnd().split("\n");
    const names = (kind: string) => lines.filter((line) => line.startsWith(kind)).map((line) => line.slice(2));
    expect(names("v").filter((name) => !isSpecialInZsh(name) && !KNOWN_OTHERWISE.test(name))).toEqual([]);
    expect(names("c").filter((name) => !isCommandOfZsh(name) && !IN_BASH.has(name))).toEqual([]);
    expect(lines.length).toBeGreaterThan(150);
  });

  test("no built-in that computes its arguments runs code without a question", () => {
    const code = "path[$(echo x > ran)]";
    const forms = ["@ C", "@ -t C", "@ %d C", "@ '%*d' C 1"];
    const commands = [...IN_BASH]
      // These would stop the shell that runs all cases, or never end.
      .filter((name) => /^\w+$|^\[$/.test(name) && !/^(?:suspend|while|until|for|select|if|case|coproc)$/.test(name))
      .flatMap((name) => forms.map((form) => form.replace("@", name).replace("C", `'${code}'`)))
      .map((command) => (command.startsWith("[ ") ? `${command} ]` : command));
    const ran = outcomes("zsh", "", commands).flatMap((outcome, index) =>
      outcome.split("\u0000")[1]?.split(" ").includes("ran") === true ? [commands[index] ?? ""] : [],
    );
    expect(ran.length).toBeGreaterThan(15);
    expect(ran.filter(isAllowed)).toEqual([]);
  });
});

const isAllowed = (command: string) =>
  judge({ tool: "Bash", input: { command }, shell: "any" }, policy, machine).verdict === "allow";
