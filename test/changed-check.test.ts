import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith, writeFiles } from "./support/git-repository.ts";
import { scene, until } from "./support/native-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const FILES = { "work.txt": "wrong\n", "check.sh": "grep right work.txt\n" };
const EDIT = { write: "check.sh", content: "true\n" };
const script = (...steps: unknown[]) => ["--param", `script=${JSON.stringify(steps)}`];
const person = () => ({ cwd: repositoryWith(FILES), env: { HOME: tempFolder(), TMPDIR: tempFolder() } });
const copiesIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("signalbox-check-"));

test("a run that is accepted by a changed check is exit 8, on screen, in the receipt and in a comparison", async () => {
  const options = person();
  const args = ["run", "mock", "task", "--accept", "sh check.sh"];
  const changed = await signalbox([...args, ...script(EDIT)], options);
  expect([changed.code, changed.stderr]).toEqual([
    8,
    expect.stringMatching(
      /\nsignalbox: the check was changed: check\.sh \(edited\)\nsignalbox: partial: accepted by a changed check: `sh check\.sh` passes only with changed files: check\.sh \(edited\); with the files as they were it failed with exit code 1\nsignalbox: fix: .*--accept-changed GLOB\nsignalbox: receipt /,
    ),
  ]);
  const shown = await signalbox(["receipt", "show", "last"], options);
  expect(shown.stdout).toContain("outcome    accepted by a changed check: it passes only with the agent's version");
  expect(shown.stdout).toContain(
    "check      passed only with changes to what decides it: check.sh (edited): sh check.sh",
  );
  expect((await signalbox(["receipt", "verify"], options)).code).toBe(0);

  writeFiles(options.cwd, FILES);
  const honest = await signalbox([...args, ...script({ write: "work.txt", content: "right\n" })], options);
  expect(honest.code).toBe(0);
  const [newest = "", older = ""] = (await signalbox(["receipt", "list"], options)).stdout
    .split("\n")
    .flatMap((line) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(line)?.[0] ?? []);
  const compared = await signalbox(["receipt", "diff", older, newest], options);
  expect(compared.stdout).toContain("passed only with changes to what decides it: check.sh (edited): sh check.sh");
  expect(copiesIn(options.env.TMPDIR)).toEqual([]);
});

test("a staged run is held to the check of its copy, and an allowed change is accepted", async () => {
  const options = person();
  const args = ["run", "mock", "task", "--staged", "--accept", "sh check.sh", ...script(EDIT)];
  expect((await signalbox(args, options)).code).toBe(8);
  expect((await signalbox(["apply", "last"], options)).code).toBe(3);
  const allowed = await signalbox([...args, "--accept-changed", "check.sh"], options);
  expect([allowed.code, allowed.stderr]).toEqual([0, expect.stringContaining("done and accepted")]);
});

test("with several checks, the one that was changed is named", async () => {
  const options = person();
  const checks = ["--accept", "true", "--accept", "sh check.sh", "--accept", "test -e work.txt"];
  const { code, stderr } = await signalbox(["run", "mock", "task", ...checks, ...script(EDIT)], options);
  expect([code, stderr]).toEqual([
    8,
    expect.stringContaining("accepted by a changed check: `sh check.sh` passes only"),
  ]);
});

test.each([
  [["--accept-keep", "a"], "--accept-keep is about a check, and there is none"],
  [["--accept", "true", "--accept-changed", "{a,b}"], '--accept-changed does not understand the pattern "{a,b}"'],
  [["--accept", "true", "--accept-keep", ""], '--accept-keep does not understand the pattern ""'],
])("%j is refused before anything runs", async (flags, message) => {
  for (const verb of [
    ["run", "mock", "task"],
    ["native", "--model", "ollama/m", "-p", "task"],
  ]) {
    const { code, stderr } = await signalbox([...verb, ...flags], person());
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});

test("a pattern that matches nothing is said at the start", async () => {
  const options = person();
  const args = ["run", "mock", "task", "--accept", "true", "--accept-keep", "no/such/**"];
  const { code, stderr } = await signalbox(args, options);
  expect([code, stderr]).toEqual([0, expect.stringContaining('warning: --accept-keep "no/such/**" matches no file')]);
});

test("the model learns that it changed the check, and is believed when it restores it and does the work", async () => {
  const { cwd, run, server } = await scene({
    turns: [
      { shell: "echo true > check.sh" },
      { text: "Done." },
      { shell: "echo 'grep right work.txt' > check.sh" },
      { shell: "echo right > work.txt" },
      { text: "Done now." },
    ],
  });
  writeFiles(cwd, FILES);
  const { code, stderr } = await run(["native", "-p", "make it right", "--accept", "sh check.sh"]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      "not finished (acceptance): the acceptance check was changed, and does not count: `sh check.sh`",
    ),
  ]);
  const told = JSON.stringify(server.requests.at(2)?.body);
  expect(told).toContain("check.sh (edited)");
  expect(told).toContain("Undo your changes to these files");
  expect(told).toContain("Only the user can allow a change of the check.");
});

test("a resumed session is held to the check as it was when the session began", async () => {
  const { cwd, home, run } = await scene({
    turns: [{ shell: "echo true > check.sh" }, { text: "Done." }],
    after: { text: "Really done." },
  });
  writeFiles(cwd, FILES);
  writeFiles(home, { ".signalbox/settings.yaml": "engine: { gate_blocks: 1 }\n" });
  const first = await run(["native", "-p", "make it right", "--accept", "sh check.sh"]);
  const again = await run(["native", "-c", "-p", "is it done?"]);
  expect([first.code, again.code, readFileSync(join(cwd, "check.sh"), "utf8")]).toEqual([8, 8, "true\n"]);
  const allowed = await run(["native", "-c", "-p", "and now?", "--accept-changed", "check.sh"]);
  expect(allowed.code).toBe(0);
});

test("the copy of a run that was killed is removed by the next check", async () => {
  const options = person();
  const check = "case $PWD in *signalbox-check-*) sleep 600;; esac; sh check.sh";
  await signalbox(["run", "mock", "task", "--accept", check, ...script(EDIT)], {
    ...options,
    async during(child) {
      const begun = () =>
        copiesIn(options.env.TMPDIR).some((name) => readdirSync(join(options.env.TMPDIR, name)).length > 2);
      await until(begun);
      child.kill("SIGKILL");
    },
  });
  expect(copiesIn(options.env.TMPDIR)).toHaveLength(1);
  expect((await signalbox(["run", "mock", "task", "--accept", "true"], options)).code).toBe(0);
  expect(copiesIn(options.env.TMPDIR)).toEqual([]);
});
