import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { before, launchCaller } from "./support/hook-calling-agent.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempRepository } from "./support/temp-folder.ts";
import { BY_SCRIPT } from "./support/workers/worker.ts";
import { writeWorkspace } from "./support/workers/write-workspace.ts";

const GIT = "git -c user.name=a -c user.email=a@a -c commit.gpgsign=false";

/** A launch in which this is done between two calls, and what is told about a commit afterwards. */
async function launched(sh: string, own: readonly string[] = []) {
  const cwd = tempRepository();
  writeWorkspace(cwd, {
    ...BY_SCRIPT,
    files: { ...BY_SCRIPT.files, ".gitignore": "*.log\n" },
    does: "",
    shell: [],
    code: 0,
  });
  const { home, outcome } = await launchCaller("claude", [before("claude", "true"), { sh }], { cwd, own });
  expect(outcome.code).toBe(0);
  const verify = async (revision = "HEAD", ...more: readonly string[]) => {
    const { code, stdout, stderr } = await signalbox(["receipt", "verify", "--commit", revision, ...more], {
      cwd,
      env: { HOME: home },
    });
    return [
      code,
      (stdout + stderr)
        .trim()
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "RUN")
        .replaceAll(/[0-9a-f]{12,40}/g, "COMMIT"),
    ];
  };
  return { cwd, home, verify };
}

const FIX = "echo 'echo $(($1 + $2))' > calc.sh";
const COMMIT = `${GIT} commit -qam second`;
const MADE = "commit COMMIT was made in run RUN (claude)";

test("a commit of a session names it, and whether its check passed", async () => {
  const { verify } = await launched(`${FIX} && ${COMMIT}`, ["--accept", "sh check.sh"]);
  expect(await verify()).toEqual([0, `VERIFIED sh check.sh: ${MADE}`]);
  const [code, text] = await verify("HEAD", "--json");
  expect([code, JSON.parse(String(text))]).toMatchObject([
    0,
    { good: true, passed: true, agent: "claude", verified: "accepted" },
  ]);
  const [other, why] = await verify("HEAD^");
  expect([other, why]).toEqual([1, expect.stringContaining("no receipt ends on this commit")]);
  expect(await verify("none")).toEqual([2, expect.stringContaining("git does not know this commit")]);
});

test("a commit that nobody checked, and one whose check failed, are no good", async () => {
  const unchecked = await launched(`echo more > notes.md && ${GIT} add -A && ${COMMIT}`);
  expect(await unchecked.verify()).toEqual([1, `NOT CHECKED: ${MADE}`]);
  const failed = await launched(`echo more > notes.md && ${GIT} add -A && ${COMMIT}`, [
    "--accept",
    "false",
    "--rounds",
    "0",
  ]);
  expect(await failed.verify()).toEqual([1, `FAILED: ${MADE}`]);
});

test.each([
  ["left something uncommitted", `${FIX} && ${COMMIT} && echo more >> calc.sh`],
  ["left a new file beside it", `${FIX} && ${COMMIT} && echo new > new.txt`],
  ["made none", FIX],
])("a session that %s ends on no commit", async (_, sh) => {
  const { verify } = await launched(sh);
  expect(await verify()).toEqual([1, expect.stringContaining("no receipt ends on this commit")]);
});

test("an amended commit is not the one that was checked", async () => {
  const { cwd, verify } = await launched(`${FIX} && ${COMMIT}`, ["--accept", "sh check.sh"]);
  execFileSync("sh", ["-c", `${GIT} commit -q --amend -m other`], { cwd });
  expect(await verify()).toEqual([1, expect.stringContaining("amended or rebased since")]);
});

test("a receipt that was changed makes its commit no good", async () => {
  const { home, verify } = await launched(`${FIX} && ${COMMIT}`, ["--accept", "sh check.sh"]);
  const [, text] = await verify("HEAD", "--json");
  const { stdout } = await signalbox(["receipt", "list", "--json"], { env: { HOME: home } });
  const { run_id: run } = JSON.parse(stdout);
  expect(text).toContain('"good":true');
  const file = join(home, ".signalbox/receipts", `${run}.json`);
  writeFileSync(file, "{}");
  expect(await verify()).toEqual([1, expect.stringContaining(`BAD RECEIPT: ${MADE}`)]);
  rmSync(file);
  expect(existsSync(file)).toBe(false);
  expect((await verify())[0]).toBe(1);
});
