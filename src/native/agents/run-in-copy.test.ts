import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentScene, hangs, type Parts, play, starts, toldIn } from "../../../test/support/agent-scene.ts";
import { git, repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { call, calls, says } from "../../../test/support/scripted-session.ts";
import type { NativeSettings } from "../settings/session-settings.ts";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("");
const change = (path: string, from: string, to: string) => [
  calls(call("r", "read", { path })),
  calls(call("e", "edit", { path, edits: [{ old_string: from, new_string: to }] })),
];
const creates = (path: string, content = `${path}\n`) => [calls(call("w", "write", { path, content }))];

/** A repository with uncommitted and untracked files, in which sub-agents get copies. */
function copyScene(parts: Parts, settings: Partial<NativeSettings> = {}) {
  const scene = agentScene(parts, { worktrees: 3, ...settings });
  const { cwd, home, requests } = scene;
  writeFiles(cwd, { "a.txt": LINES, "staged.txt": "s\n", ".gitignore": "ignored\n" });
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "first");
  writeFiles(cwd, { "a.txt": LINES.replace("line 0\n", "not committed\n"), "untracked.txt": "u\n", ignored: "i\n" });
  git(cwd, "rm", "-q", "--cached", "staged.txt");
  const repository = () =>
    [
      ["ls-files", "--stage"],
      ["branch", "-a", "-v"],
      ["stash", "list"],
      ["worktree", "list"],
    ].map((args) => git(cwd, ...args));
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  /** What the session's own agent was told by its last request. */
  const told = () => toldIn(requests.findLast(({ history }) => JSON.stringify(history[0]).includes("main")) ?? never());
  const leftCopies = (id: string) => [
    ...readdirSync(tmpdir()).filter((name) => name.startsWith(`signalbox-stage-${id}`)),
    ...(existsSync(join(home, "worktrees")) ? readdirSync(join(home, "worktrees")) : []),
  ];
  return { ...scene, repository, read, told, leftCopies };
}

function never(): never {
  throw new Error("the model was not asked");
}

/** Answers once so many agents ask at the same time. */
function together(count: number, ...answers: readonly ReturnType<typeof call>[]) {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  return async () => {
    if (++waiting === count) all.resolve();
    await all.promise;
    return calls(...answers);
  };
}

test("sub-agents work at the same time, each in a copy of the present state, and their changes come together", async () => {
  const wait = together(3, call("r", "read", { path: "untracked.txt" }));
  const part = (from: string, to: string) => [wait, ...change("a.txt", from, to)];
  const { open, read, repository, told, leftCopies, warnings, requests } = copyScene({
    main: [starts(["general-purpose", "one"], ["general-purpose", "two"], ["general-purpose", "three"])],
    one: part("line 5\n", "FIVE\n"),
    two: part("line 12\n", "TWELVE\n"),
    three: [wait, ...creates("new/file.txt"), ...creates("ignored", "not merged\n")],
  });
  const before = repository();
  const session = await open({ prompt: "main" });
  const { outcome } = await play(session);
  expect(outcome.reason).toBe("answered");
  expect(read("a.txt")).toBe(
    LINES.replace("line 0\n", "not committed\n").replace("line 5\n", "FIVE\n").replace("line 12\n", "TWELVE\n"),
  );
  expect([read("new/file.txt"), read("untracked.txt"), read("ignored")]).toEqual(["new/file.txt\n", "u\n", "i\n"]);
  expect(repository()).toEqual(before);
  expect(
    told()
      .match(/Merged into the workspace, 1 file: [\w./]+(?=\.)/g)
      ?.toSorted(),
  ).toEqual([
    "Merged into the workspace, 1 file: a.txt",
    "Merged into the workspace, 1 file: a.txt",
    "Merged into the workspace, 1 file: new/file.txt",
  ]);
  expect(
    warnings.filter((text) => text.includes("1 file merged into the workspace; its changes as a patch: ")),
  ).toHaveLength(3);
  const systems = requests.map(({ system }) => system);
  expect(systems.filter((text) => text.includes("You work in a copy of the workspace"))).toHaveLength(
    requests.length - 2,
  );
  expect(systems[0]).toContain("at most 3 at once");
  await session[Symbol.asyncDispose]();
  expect(leftCopies(session.conversation.id)).toEqual([]);
});

