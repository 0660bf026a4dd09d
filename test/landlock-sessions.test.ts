import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Policy } from "../src/contract/policy.ts";
import { presetPolicy } from "../src/guard/policy/compiled-policy.ts";
import { type ContainedSession, openContainedSession } from "../src/sandbox/contained-session.ts";
import { sandboxHere } from "../src/sandbox/open-session-sandbox.ts";
import { findBubblewrap } from "../src/sandbox/prove-sandbox.ts";
import type { SandboxEvent } from "../src/sandbox/linux/start-session.ts";
import { FORMS, openScene, refusedBubblewrap, type SandboxScene, type SceneParts } from "./support/sandbox-scene.ts";
import { tempFolder } from "./support/temp-folder.ts";

const HOOK = ".git/hooks/pre-commit";
const WORKFLOW = ".github/workflows/ci.yml";

function layOut(home: string, workspace: string): void {
  mkdirSync(join(home, ".ssh"));
  mkdirSync(join(workspace, ".github/workflows"), { recursive: true });
  writeFileSync(join(home, ".ssh/key"), "the secret");
  writeFileSync(join(workspace, WORKFLOW), "as it was\n");
  writeFileSync(join(workspace, ".env"), "the secret");
  execFileSync("git", ["init", "-q", workspace]);
  writeFileSync(join(workspace, HOOK), "#!/bin/sh\n", { mode: 0o755 });
}

const open = (parts: SceneParts = {}) => openScene({ form: "landlock", layOut, ...parts });

const inWorkspace = (scene: SandboxScene, path: string) => readFileSync(join(scene.workspace, path), "utf8");

