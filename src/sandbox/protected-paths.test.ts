import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSandbox, openScene } from "../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { isStandIn } from "./git-places.ts";
import { KEPT, lookOutside, WATCHED } from "./look-outside.ts";
import type { SandboxEvent } from "./start-session.ts";

const PROTECTED = [".claude/settings.json", ".github/workflows/ci.yml", ".mcp.json", ".git/commondir"];

/** While a session runs, our own file stands in for git's. */
const thatStayed = (workspace: string) =>
  PROTECTED.map((path) => join(workspace, path)).filter((path) => existsSync(path) && !isStandIn(path));

/** A repository, and what its configuration would run if git followed `commondir`. */
function layOut(_: string, workspace: string): void {
  spawnSync("git", ["init", "-q", "-b", "main", workspace]);
  writeFileSync(join(workspace, "file"), "1");
}

const MAKE = `mk() { mkdir -p "$(dirname "$1")" 2>/dev/null; echo "{}" >"$1"; } 2>/dev/null
make_all() { for path in ${PROTECTED.join(" ")}; do mk $path; done; }
cp -r .git evil; printf '[core]\\nrepositoryformatversion = 0\\nfsmonitor = "touch ../marker"\\n' >evil/config`;

/** Each tries to keep a protected path for the time after the session. */
const ATTACKS: Readonly<Record<string, string>> = {
  plainly: "make_all",
  "with the folders closed behind it": `mkdir -p c/workflows; echo "{}" >c/settings.json; echo on: >c/workflows/ci.yml
    chmod 555 c/workflows c; cp -r c d; mv c .claude; mv d .github; chmod 555 .`,
  "with everything closed": `mkdir -p c/x; echo "{}" >c/settings.json; chmod 000 c/x c; mv c .claude; chmod 000 .`,
  "with names taken": "for i in $(seq 300); do mkdir -p .signalbox-$i/x; done; make_all; chmod 555 .",
  "by a link": "mkdir c; echo '{}' >c/settings.json; ln -s c .claude; ln -s c .github; ln -s file .mcp.json",
  "by a hard link": "echo '{}' >x; ln x .mcp.json; mkdir -p .github/workflows; ln x .github/workflows/ci.yml",
  "by swapping names": `mkdir -p .github y/workflows; echo on: >y/workflows/ci.yml
    for i in $(seq 15); do mv y .github/../z 2>/dev/null; rm -rf .github; mv z .github; mv .github z; mv z y; done; mv y .github`,
  "again and again, in the background": `(while :; do make_all; done) >/dev/null 2>&1 & sleep 0.3`,
  "from many processes": "for i in $(seq 30); do (while :; do make_all; done) >/dev/null 2>&1 & done; sleep 0.3",
  "with a folder in the place of a file": "mkdir -p .mcp.json/x; touch .mcp.json/x/y; chmod -R 000 .mcp.json",
  "with a pipe or a socket": "mkfifo .mcp.json; mkdir -p .github/workflows; mkfifo .github/workflows/ci.yml",
  "by leading git elsewhere": `for file in commondir config.worktree; do echo "$PWD/evil" >.git/$file; done
    rm -f .git/commondir; mv evil/HEAD .git/commondir; mv .git away; git worktree add -q later; ln -s ../evil .git/commondir`,
};

describe.skipIf(!hasSandbox).each([
  ["with the helper", {}],
  ["without it", { findHelper: () => undefined }],
])("protected paths that do not exist, %s", (_, parts) => {
  test.each(Object.keys(ATTACKS))("do not stay when they are made %s", async (name) => {
    const scene = await openScene({ layOut, ...parts });
    const marker = join(scene.workspace, "marker");
    scene.run(`${MAKE}\n${ATTACKS[name]}`);
    await scene.sandbox[Symbol.asyncDispose]();
    spawnSync("chmod", ["u+rwx", scene.workspace]);
    const status = spawnSync("git", ["status", "--porcelain"], { cwd: scene.workspace, encoding: "utf8" });
    expect([thatStayed(scene.workspace), existsSync(marker), status.status]).toEqual([[], false, 0]);
    expect(existsSync(join(scene.workspace, ".git/commondir"))).toBe(false);
    // Nothing is left of the session, and nothing of what was taken away is lost.
    expect(readdirSync(join(scene.home, ".signalbox/s"))).toEqual([]);
    expect(readdirSync(scene.workspace).filter((each) => /^\.signalbox-[0-9a-f]{32}$/.test(each))).toEqual([]);
    await scene[Symbol.asyncDispose]();
  });
});

