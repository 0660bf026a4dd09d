import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "./support/git-repository.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("a run whose log cannot grow any more ends and says so, and what was seen has a receipt later", async () => {
  const options = { cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: tempFolder() } };
  const steps = Array.from({ length: 12 }, () => ({ say: "x".repeat(3000) }));
  const line = `ulimit -f 32; exec '${SIGNALBOX}' run mock task --param 'script=${JSON.stringify(steps)}'`;
  const run = spawnSync("sh", ["-c", line], {
    cwd: options.cwd,
    env: { PATH: process.env["PATH"], ...options.env },
    encoding: "utf8",
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  expect([run.status, run.stderr]).toEqual([1, expect.stringContaining("signalbox: the disk is read-only\n  where: ")]);
  expect(run.stderr).not.toContain("    at ");
  const closed = await signalbox(["runs"], options);
  expect([closed.code, closed.stdout]).toEqual([0, expect.stringMatching(/ interrupted {2}task\n$/)]);
  expect((await signalbox(["receipt", "verify", "last"], options)).code).toBe(0);
});

/** A machine on which a small disk can be made by anybody. */
const smallDisks = spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

/**
 * On a disk of its own of one megabyte: a run, then one whose first call leaves `$1` bytes there, then, with room again,
 * what the other verbs make of it. The steps are in the file `$2`; everything goes to files in `$3`.
 */
const ON_A_SMALL_DISK = `
mount -t tmpfs -o size=1m none "$HOME" || exit 99
mkdir -p "$HOME/.signalbox" "$HOME/room" && printf 'version: 1\\npaths: { write_roots: [".", "~/room"] }\\n' >"$HOME/.signalbox/policy.yaml" || exit 97
'${SIGNALBOX}' run mock first >"$3/first" 2>&1 || exit 98
'${SIGNALBOX}' run mock second --param "script=$(cat "$2")" >"$3/out" 2>"$3/err"
echo $? >"$3/code"
rm "$HOME/room/fill"
'${SIGNALBOX}' runs >"$3/runs" 2>&1 && '${SIGNALBOX}' receipt verify >"$3/receipts" 2>&1 && '${SIGNALBOX}' audit verify >"$3/audit" 2>&1
`;

test.runIf(smallDisks).each([0, 4096, 8192, 12_288, 16_384])(
  "a disk with %i bytes left when a run is finished is told in one way, and the run is closed once there is room",
  (left) => {
    const [cwd, home, told] = [repositoryWith({ "a.txt": "a\n" }), tempFolder(), tempFolder()];
    const [fill, spare] = [join(home, "room/fill"), join(home, "room/spare")];
    const steps = [
      { bash: `head -c ${left} /dev/zero >${spare}; head -c 9000000 /dev/zero >${fill}; : >${spare}` },
      { bash: `echo ${"y".repeat(4000)}` },
      { say: "done" },
    ];
    writeFileSync(join(told, "steps"), JSON.stringify(steps));
    const args = ["-Urm", "sh", "-c", ON_A_SMALL_DISK, "sh", String(left), join(told, "steps"), told];
    const { status } = spawnSync("unshare", args, {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
      timeout: 30_000,
      killSignal: "SIGKILL",
    });
    const read = (name: string) => readFileSync(join(told, name), "utf8");
    expect({ status, code: read("code") }).toEqual({ status: 0, code: "1\n" });
    expect(read("err")).toContain(`signalbox: the disk is full\n  where: ${join(home, ".signalbox")}`);
    expect(read("err")).toMatch(
      /\n {2}fix: free some space there, then run: signalbox runs, which stores a receipt of what was recorded\n$/,
    );
    expect(read("err")).not.toContain("    at ");
    expect(read("runs")).toMatch(/ interrupted {2}second\n$/);
    expect([read("receipts"), read("audit")]).toEqual([
      expect.stringContaining("good: 2 receipts"),
      expect.stringContaining("good: "),
    ]);
  },
);
