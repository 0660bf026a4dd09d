import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { judge } from "../../guard/judge/judge.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";

const verdict = (command: string, workspaceRoot = "/srv/repo", machine = fakeMachine({})) =>
  judge(
    { tool: "Bash", input: { command } },
    { ...PRESETS.default, version: 1, workspaceRoot, home: "/home/dev" },
    machine,
  ).verdict;

test.each([
  "sed -it s/x/y/ sub/.gi",
  "sed --in-place=t s/x/y/ sub/.gi",
  "sed -i -it s/x/y/ sub/.gi",
  "sed -it s/x/y/ sub/.g?",
  "sed -i t s/x/y/ sub/.gi",
  "sed -i.yaml s/x/y/ .pre-commit-config",
  "sed -i'.*t' s/x/y/ sub/gi",
  "sed -i'sub/.*' s/x/y/ git",
  ...["cp", "mv", "ln", "install"].flatMap((program) => [
    `${program} -b -S t -t sub x/.gi`,
    `${program} -S t x/.gi sub`,
    `${program} -bSt a sub/.gi`,
    `${program} -b --suffix=t a sub/.gi`,
    `${program} --backup=simple --suffix t a sub/.gi`,
    `${program} -S t -S u a sub/.gi`,
  ]),
  "cp --parents .git/hooks/x sub",
  "gzip -S t sub/.gi",
  "gzip -rS t sub",
  "gunzip .pre-commit-config.yaml.gz",
  "gzip -d .pre-commit-config.yaml.gz",
  "gzip -dS x sub/.gitx",
  "gunzip -N a.gz",
  "gunzip -r sub",
])("%s is not allowed, for what it would write under a second name", (command) => {
  expect(verdict(command)).not.toBe("allow");
});

test.each([
  "sed -i s/a/b/ src/a.ts",
  "sed -i.bak s/a/b/ src/a.ts",
  "sed -i.bak s/a/b/ src/*.ts",
  "sed -i '' s/a/b/ src/a.ts",
  "cp -b a.txt src/a.txt",
  "cp -b -S .bak a.txt .",
  "mv --backup=numbered a.txt src/a.txt",
  "ln -sbf a.txt b.txt",
  "cp --parents src/a.ts out",
  "gzip -k log.txt",
  "gzip -dc log.txt.gz",
  "gunzip log.txt.gz",
])("%s is allowed", (command) => {
  expect(verdict(command)).toBe("allow");
});

test("a file that exists may be the target of a copy, a move and a link", () => {
  const root = repositoryWith({ "a.txt": "a\n", "src/a.ts": "a\n" });
  const commands = ["cp", "mv", "ln -sf", "install", "git mv"].map((program) => `${program} a.txt src/a.ts`);
  expect(commands.map((command) => [command, verdict(command, root, realMachine)])).toEqual(
    commands.map((command) => [command, "allow"]),
  );
});