test("two that change the same lines make a conflict, which the main agent resolves", async () => {
  const wait = together(2, call("r", "read", { path: "a.txt" }));
  const { open, read, told } = copyScene({
    main: [
      starts(["general-purpose", "one"], ["general-purpose", "two"]),
      calls(call("x", "bash", { command: "sed -i -E 's/^(FIVE|CINQ)$/FIVE and CINQ/' a.txt" })),
      says("resolved"),
    ],
    one: [wait, ...change("a.txt", "line 5\n", "FIVE\n").slice(1)],
    two: [wait, calls(call("x", "bash", { command: "sed -i 's/^line 5$/CINQ/' a.txt" }))],
  });
  const { outcome } = await play(await open({ prompt: "main" }));
  expect([outcome.reason, outcome.text]).toEqual(["answered", "resolved"]);
  expect(read("a.txt")).toContain("FIVE and CINQ\n");
  const [, theirs = ""] =
    /- a\.txt: both sides changed the same lines, or it is not text; the sub-agent's version: (\S+);/.exec(told()) ??
    [];
  expect(readFileSync(theirs, "utf8")).toMatch(/^(FIVE|CINQ)$/m);
});

test("a conflict that is left is asked about, and then exits with 9, unless the answer names the file", async () => {
  const parts = (last: string): Parts => {
    const both = together(2, call("r", "read", { path: "a.txt" }));
    return {
      main: [
        starts(["general-purpose", "one"], ["general-purpose", "two"]),
        ...Array.from({ length: 5 }, () => says(last)),
      ],
      one: [both, ...creates("made.txt", "one\n")],
      two: [both, ...creates("made.txt", "two\n")],
    };
  };
  const careless = copyScene(parts("all done"));
  const { outcome, events } = await play(await careless.open({ prompt: "main" }));
  expect([outcome.reason, outcome.exitCode]).toEqual(["gate-gave-up", 9]);
  expect(events.filter(({ type }) => type === "gate-blocked")).toHaveLength(2);
  expect(careless.told()).toContain(
    "Changes of sub-agents were not merged in made.txt.\n- made.txt: it was created on both sides",
  );
  expect(["one\n", "two\n"]).toContain(careless.read("made.txt"));
  const careful = copyScene(parts("made.txt is right as it is"));
  expect((await play(await careful.open({ prompt: "main" }))).outcome.reason).toBe("answered");
});

test("what a sub-agent changed before it failed is kept as a patch and not merged", async () => {
  const fails = () => Promise.reject(new Error("no more money"));
  const { open, cwd, told, leftCopies, warnings } = copyScene({
    main: [starts(["general-purpose", "one"])],
    one: [...creates("half.txt"), fails],
  });
  const session = await open({ prompt: "main" });
  await play(session);
  expect(existsSync(join(cwd, "half.txt"))).toBe(false);
  const [, patch = ""] = /What it had changed is not in the workspace\. It is in a patch: (\S+)\]/.exec(told()) ?? [];
  expect(warnings).toContain(
    `general-purpose-1: it did not finish, so nothing was merged; its changes as a patch: ${patch}`,
  );
  git(cwd, "apply", patch);
  expect(existsSync(join(cwd, "half.txt"))).toBe(true);
  expect(leftCopies(session.conversation.id)).toEqual([]);
});

test("files that git ignores are named when they go with the copy", async () => {
  const { open, told } = copyScene({
    main: [starts(["general-purpose", "one"])],
    one: creates("ignored", "made\n"),
  });
  await play(await open({ prompt: "main" }));
  expect(told()).toContain(
    "[It changed no files.\nNot merged, because git ignores them, and gone with the copy: ignored]",
  );
});

test("an interruption ends those that work and those that wait, and leaves no copy", async () => {
  const stop = new AbortController();
  const { open, leftCopies, cwd } = copyScene(
    {
      main: [starts(["general-purpose", "one"], ["general-purpose", "two"])],
      one: [
        ...creates("half.txt"),
        (request, signal) => {
          stop.abort();
          return hangs(request, signal);
        },
      ],
      two: [hangs],
    },
    { worktrees: 1 },
  );
  const session = await open({ prompt: "main" });
  expect((await play(session, stop.signal)).outcome.reason).toBe("aborted");
  await session[Symbol.asyncDispose]();
  expect([leftCopies(session.conversation.id), existsSync(join(cwd, "half.txt"))]).toEqual([[], false]);
});