/** What was taken away, whatever it is called there. */
const keptTexts = ({ sandbox }: SandboxScene) =>
  readdirSync(sandbox.kept, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

describe.skipIf(!FORMS.includes("landlock"))("a session where user namespaces are refused", () => {
  test("is contained by Landlock, and says what that holds and why it is not the whole form", async () => {
    await using scene = await open();
    expect(scene.sandbox.containment).toMatchObject({
      form: "landlock",
      by: "Landlock",
      held: ["disk", "home", "network"],
      instead: { because: expect.stringMatching(/namespace/) },
    });
  });

  test.skipIf(!FORMS.includes("bubblewrap"))(
    "is foretold as such, although bubblewrap passed its trial before",
    async () => {
      const home = tempFolder();
      const workspaceRoot = join(home, "work");
      mkdirSync(workspaceRoot);
      const real = findBubblewrap("/nowhere") ?? "";
      const bubblewrap = join(home, "bwrap");
      writeFileSync(
        bubblewrap,
        `#!/bin/sh\nif [ -e ${join(home, "refused")} ]; then exec ${refusedBubblewrap(tempFolder())} "$@"; fi\nexec ${real} "$@"\n`,
        { mode: 0o755 },
      );
      const policy: Policy = { ...presetPolicy("default", { workspaceRoot, home }), landlock: "allow" };
      const parts = { signalboxHome: join(home, ".signalbox"), environment: {}, findBubblewrap: () => bubblewrap };
      const formNow = async () => {
        const { containment } = await sandboxHere(policy, parts);
        return containment.contained ? containment.form : containment.because;
      };
      expect(await formNow()).toBe("bubblewrap");
      writeFileSync(join(home, "refused"), "");
      expect(await formNow()).toBe("landlock");
    },
  );

  test("commands have a home and temporary files of their own, and keep the user's settings of git", async () => {
    await using scene = await open({
      layOut: (home, workspace) => {
        layOut(home, workspace);
        writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = a@b\n");
      },
    });
    const line =
      "git add -A && git commit -qm x && git log --format=%an; mktemp >/dev/null && echo made; cat ~/../.ssh/key";
    const { output } = scene.run(line);
    expect(output.split("\n").slice(0, 2)).toEqual(["Ada", "made"]);
    expect(output).not.toContain("the secret");
    const places = scene.run("echo $HOME; echo $TMPDIR; echo $TMUX_TMPDIR").output.trim().split("\n");
    expect(places.every((path) => path.startsWith(join(scene.home, ".signalbox/")))).toBe(true);
  });

  test("what a command wrote is kept, and what you write between commands stays", async () => {
    await using scene = await open();
    scene.run("true");
    writeFileSync(join(scene.workspace, WORKFLOW), "by you\n");
    scene.run("true");
    scene.run(`echo by a command > ${WORKFLOW}`);
    expect([inWorkspace(scene, WORKFLOW), keptTexts(scene)]).toEqual(["by you\n", ["by a command\n"]]);
    rmSync(join(scene.workspace, ".github"), { recursive: true });
    scene.run("true");
    scene.run(`mkdir -p .github/workflows; echo evil > ${WORKFLOW}`);
    expect(existsSync(join(scene.workspace, WORKFLOW))).toBe(false);
  });

  test("a program in the background cannot change them for long", async () => {
    await using scene = await open();
    scene.run(`(sleep 0.2; echo evil > ${WORKFLOW}; touch done; sleep 60) >/dev/null 2>&1 &`);
    await expect.poll(() => existsSync(join(scene.workspace, "done"))).toBe(true);
    await expect.poll(() => inWorkspace(scene, WORKFLOW)).toBe("as it was\n");
  });

  test("a file of the workspace that is hidden in the other form can be read, and is not said to be hidden", async () => {
    await using scene = await open();
    expect(scene.run("cat .env").output).toBe("the secret");
    expect(scene.sandbox.plan.mounts.filter(({ path }) => path.endsWith(".env"))).toEqual([]);
  });

  test("git can commit in a linked worktree, and its repository's hooks and settings stay", async () => {
    const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    await using scene = await open({
      layOut(home, workspace) {
        git("init", "-q", join(home, "main"));
        git("-C", join(home, "main"), "commit", "-q", "--allow-empty", "-m", "first");
        git("-C", join(home, "main"), "worktree", "add", "-q", "-b", "topic", workspace);
      },
    });
    const common = join(scene.home, "main/.git");
    const before = readFileSync(join(common, "config"), "utf8");
    const { code } = scene.run("git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second");
    scene.run(`git config core.fsmonitor evil; echo evil > ${common}/hooks/post-commit; echo .. > ${common}/commondir`);
    const log = String(git("-C", scene.workspace, "log", "--format=%s"));
    expect([code, log, readFileSync(join(common, "config"), "utf8")]).toEqual([0, "second\nfirst\n", before]);
    expect([existsSync(join(common, "hooks/post-commit")), readFileSync(join(common, "commondir"), "utf8")]).toEqual([
      false,
      ".\n",
    ]);
    expect(scene.run(`echo x > ${scene.home}/main/file`).code).toBe(1);
  });

  test("a session that ends leaves nothing of it behind", async () => {
    const scene = await open();
    scene.run(
      'mkdir -p "$TMPDIR/a/b"; echo x > "$TMPDIR/a/b/c"; chmod 000 "$TMPDIR/a/b" "$TMPDIR/a"; sleep 60 >/dev/null 2>&1 & true',
    );
    await scene.sandbox[Symbol.asyncDispose]();
    expect(readdirSync(join(scene.home, ".signalbox/s"))).toEqual([]);
    await scene[Symbol.asyncDispose]();
  });
});

describe.skipIf(!FORMS.includes("landlock"))("protected files in the Landlock form", () => {
  const events: SandboxEvent[] = [];
  let scene: SandboxScene;
  beforeAll(async () => {
    scene = await open({ onEvent: (event) => events.push(event) });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test.each([
    ["written", `echo evil > ${WORKFLOW}; echo evil > ${HOOK}`],
    ["replaced", `echo evil > new && mv new ${WORKFLOW}; cp ${WORKFLOW} ${HOOK}`],
    ["removed", `rm -r .github ${HOOK}`],
    ["linked to", `ln -s /etc/passwd x; mv x ${WORKFLOW}; ln -f ${HOOK} y; echo evil > y`],
    [
      "moved with their folders",
      "mv .github gone; mv .git/hooks hooks; mkdir -p .git/hooks; echo evil > .git/hooks/post-merge",
    ],
    [
      "behind a link",
      "mv .github gone && ln -s gone .github; mv .git/hooks gone/hooks && ln -s ../gone/hooks .git/hooks",
    ],
    ["closed", "chmod 000 .github .git/hooks"],
    ["files in the place of folders", "rm -r .github .git/hooks; touch .github .git/hooks"],
  ])("protected files that a command has %s are as before at its end", async (_, line) => {
    events.length = 0;
    const state = () => [
      inWorkspace(scene, WORKFLOW),
      inWorkspace(scene, HOOK),
      readdirSync(join(scene.workspace, ".git/hooks")).length,
    ];
    const before = state();
    scene.run(line);
    expect(state()).toEqual(before);
    await expect.poll(() => events.some(({ type }) => type === "restored")).toBe(true);
  });
});

describe.skipIf(!FORMS.includes("landlock"))("the policy decides about the weaker form", () => {
  const prove = async (changes: Partial<Policy>, isRequired = false) => {
    await using scene = await openPolicy(changes, isRequired);
    const { containment } = scene.session;
    return containment.contained ? containment.form : containment.fix.includes("landlock: allow");
  };

  test.each([
    [{ sandbox: "auto" }, false, "landlock"],
    [{ sandbox: "auto" }, true, true],
    [{ sandbox: "auto", landlock: "deny" }, false, true],
    [{ sandbox: "workspace" }, false, true],
    [{ sandbox: "workspace", landlock: "allow" }, true, "landlock"],
    [{ sandbox: "strict", landlock: "allow" }, false, false],
  ] as const)("%j, required by a flag: %s", async (changes, isRequired, outcome) => {
    expect(await prove(changes, isRequired)).toBe(outcome);
  });

  test("a path that is lent to one command may be changed by it, and by no other", async () => {
    await using scene = await openPolicy({ sandbox: "auto" });
    const { session, workspace } = scene;
    if (!session.contained) throw new Error("not contained");
    const line = "git config user.name Ada";
    const config = () => readFileSync(join(workspace, ".git/config"), "utf8").includes("Ada");
    run(session, workspace, line);
    expect(config()).toBe(false);
    const target = join(workspace, ".git/config");
    const [program = ""] = await session.lend([{ kind: "path", access: "write", target, because: "" }], line);
    execFileSync(program, [line], { cwd: workspace });
    expect(config()).toBe(true);
    run(session, workspace, "true");
    expect(config()).toBe(true);
  });

  test("the output of a command says what was put back and what is not there", async () => {
    await using scene = await openPolicy({ sandbox: "auto" });
    const { session, workspace } = scene;
    if (!session.contained) throw new Error("not contained");
    run(session, workspace, "echo evil >> .git/config");
    const output = run(session, workspace, "echo x > /tmp/signalbox-nowhere");
    await expect
      .poll(() => session.takeNotes({ output, command: "", folder: workspace }).join("\n"))
      .toMatch(/\.git\/config is protected, so it was put back/);
    const notes = session.takeNotes({ output, command: "", folder: workspace });
    expect(notes.join("\n")).toContain("For temporary files use $TMPDIR");
    await session[Symbol.asyncDispose]();
    expect(scene.warnings.join("\n")).toContain("were put back as they were before");
    expect(scene.warnings.join("\n")).not.toContain("from the next session on");
  });
});

function run({ program }: ContainedSession, cwd: string, line: string): string {
  return execFileSync("/bin/sh", ["-c", '"$0" "$1" 2>&1; true', program, line], { cwd, encoding: "utf8" });
}

async function openPolicy(changes: Partial<Policy>, isRequired = false) {
  const home = tempFolder();
  const workspace = join(home, "work");
  mkdirSync(workspace);
  layOut(home, workspace);
  const policy = { ...presetPolicy("default", { workspaceRoot: workspace, home }), ...changes };
  const refused = refusedBubblewrap(home);
  const warnings: string[] = [];
  const session = await openContainedSession({
    policy,
    isRequired,
    findBubblewrap: () => refused,
    environment: { ...process.env, HOME: home },
    signalboxHome: join(home, ".signalbox"),
    network: () => policy.network,
    isTainted: () => false,
    caller: { session: "s", agent: "a" },
    warn: (text) => void warnings.push(text),
  });
  return { session, workspace, warnings, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}
