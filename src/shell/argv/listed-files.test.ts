import { expect, test } from "vitest";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { judge } from "../../guard/judge/judge.ts";
import { PRESETS } from "../../guard/presets/presets.ts";

const verdict = (command: string) =>
  judge(
    { tool: "Bash", input: { command } },
    { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" },
    fakeMachine({}),
  ).verdict;

test.each([
  "find src -name '*.ts' -printf '.env\\n'",
  "find src -name '*.ts' -fprintf /dev/stdout '.env\\n'",
  "find src -name '*.ts' -ls",
  "find src -name '*.ts' -exec echo .env ';'",
  "git ls-files --format=.env",
  "git ls-files --format .env",
  "git diff --name-only --line-prefix='.env '",
  "git diff --name-only -p",
  "git log --name-only",
  "git log --name-only --format=.env",
  "git show --name-only --pretty=.env",
  "git ls-tree -r --name-only --format=.env HEAD",
  "rg -l foo --replace .env",
  "rg -rl foo",
  "rg -el foo",
  "rg -e -l foo",
  "rg -- -l foo",
  "fd -e ts --format .env",
  "fd -e ts -x echo .env",
  "fd -e ts -l",
  "grep -el foo a.txt",
  "grep -e -l foo a.txt",
  "grep -l foo --label=.env --include='*.ts' -",
  "ls -l --time-style=+.env",
  "ls -l",
])("%s | xargs cat is not allowed: what it prints need not be names", (lister) => {
  expect(verdict(`${lister} | xargs cat`)).not.toBe("allow");
});

test.each([
  "touch 'a .env b.ts'",
  "mkdir -p 'a .env b.ts'",
  "cp x.ts 'a .env b.ts'",
  "mv x.ts 'a .env b.ts'",
  "echo > 'a .env b.ts'",
  "touch $'a\\n.env\\nb.ts'",
  "touch '\".e\"nv.ts'",
  "mkdir -p 'd ./.env' && touch 'd ./.env/b.ts'",
])("%s may become other names where xargs cuts them", (made) => {
  expect(verdict(`${made}; find . -name '*.ts' | xargs cat`)).not.toBe("allow");
});

test.each([
  "find . -name '*.ts' | xargs cat",
  "touch a.ts; find . -name '*.ts' | xargs cat",
  "touch 'a b.ts'; find . -name '*.ts' -print0 | xargs -0 cat",
  "find src -type f -name '*.ts' -not -path './node_modules/*' | xargs grep -n foo",
  "git ls-files '*.ts' | xargs wc -l",
  "git ls-files -z '*.ts' | xargs -0 wc -l",
  "git diff --name-only HEAD~1 | xargs wc -l",
  "git diff --cached --name-only --diff-filter=ACM | xargs wc -l",
  "git show --name-only --format= HEAD | xargs wc -l",
  "rg -l foo src | xargs sed -n 1,5p",
  "rg --files -t ts | xargs wc -l",
  "rg -il foo -tts | xargs wc -l",
  "fd -e ts | xargs wc -l",
  "grep -rl foo --include='*.ts' src | xargs wc -l",
  "ls src | xargs echo",
  "ls -1t src | head -5 | xargs echo",
])("%s is allowed", (command) => {
  expect(verdict(command)).toBe("allow");
});
