import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSandbox, openScene } from "../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { finalKept, KEPT, lookOutside, WATCHED } from "./session/look-outside.ts";
import { isStandIn } from "./session/stand-ins.ts";
import type { SandboxEvent } from "./linux/start-session.ts";

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
  "by a modules folder of the repository": "mkdir -p .git/modules/x; cp evil/config .git/modules/x/config",
};

/** Leaves `sub`, a repository that runs something when git looks at it, and `link PATH`, which adds it to the index. */
const MAKE_SUB = `git config --global user.email a@b; git config --global user.name a
sub() { git init -q $1; (cd $1; git commit -q --allow-empty -m 1; mkdir -p .git/hooks
  git config core.fsmonitor "touch $OLDPWD/marker; false"; git config filter.x.clean "touch $OLDPWD/marker; cat"
  echo '* filter=x' >.gitattributes; printf '#!/bin/sh\ntouch %s/marker\n' "$OLDPWD" >.git/hooks/post-index-change; chmod +x .git/hooks/*); }
link() { git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),$1; }
git add file; git commit -qm 1`;

/** Each tries to have git outside run what a new repository says, by adding that to the index. */
const LINKED: Readonly<Record<string, string>> = {
  "as git does it": "sub sub; git add sub 2>/dev/null",
  "before it is there": "link sub; sub sub",
  "in folders below": "mkdir -p a/b; link a/b/sub; sub a/b/sub",
  "with its .git elsewhere":
    "sub real; git init -q --separate-git-dir=real/.git sub2; mv real/.git store; mkdir sub; echo gitdir: ../store >sub/.git; link sub",
  "by a link": "sub real; mkdir sub; ln -s ../real/.git sub/.git; link sub",
  "in an index that is split": "sub sub; git update-index --split-index; link sub; git update-index --split-index",
  "in an index of version 4":
    "sub sub; mkdir sua; touch sua/x sub1; git add sua sub1; git update-index --index-version 4; link sub",
  "in an index that is written in place": `sub sub; cp .git/index x; link sub; cp .git/index y; cat x >.git/index; cat y >.git/index`,
  "by a path that git does not write": `mkdir d; sub sub; link xx/../sub 2>/dev/null; link aa/bb/sub; LC_ALL=C sed -i 's#aa/bb/sub#dd/../sub#; s#dd/#d//#' .git/index; mkdir -p d`,
  "again and again, in the background":
    "sub one; (while :; do cp -r one sub; link sub; rm -rf sub; done) >/dev/null 2>&1 & sleep 0.3; cp -r one sub; link sub",
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

describe.skipIf(!hasSandbox)("a new repository that the index links to", () => {
  test.each(Object.keys(LINKED))("runs nothing outside when it is added %s", async (name) => {
    const scene = await openScene({ layOut });
    const marker = join(scene.workspace, "marker");
    scene.run(`${MAKE_SUB}\n${LINKED[name]}`);
    // While the session goes on, and after it.
    for (const end of [() => undefined, () => scene.sandbox[Symbol.asyncDispose]()]) {
      rmSync(marker, { force: true });
      spawnSync("git", ["status", "--porcelain"], { cwd: scene.workspace });
      spawnSync("git", ["diff"], { cwd: scene.workspace });
      expect(existsSync(marker)).toBe(false);
      await end();
    }
    await scene[Symbol.asyncDispose]();
  });

  test("loses its .git at once, which is kept, unless the policy allows it, or it was there before", async () => {
    const events: SandboxEvent[] = [];
    const scene = await openScene({
      layOut(_, workspace) {
        layOut("", workspace);
        spawnSync("git", ["init", "-q", join(workspace, "before")]);
        spawnSync("git", [
          "-C",
          join(workspace, "before"),
          "-c",
          "user.email=a@b",
          "-c",
          "user.name=a",
          "commit",
          "-qm1",
          "--allow-empty",
        ]);
      },
      policy: { newRepositories: ["vendor"] },
      onEvent: (event) => events.push(event),
    });
    scene.run(`${MAKE_SUB}\nsub sub; sub vendor/sub; git add sub vendor/sub before 2>/dev/null; git commit -qm 2`);
    const has = (path: string) => existsSync(join(scene.workspace, path, ".git"));
    expect([has("sub"), has("vendor/sub"), has("before")]).toEqual([false, true, true]);
    await expect
      .poll(() => events.filter(({ type }) => type === "unlinked"))
      .toEqual([{ type: "unlinked", path: join(scene.workspace, "sub/.git") }]);
    expect(readdirSync(scene.sandbox.kept).map((name) => name.replace(/^\w+-/, ""))).toEqual([".git"]);
    scene.run("git rm -q --cached sub; git init -q sub");
    expect(has("sub")).toBe(true);
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
      { type: "moved", path: join(root, ".github/workflows"), kept: finalKept(join(session, KEPT)) },
      { type: "moved", path: join(root, ".github", aside), kept: finalKept(join(session, KEPT)) },
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

  test("leaves a link alone that was there when the session began", () => {
    const [session, root] = [tempFolder(), tempFolder()];
    for (const name of [".claude", ".codex"]) symlinkSync("settings", join(root, name));
    const names = [".claude", ".codex"].map((name) => join(root, name));
    writeFileSync(join(session, WATCHED), records(`w${root}`, ...names.map((path) => `m${path}`), `l${root}/.claude`));
    expect(lookOutside(session).map(({ path }) => path)).toEqual([join(root, ".codex")]);
    expect(readdirSync(root)).toEqual([".claude"]);
  });
});
