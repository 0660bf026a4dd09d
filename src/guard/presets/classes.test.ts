import { describe, expect, test } from "vitest";
import { judge } from "../judge/judge.ts";
import type { Policy } from "../../contract/policy.ts";
import {
  lines,
  LOSES_WORK,
  MORE_THAN_A_VERSION,
  READS_SECRETS,
  REACHES_OUT,
  RUNS_CODE,
  WRITES_FLOORS,
} from "../../../test/fixtures/guard/preset-classes.ts";
import { PRESETS, type PresetName } from "./presets.ts";

const machine = { readLink: () => undefined, addresses: () => undefined, now: () => 0 };
const policies = Object.fromEntries(
  Object.entries(PRESETS).map(([name, preset]): [string, Policy] => [
    name,
    { ...preset, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" },
  ]),
);

function judged(command: string, preset: PresetName) {
  const policy = policies[preset];
  if (policy === undefined) throw new Error(`unknown preset ${preset}`);
  return judge({ tool: "Bash", input: { command } }, policy, machine);
}

describe("the default preset", () => {
  test.each([...RUNS_CODE, ...WRITES_FLOORS, ...LOSES_WORK, ...READS_SECRETS, ...REACHES_OUT])(
    "does not allow %s",
    (command) => {
      expect(judged(command, "default").verdict).not.toBe("allow");
    },
  );

  test("a denied program stays denied behind every sub-command that runs one", () => {
    const behind = [
      "stack exec",
      "cabal exec",
      "composer exec",
      "dune exec",
      "mix cmd",
      "bundle exec",
      "tox exec --",
      "nx exec --",
    ];
    expect(behind.filter((start) => judged(`${start} sudo ls`, "default").verdict !== "deny")).toEqual([]);
  });

  test.each(
    lines(`
      git restore --staged .
      git checkout main
      git checkout -b feature/x origin/main
      git checkout v1.2
      git checkout release-1.x
      git switch -c x
      git branch -d merged
      git rebase --continue
      git clean -n
      git rm --cached a.txt
      git commit -am "x"
      git log -L 1,5:src/a.ts
      git show HEAD:src/a.ts
      git grep -n foo -- '*.ts'
      git ls-files '*.ts' | xargs wc -l
      git -C packages/x status
      git remote show origin
      find . -name '*.ts' | xargs grep foo
      find . -path ./node_modules -prune -o -name '*.ts' -print | xargs wc -l
      find src -name '*.ts' -exec sed -i s/a/b/ {} +
      rg -g '*.{ts,tsx}' foo
      mv src/a.ts src/b.ts
      gcc -Wall -O2 -std=c11 -I include -o app a.c -lm
      java -jar build/app.jar
      java -cp out:lib/x.jar Main
      go tool cover -func=c.out
      cmake -B build -DCMAKE_BUILD_TYPE=Release
      mvn -q -pl core test -DskipITs
      ./gradlew :app:test --tests Foo
      mix test test/a_test.exs:12
      cabal test all
      stack test --fast
      dune build @fmt
      composer run-script test
      nx run-many -t test
      gh pr list -R cli/cli
      npm view react version
      npm test
      python3 --version
      yarn lint --fix
      pnpm lint --fix
      pnpm check --fix
      yarn build --mode production
      pnpm start --port 3000
      yarn start --port 3000
      dotnet test --collect:"XPlat Code Coverage"
      go vet -composites=false ./...
      cmake -DCMAKE_CXX_COMPILER=clang++ -B build
      cmake -B build -DCMAKE_C_COMPILER_LAUNCHER=ccache
      coverage run -m pytest tests
      coverage run --source=src -pm unittest
      coverage report -m
      coverage erase
      python3 -m build
      python3 -m doctest src/a.py
      rustc --emit=obj,asm a.rs
      gzip -k src/a.ts
      gunzip a.gz
      gzip -c src/a.ts
      pytest --basetemp=/tmp/x
      git merge main
      git cherry-pick --continue
      git tag v1
      SKIP_TESTS=1 npm test
      uv sync --python 3.12
      uv run -p 3.12 pytest
      gh repo view cli/cli
    `),
  )("still allows %s", (command) => {
    expect([judged(command, "default").verdict, judged(command, "default").because]).toEqual([
      "allow",
      expect.anything(),
    ]);
  });

  test.each([
    ["gzip -c ~/.ssh/id_rsa", "a floor keeps ~/.ssh/** from being read"],
    ["git fetch origin +main:main", expect.stringContaining("a local branch")],
    ["git push origin :x", expect.stringContaining("off this machine")],
    ["sed -i s/a/b/ src/a.ts", expect.stringContaining("edits")],
    ["sort -o src/a.ts src/a.ts", expect.stringContaining("edits")],
    ["git diff --output=src/a.ts", expect.stringContaining("writes")],
    ["pytest -p x", expect.stringContaining("plug-in")],
    ["rake -e x", expect.stringContaining("code")],
    ["git init --template=x", expect.stringContaining("hooks")],
    ["npm ci --userconfig x", expect.stringContaining("settings")],
  ])("the reason for %s is true", (command, because) => {
    expect(judged(command, "default").because).toEqual(because);
  });

  test("a rule of the user's own settles what is only asked about, and nothing more", () => {
    const base = policies["default"];
    if (base === undefined) throw new Error("there is no default preset");
    const rule = { id: "mine", source: "user", verdict: "allow", exact: false, because: "mine" } as const;
    const granting = (...argv: string[]): Policy => ({ ...base, rules: [...base.rules, { ...rule, argv }] });
    const verdict = (command: string, policy: Policy) =>
      judge({ tool: "Bash", input: { command } }, policy, machine).verdict;
    expect(verdict("git restore .", granting("git", "restore"))).toBe("allow");
    expect(verdict("eslint --no-such-option src", granting("eslint"))).toBe("allow");
    expect(verdict("stack exec sudo ls", granting("stack"))).toBe("deny");
    expect(verdict("git show :0:.env", granting("git", "show"))).toBe("deny");
  });
});

describe("the presets without a person", () => {
  test.each(["read-only", "ci"] as const)("%s denies what the default asks about", (preset) => {
    const open = [...RUNS_CODE, ...WRITES_FLOORS, ...LOSES_WORK, ...READS_SECRETS, ...REACHES_OUT];
    expect(open.filter((command) => judged(command, preset).verdict !== "deny")).toEqual([]);
  });

  test.each(MORE_THAN_A_VERSION)("read-only does not take %s for a question about the version", (command) => {
    expect(judged(command, "read-only").verdict).toBe("deny");
  });

  test.each(
    lines(`
      node --version
      python3 -V
      java -version
      gcc --version
      make -v
      npm version
      go version
      cargo -V
      git --version
      kubectl version --client
      git remote -v
      git remote
      git log --oneline -5
    `),
  )("read-only allows %s", (command) => {
    expect(judged(command, "read-only").verdict).toBe("allow");
  });

  test("without a network, what asks a service is denied by that reason", () => {
    const reaching = ["npm view react", "gh pr list", "git remote show origin", "git fetch", "npm outdated"];
    const { network } = PRESETS["read-only"];
    const policy: Policy = { ...PRESETS.default, network, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
    const codes = reaching.map((command) => judge({ tool: "Bash", input: { command } }, policy, machine).code);
    expect(codes).toEqual(reaching.map(() => "network-none"));
  });

  test("in ci, a command that a rule names reaches the project's own registry and remotes, and no other host", () => {
    const verdicts = (commands: readonly string[]) => commands.map((command) => judged(command, "ci").verdict);
    expect(verdicts(["npm ci", "git fetch origin", "npm view react"])).toEqual(["allow", "allow", "allow"]);
    expect(verdicts(["curl https://example.com", "git fetch https://example.com/x", "npm view $(cat a)"])).toEqual([
      "deny",
      "deny",
      "deny",
    ]);
  });
});
