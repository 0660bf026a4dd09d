import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { git, repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { savedBase } from "./check-base.ts";
import { checkWithBase, compareNow } from "./check-with-base.ts";
import { recordBase } from "./record-base.ts";

interface Options {
  readonly keep?: readonly string[];
  readonly changed?: readonly string[];
  readonly path?: string;
  readonly bytes?: number;
}

/** Records the base of a workspace, lets someone work there, and checks the result as `run` and `native` do. */
async function checked(root: string, check: string, work: () => void, options: Options = {}) {
  const { keep = [], changed: allowed = [], path = process.env["PATH"] ?? "", bytes } = options;
  const id = randomId();
  const kept = await recordBase({ root, commands: [check], keep, path }, tempFolder());
  work();
  const environment = { PATH: path };
  const run = async (command: string, cwd: string) => {
    const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd, encoding: "utf8", env: { PATH: path } });
    return { code: status, output: `${stdout}${stderr}` };
  };
  const first = await compareNow({ kept, allowed });
  const present = await run(check, root);
  const limits = bytes === undefined ? {} : { limits: { bytes, milliseconds: 60_000 } };
  const verdict = await checkWithBase([check], first, { kept, allowed, id, run, environment, ...limits });
  const left = readdirSync(tmpdir()).filter((name) => name.includes(id));
  return {
    present: present.code,
    warnings: kept.warnings,
    left,
    verdict: verdict && {
      accepted: verdict.isAccepted,
      changed: verdict.facts.changed.map(({ path: file, how }) => `${file} ${how}`),
      because: verdict.facts.because,
      idle: verdict.idlePatterns,
    },
  };
}

const WRONG = { "work.txt": "wrong\n", "check.sh": "grep -q right work.txt\n" };
const quiet = { warnings: [], left: [] };

test("without a change of what decides it there is no second run, in a folder without git too", async () => {
  const root = tempFolder();
  writeFiles(root, WRONG);
  const outcome = await checked(root, "sh check.sh", () => writeFiles(root, { "work.txt": "right\n", "more.md": "" }));
  expect(outcome).toEqual({ ...quiet, present: 0, verdict: undefined });
});

test("an edited script does not count, with or without git, and nothing of the copy is left", async () => {
  for (const root of [repositoryWith(WRONG), tempFolder()]) {
    writeFiles(root, WRONG);
    const outcome = await checked(root, "sh check.sh", () => writeFiles(root, { "check.sh": "true\n" }));
    expect(outcome).toEqual({
      ...quiet,
      present: 0,
      verdict: {
        accepted: false,
        changed: ["check.sh edited"],
        because: "with the files as they were it failed with exit code 1",
        idle: [],
      },
    });
  }
});

test("a check that cannot run with the base versions is a changed check", async () => {
  const root = repositoryWith({ "old.js": "exports.a = 1;\n", "tests/a.test.js": 'require("../old.js");\n' });
  const outcome = await checked(root, "node tests/a.test.js", () => {
    rmSync(join(root, "old.js"));
    writeFiles(root, { "new.js": "exports.a = 1;\n", "tests/a.test.js": 'require("../new.js");\n' });
  });
  expect([outcome.present, outcome.verdict?.accepted, outcome.verdict?.changed]).toEqual([
    0,
    false,
    ["tests/a.test.js edited"],
  ]);
});

test("a program of the workspace that comes first on PATH is found, and does not count", async () => {
  const root = repositoryWith({ "work.txt": "wrong\n", "tools/keep": "" });
  const path = [join(root, "tools"), process.env["PATH"]].join(delimiter);
  const plant = () => {
    writeFiles(root, { "tools/grep": "#!/bin/sh\nexit 0\n" });
    chmodSync(join(root, "tools/grep"), 0o755);
  };
  const outcome = await checked(root, "grep -q right work.txt", plant, { path });
  expect([outcome.present, outcome.verdict?.accepted, outcome.verdict?.changed]).toEqual([
    0,
    false,
    ["tools/grep created"],
  ]);
});

test("a program outside the workspace that was replaced cannot be put back, so the check does not count", async () => {
  const [root, bin] = [repositoryWith({ "work.txt": "" }), tempFolder()];
  const install = (text: string) => {
    writeFileSync(join(bin, "judge"), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, "judge"), 0o755);
  };
  install("exit 1");
  const path = [bin, process.env["PATH"]].join(delimiter);
  const outcome = await checked(root, "judge", () => install("# never mind\nexit 0"), { path });
  expect(outcome.verdict).toEqual({
    accepted: false,
    changed: [`${join(bin, "judge")} edited`],
    because: `there is no copy of what ${join(bin, "judge")} was before`,
    idle: [],
  });
});

test("an absolute path in the check leads into the copy; one inside a script makes the check depend on the folder", async () => {
  const root = repositoryWith(WRONG);
  const named = await checked(root, `sh ${root}/check.sh`, () => writeFiles(root, { "check.sh": "true\n" }));
  expect(named.verdict).toMatchObject({
    accepted: false,
    because: "with the files as they were it failed with exit code 1",
  });
  const bound = repositoryWith(WRONG);
  writeFiles(bound, { "check.sh": `grep -q right ${bound}/work.txt\n` });
  const outcome = await checked(bound, "sh check.sh", () => writeFiles(bound, { "check.sh": "true\n" }));
  expect(outcome.verdict?.because).toBe("check.sh contains the path of the workspace, so it cannot be tried in a copy");
});