test("no more than the given number work at once", async () => {
  let [now, most] = [0, 0];
  let pair = Promise.withResolvers<void>();
  const counts = async () => {
    const mine = pair;
    most = Math.max(most, ++now);
    if (now >= 2) {
      pair = Promise.withResolvers();
      mine.resolve();
    }
    await mine.promise;
    now--;
    return says("done");
  };
  const { open } = copyScene(
    {
      main: [starts(...["a", "b", "c", "d"].map((name) => ["general-purpose", `work ${name}`] as const))],
      work: [counts],
    },
    { worktrees: 2 },
  );
  await play(await open({ prompt: "main" }));
  expect(most).toBe(2);
});

test("one that runs commands, one that only looks, and those of a sub-agent get no copy of their own", async () => {
  const where = calls(call("x", "bash", { command: "pwd" }));
  const { open, cwd, requests } = copyScene({
    main: [starts(["task", "tests"], ["general-purpose", "outer"])],
    tests: [where],
    outer: [where, starts(["general-purpose", "inner"])],
    inner: [where],
  });
  await play(await open({ prompt: "main" }));
  const ran = (word: string) =>
    /\/\S+/.exec(toldIn(requests.findLast(({ history }) => JSON.stringify(history[0]).includes(word)) ?? never()))?.[0];
  expect(ran("tests")).toBe(cwd);
  expect(ran("outer")).toContain("signalbox-stage-");
  expect(ran("inner")).toBe(ran("outer"));
});

test("the guard judges in the copy as in the workspace", async () => {
  const { open, cwd, requests } = copyScene({
    main: [starts(["general-purpose", "break out"])],
    "break out": [
      calls(
        call("a", "write", { path: ".github/workflows/x.yml", content: "x" }),
        call("b", "write", { path: "/etc/signalbox-test", content: "x" }),
        call("c", "bash", { command: "sudo ls" }),
      ),
    ],
  });
  await play(await open({ prompt: "main" }));
  const results = requests.findLast(({ history }) => JSON.stringify(history[0]).includes("break out"))?.history.at(-1);
  expect(results?.role === "tool" ? results.results.map(({ failed }) => failed) : []).toEqual([true, true, true]);
  expect(existsSync(join(cwd, ".github"))).toBe(false);
});

test("a folder without git works too", async () => {
  const { open, read, cwd } = copyScene({
    main: [starts(["general-purpose", "one"])],
    one: change("a.txt", "line 5\n", "FIVE\n"),
  });
  rmSync(join(cwd, ".git"), { recursive: true });
  await play(await open({ prompt: "main" }));
  expect([read("a.txt").includes("FIVE"), existsSync(join(cwd, ".git"))]).toEqual([true, false]);
});

test("changes to the files of a submodule are merged into it", async () => {
  const { open, read, cwd } = copyScene({
    main: [starts(["general-purpose", "one"])],
    one: change("library/code.txt", "old\n", "new\n"),
  });
  git(cwd, "submodule", "--quiet", "add", repositoryWith({ "code.txt": "old\n" }), "library");
  const before = git(join(cwd, "library"), "log", "--format=%H", "--all");
  await play(await open({ prompt: "main" }));
  expect(read("library/code.txt")).toBe("new\n");
  expect(git(join(cwd, "library"), "log", "--format=%H", "--all")).toBe(before);
});

test("where no copy can be made, the sub-agent does not work, and the workspace stays", async () => {
  const { open, told, cwd, home } = copyScene({ main: [starts(["general-purpose", "one"])], one: creates("new.txt") });
  const session = await open({ prompt: "main" });
  writeFiles(home, { worktrees: "in the way" });
  await play(session);
  expect(told()).toContain("the sub-agent could not work: signalbox cannot store its files here");
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
});

test("a merge is undone with its turn", async () => {
  const { open, read, cwd } = copyScene({
    main: [starts(["general-purpose", "one"])],
    one: [...change("a.txt", "line 5\n", "FIVE\n"), ...creates("new.txt")],
  });
  const before = read("a.txt");
  const session = await open({ prompt: "main" });
  await play(session);
  expect([read("a.txt").includes("FIVE"), existsSync(join(cwd, "new.txt"))]).toEqual([true, true]);
  await session.takeBack("/undo");
  expect([read("a.txt"), existsSync(join(cwd, "new.txt"))]).toEqual([before, false]);
});
