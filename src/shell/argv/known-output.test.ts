import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { isOnPath } from "../../../test/support/is-on-path.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { judge } from "../../guard/judge/judge.ts";
import { PRESETS, type PresetName } from "../../guard/presets/presets.ts";
import { commandsThatMayRun } from "../parse/may-run.ts";
import { knownOutput } from "./known-output.ts";
import { readArguments } from "../programs/options.ts";
import { DIGITS, UNKNOWN, word } from "../model/word.ts";
import { xargsEffects } from "./xargs.ts";
import { shQuote } from "../../lib/text/shell-words.ts";

const policy = (name: PresetName) =>
  ({ ...PRESETS[name], version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" }) as const;
const verdictOf = (command: string, preset: PresetName = "default") =>
  judge({ tool: "Bash", input: { command } }, policy(preset), fakeMachine({})).verdict;

const place = {
  workspaceRoot: "/srv/repo",
  machine: fakeMachine({}),
  state: { cwd: "/srv/repo", otherCwds: [], previousCwd: undefined, variables: new Map() },
};
const claim = (command: string) => knownOutput(commandsThatMayRun(command).nodes, place);

const random = seededRandom(20_270_214);
const pick = (items: readonly string[]): string => items[Math.floor(random() * items.length)] ?? "";
const some = (most: number, make: () => string) => Array.from({ length: Math.floor(random() * (most + 1)) }, make);

const FORMATS =
  '%s %d %i %c %b %q %x %% %5s %-5s %.2s %6.3s %05d %-4d %.3d %*s %0s %z % \\n \\t \\\\ \\c \\0 \\101 \\0101 \\x41 \\e \\" ls ; . - -- -v -n a\\';
const VALUES = "a .env abc -n -e -E -- - 12 007 -3 0 +5 '' a\\nb \\101 \\x41 \"q\" 'two\twords' é 'x;y' ~ * 1e3 0x1f";
const split = (text: string) => text.split(" ").map((each) => each.replaceAll("'", ""));

function echoOrPrintf(): string {
  const values = some(4, () => shQuote(pick(split(VALUES))));
  if (random() < 0.4)
    return ["echo", ...some(2, () => pick(["-n", "-e", "-E", "-ne", "-", "--"])), ...values].join(" ");
  return [
    "printf",
    ...some(1, () => "--"),
    shQuote(some(4, () => pick(split(FORMATS))).join(pick(["", " "]))),
    ...values,
  ].join(" ");
}

/** What each command prints in a shell, without the trailing newlines that a substitution drops. */
function printed(shell: string, commands: readonly string[]): readonly string[] {
  const script = commands.map((command) => `x=$(${command}); printf '%s\\036' "$x"`).join("\n");
  const { stdout } = spawnSync(shell, shell === "zsh" ? ["-f"] : [], {
    input: script,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  return stdout.split("\u001e").slice(0, -1);
}

test("what echo and printf are said to print, every shell here prints", () => {
  const commands = Array.from({ length: 600 }, echoOrPrintf).filter(
    (command) => !claim(command).text.includes(UNKNOWN),
  );
  expect(commands.length).toBeGreaterThan(120);
  const claims = commands.map((command) => [command, claim(command).text]);
  for (const shell of ["bash", "dash", "zsh"].filter((name) => isOnPath(name))) {
    const really = printed(shell, commands);
    expect(
      commands.map((command, index) => [command, really[index]]),
      shell,
    ).toEqual(claims);
  }
});

test("what is said to be digits is digits, or one of the values that are named", () => {
  const commands = [
    "nproc",
    "nproc --all",
    "id -u",
    "id -g",
    "date +%s",
    "date -u +%Y%m%d",
    "date +%Y-%m-%d",
    "date +%H.%M_%S",
    "date +%j%y%u%w%C",
    "date -u +%F_%H",
    "expr 3 + 4",
    "expr 9 / 4",
    "expr 9 % 5",
    "seq 3",
    "seq 2 5",
    "seq 1 3 9",
    "echo a | wc -l",
    "wc -c < /dev/null",
    "stat -c %s /dev/null",
    "cat <<'X'\none\ntwo\n\nX",
    "git rev-parse HEAD",
    "git rev-parse nowhere",
    "git rev-parse --verify HEAD",
    "git rev-parse --verify -q HEAD 2>/dev/null",
    "git rev-parse --short=9 HEAD",
    "git merge-base HEAD HEAD",
    "git rev-list --count HEAD",
  ];
  const really = printed("bash", commands);
  for (const [index, command] of commands.entries()) {
    const { text, others = [] } = claim(command);
    expect(text, command).not.toContain(UNKNOWN);
    const pattern = text
      .split(DIGITS)
      .map((part) => part.replaceAll(/[.\n]/g, (sign) => (sign === "." ? "\\." : "\\n")));
    const shape = new RegExp(`^${pattern.join("[0-9a-f]+")}$`);
    expect(
      shape.test(really[index] ?? "?") || others.includes(really[index] ?? "?"),
      `${command}: ${really[index]}`,
    ).toBe(true);
  }
});

test.each([
  "expr /home/dev/.ssh/id_rsa",
  "expr 3 - 4",
  "expr '1 / 2'",
  "'nproc --all'",
  "date '-u +%s'",
  "stat '-c %s' x",
  "git 'rev-parse HEAD'",
  "git merge-base 'a b'",
  "git 'rev-list --count' HEAD",
  "git 'rev-parse --show-toplevel'",
  "ls | 'wc -l'",
  "expr substr .envx 1 4",
  "basename x/.env",
  "date +.env",
  "date +%A",
  "date +%-d",
  "date -f .env +%s",
  "date +%s >&2",
  "date +%s > /dev/null",
  "date +%s 2>&1",
  "X=1 date +%s",
  "./date +%s",
  "whoami",
  "hostname",
  "uname -s",
  "mktemp",
  "git rev-parse --git-dir",
  "git rev-parse --abbrev-ref HEAD",
  "git rev-parse .env",
  "git rev-parse --verify --sq-quote HEAD",
  "git branch --show-current",
  "git describe",
  "git log --format=%H",
  "git merge-base --fork-point x",
  "stat -c %n x",
  "seq 5 1",
  "seq -s . 3",
  "wc -l a.txt",
  "nproc; echo .env",
  "nproc && echo .env",
  "echo ~",
  "printf -v x y",
])("the output of %j is unknown", (command) => {
  expect(claim(command).text).toBe(UNKNOWN);
});

test("what xargs is said to run, it runs", () => {
  const options = () =>
    some(2, () => pick(["-n 1", "-n 2", "-I {}", "-I X", "-0", "-r", "-t", "-L 1", "-d x", "-s 99", "-x", "-P 1"]));
  const text = () =>
    some(5, () => pick(["a", "b c", ".env", "-n", '"q r"', "x\\ y", "it's", "*", "éa", " ", "\n", "\t", "X"])).join(
      pick([" ", "\n", "", "  "]),
    );
  const cases = Array.from({ length: 150 }, () => {
    const flags = options().flatMap((option) => option.split(" "));
    const inner = random() < 0.5 ? ["_"] : ["_", "{}", "pre{}post", "X"];
    return { flags, inner, input: text() };
  });
  const claimed = cases.map(({ flags, inner, input }) => {
    const words = [...flags, "run", ...inner].map(word);
    const effects = xargsEffects(words, { kind: "text", text: input, sure: true });
    const runs = effects.flatMap((effect) =>
      effect.kind === "run" ? [effect.words.slice(1).map((item) => item.text)] : [],
    );
    const known = runs.length > 0 && !runs.flat().some((item) => item.includes(UNKNOWN));
    return known ? [...new Set(runs.map((run) => run.join("\u001f")))] : undefined;
  });
  const run = `'for a; do printf "%s\\037" "$a"; done; printf "\\036"'`;
  const script = cases
    .map(
      ({ flags, inner, input }) =>
        `printf %s ${shQuote(input)} | xargs ${flags.map(shQuote).join(" ")} sh -c ${run} ${inner.map(shQuote).join(" ")} 2>/dev/null; printf '\\035'`,
    )
    .join("\n");
  const { stdout } = spawnSync("bash", [], { input: script, encoding: "utf8" });
  const really = stdout.split("\u001d").map((all) =>
    all
      .split("\u001e")
      .slice(0, -1)
      .map((each) => ["_", ...each.split("\u001f").slice(0, -1)].join("\u001f")),
  );
  expect(claimed.filter((each) => each !== undefined).length).toBeGreaterThan(30);
  for (const [index, each] of claimed.entries())
    if (each !== undefined)
      expect(each, JSON.stringify(cases[index])).toEqual(expect.arrayContaining([...new Set(really[index])]));
});

test.each([
  "cat $(expr /home/dev/.ssh/id_rsa)",
  "cp a.txt $(expr /home/dev/.bashrc)",
  'cp hook "$(git rev-parse --git-dir)/hooks/pre-commit"',
  "echo '{}' > $(date +.claude)/settings.json",
  `awk "$(expr 'BEGIN{system("id")}')"`,
  "find src $(expr -delete)",
  "grep $(expr -f.env) a.txt",
  'rg "$(expr --pre=./evil)" src',
  'cat "$(basename x/.env)"',
  "cat $(echo '.en?')",
  "x='.en?'; cat $x",
  "cat .env$(date +%s >&2)",
  "cat .env$(nproc)",
  "cat .env$(nproc)$(nproc)$(nproc)$(nproc)",
  "cat keys/id_ed$((25519))",
  "cat a.p$((12))",
  "(exit 12); cat a.p$?",
  "head -n $(cat x) a.txt",
  "timeout $(cat x) ls",
  "nice -n $(cat x) ls",
  "test $(cat x)",
  'cd .git && cat "$(git rev-parse --show-toplevel)/etc/passwd"',
  "cat $(printf '%.4s' .envxx)",
  "echo '\".env\"' | xargs cat",
  "printf '%s' .e nv | xargs cat",
  "echo .e* | xargs cat",
  "ls -f | xargs cat",
  "find . -name '?env' | xargs cat",
  "git ls-files '.e*' | xargs cat",
  "git ls-files '*.env' | xargs cat",
  "git ls-files -o | xargs cat",
  "ls | sort names.txt | xargs cat",
  "ls | grep -o env | xargs cat",
  "ls | grep * | xargs cat",
  "ls | grep 'a' '' | xargs cat",
  "ls | tail '' | xargs cat",
  'grep -rs KEY $(expr "1 / 2")',
  'x="a .env"; export Y=$x; cat $Y',
])("%s is not allowed", (command) => {
  expect(verdictOf(command)).not.toBe("allow");
});

test.each([
  `sh -c "$(printf '%s' ls ' ; touch pwn')"`,
  `eval "$(printf 'ls %c' ';') touch pwn"`,
  `awk "$(expr 'BEGIN{system("touch pwn")}')"`,
])("%s is not allowed where nothing may be written", (command) => {
  expect(verdictOf(command, "read-only")).toBe("deny");
});

test.each([
  "make -j$(nproc)",
  "cargo build -j $(nproc)",
  "cp a.txt a.txt.$(date +%s)",
  "tar czf backup-$(date +%Y-%m-%d).tgz src",
  'mkdir -p "out/$(date +%F)"',
  "git show $(git rev-parse HEAD)",
  "git diff $(git merge-base HEAD main)",
  'cd "$(git rev-parse --show-toplevel)" && npm test',
  'echo "$(date) $(hostname) $(git branch --show-current)"',
  "for i in $(seq 1 5); do echo $i; done",
  "[ $(ls | wc -l) -gt 3 ] && ls",
  "echo src/a.ts src/b.ts | xargs wc -l",
  "git ls-files '*.ts' | xargs grep -n foo",
  "find . -name '*.ts' | sort | head -20 | xargs wc -l",
])("%s is allowed", (command) => {
  expect(verdictOf(command)).toBe("allow");
});

test("an operand that may turn out to be an option is told from the value of one", () => {
  const grammar = { options: "-f< -m:", operands: ":" };
  const words = (texts: readonly string[]) => texts.map(word);
  expect(readArguments(grammar, words([`${UNKNOWN}x`, "-m", UNKNOWN])).unsure.map(({ text }) => text)).toEqual([
    `${UNKNOWN}x`,
  ]);
  expect(readArguments(grammar, words(["--", UNKNOWN, `a${UNKNOWN}`])).unsure).toEqual([]);
});