test("a check that works only in its own folder is said to depend on it", async () => {
  const root = repositoryWith({ ...WRONG, "tests/a.txt": "" });
  const check = `case $(pwd -P) in ${root.slice(0, -1)}?) ;; *) exit 3;; esac`;
  const outcome = await checked(root, check, () => writeFiles(root, { "tests/a.txt": "x" }));
  expect(outcome.verdict).toEqual({
    accepted: false,
    changed: ["tests/a.txt edited"],
    because: "it fails in a copy of the workspace even with the present files, so it depends on the folder",
    idle: [],
  });
});

test("a workspace that is too large to copy is not accepted without a word", async () => {
  const root = repositoryWith({ ...WRONG, "large.bin": "x".repeat(5000) });
  const outcome = await checked(root, "sh check.sh", () => writeFiles(root, { "check.sh": "true\n" }), { bytes: 4096 });
  expect(outcome).toEqual({
    ...quiet,
    present: 0,
    verdict: {
      accepted: false,
      changed: ["check.sh edited"],
      because: "it could not be tried in a copy: the workspace is larger than 4096 bytes",
      idle: [],
    },
  });
});

test("patterns that match nothing are named", async () => {
  const root = repositoryWith(WRONG);
  const options = { keep: ["lmits.json"], changed: ["tets/**"] };
  const outcome = await checked(root, "sh check.sh", () => writeFiles(root, { "check.sh": "true\n" }), options);
  expect(outcome.warnings).toEqual(['--accept-keep "lmits.json" matches no file of the workspace']);
  expect(outcome.verdict?.idle).toEqual(["tets/**"]);
});

test("an ignored file that the user wants kept is put back", async () => {
  const root = repositoryWith({ ".gitignore": "*.local\n", "check.sh": "grep -q right rules.local\n" });
  writeFiles(root, { "rules.local": "wrong\n" });
  const edit = () => writeFiles(root, { "rules.local": "right\n" });
  expect((await checked(root, "sh check.sh", edit)).verdict).toBeUndefined();
  writeFiles(root, { "rules.local": "wrong\n" });
  const kept = await checked(root, "sh check.sh", edit, { keep: ["*.local"] });
  expect([kept.verdict?.accepted, kept.verdict?.changed]).toEqual([false, ["rules.local edited"]]);
});

test("tests in a submodule count, and links are never followed out of the copy", async () => {
  const library = repositoryWith({ "tests/run.sh": "exit 1\n" });
  const root = repositoryWith({ "a.txt": "" });
  git(root, "submodule", "--quiet", "add", library, "library");
  const outside = tempFolder();
  writeFiles(outside, { "run.sh": "exit 0\n" });
  const outcome = await checked(root, "sh library/tests/run.sh", () => {
    rmSync(join(root, "library/tests"), { recursive: true });
    symlinkSync(outside, join(root, "library/tests"));
  });
  expect([outcome.present, outcome.verdict?.changed]).toEqual([0, ["library/tests/run.sh replaced by a link"]]);
  expect(readdirSync(outside)).toEqual(["run.sh"]);
});

test("a test that became a folder is put back", async () => {
  const root = repositoryWith({ "tests/a.txt": "x" });
  const outcome = await checked(root, "true", () => {
    rmSync(join(root, "tests/a.txt"));
    mkdirSync(join(root, "tests/a.txt"));
  });
  expect([outcome.verdict?.accepted, outcome.verdict?.changed]).toEqual([true, ["tests/a.txt edited"]]);
});

test("the copy has the history of the repository, and the user's repository is not touched", async () => {
  const root = repositoryWith({ "tests/a.txt": "x" });
  const before = git(root, "status", "--porcelain=v2", "--branch");
  const check = 'test "$(git log --format=%s)" = first && git config user.name nobody && git add -A';
  const outcome = await checked(root, check, () => writeFiles(root, { "tests/a.txt": "y" }));
  expect(outcome.verdict).toMatchObject({ accepted: true, changed: ["tests/a.txt edited"] });
  git(root, "checkout", "-q", "HEAD", "--", ".");
  expect(git(root, "status", "--porcelain=v2", "--branch")).toBe(before);
});

test("a base is kept on disk for a session that is resumed", async () => {
  const root = repositoryWith(WRONG);
  const folder = tempFolder();
  const { base } = await recordBase({ root, commands: ["sh check.sh"], keep: [], path: "" }, folder);
  expect([savedBase(folder), savedBase(tempFolder())]).toEqual([base, undefined]);
  for (const text of ["", "{", '{"version":9}', "[]"]) {
    writeFileSync(join(folder, "base.json"), text);
    expect(savedBase(folder)?.unknown).toBe("its record cannot be read");
  }
});