describe.skipIf(!hasSandbox)("what the launcher learns", () => {
  test("a path is called removed only after it was, and a command's end is told after that", async () => {
    const scene = await openScene({ layOut });
    for (let round = 0; round < 20; round++) {
      scene.run("mkdir -p .github/workflows && echo on: >.github/workflows/ci.yml; echo '{}' >.mcp.json");
      expect(thatStayed(scene.workspace)).toEqual([]);
    }
    const removed = new Set<string>();
    await expect
      .poll(() => [...scene.sandbox.takeRemoved().reduce((all, path) => all.add(path), removed)].toSorted())
      .toEqual([".github/workflows", ".mcp.json"].map((path) => join(scene.workspace, path)));
    await scene[Symbol.asyncDispose]();
  });

  test("a command that never stops recreating a path ends the session", async () => {
    const events: SandboxEvent[] = [];
    const scene = await openScene({ layOut, onEvent: (event) => events.push(event) });
    const path = join(scene.workspace, ".mcp.json");
    for (let round = 0; round < 60; round++) scene.run("for i in $(seq 5); do echo '{}' >.mcp.json; sleep 0.01; done");
    await scene.sandbox.ended;
    expect(events.filter(({ type }) => type === "ended-session")).toEqual([{ type: "ended-session", path }]);
    expect(existsSync(path)).toBe(false);
    expect(scene.run("true").code).toBe(125);
    await scene[Symbol.asyncDispose]();
  });

  test("when the keeper is killed, the launcher takes away what was made, and says so", async () => {
    const events: SandboxEvent[] = [];
    const scene = await openScene({ layOut, onEvent: (event) => events.push(event) });
    const keeper = Number(readFileSync(join(scene.sandbox.program, "../owner"), "utf8").split("\n")[1]?.split(" ")[0]);
    const line = `${MAKE}\necho up; while :; do make_all; done 2>/dev/null`;
    const child = spawn(scene.sandbox.program, [line], {
      cwd: scene.workspace,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    process.kill(keeper, "SIGSTOP");
    await expect.poll(() => thatStayed(scene.workspace).length).toBe(3);
    process.kill(keeper, "SIGKILL");
    await scene.sandbox.ended;
    expect(thatStayed(scene.workspace)).toEqual([]);
    const moved = events.flatMap((event) => (event.type === "moved" ? [event.path] : []));
    expect(moved).toEqual(expect.arrayContaining([join(scene.workspace, ".mcp.json")]));
    await scene.sandbox[Symbol.asyncDispose]();
    expect(existsSync(join(scene.workspace, ".git/commondir"))).toBe(false);
    await scene[Symbol.asyncDispose]();
  });
});

describe("a look from outside", () => {
  const records = (...lines: readonly string[]) => lines.map((line) => `${line}\0`).join("");

  test("moves what is at a watched path, and what a killed keeper had put aside, and forgets the list", () => {
    const session = tempFolder();
    const root = tempFolder();
    const aside = `.signalbox-${"0".repeat(32)}`;
    mkdirSync(join(root, ".github/workflows"), { recursive: true });
    mkdirSync(join(root, ".github", aside));
    mkdirSync(join(root, ".signalbox-1"));
    writeFileSync(join(root, ".github/workflows/ci.yml"), "on:");
    writeFileSync(join(session, WATCHED), records(`w${root}`, `m${root}/.github/workflows`, `m${root}/.mcp.json`));
    spawnSync("chmod", ["555", join(root, ".github/workflows"), join(root, ".github")]);
    expect(lookOutside(session)).toEqual([
      { type: "moved", path: join(root, ".github/workflows") },
      { type: "moved", path: join(root, ".github", aside) },
    ]);
    expect(readdirSync(join(root, ".github"))).toEqual([]);
    expect(lstatSync(join(root, ".signalbox-1")).isDirectory()).toBe(true);
    expect(
      readdirSync(join(session, KEPT))
        .map((name) => name.replace(/^[^-]+-/, ""))
        .toSorted(),
    ).toEqual([aside, "workflows"]);
    expect(lookOutside(session)).toEqual([]);
  });
});
