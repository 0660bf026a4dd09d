import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEditor, place, said } from "./support/acp-editor.ts";
import { everything, git } from "./support/git-repository.ts";
import { scene } from "./support/native-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";

const read = (root: string, path: string) => readFileSync(join(root, path), "utf8");

test("a turn is taken back with its files and its part of the conversation, across processes, and brought back", async () => {
  const { cwd, run, server } = await scene({
    turns: [
      { shell: "echo one > a.txt; echo keep > b.txt" },
      { text: "Made a." },
      { shell: "echo two > a.txt; rm b.txt; mkdir d; echo new > d/c.txt" },
      { text: "Changed a." },
      { text: "Third." },
      { text: "Fourth." },
    ],
  });
  await run(["native", "-p", "make a"]);
  await run(["native", "-c", "-p", "change a"]);
  const gitFolder = everything(join(cwd, ".git"));

  const listed = await run(["sessions", "undo", "last", "--list", "--json"]);
  expect(JSON.parse(listed.stdout).turns).toEqual([
    {
      number: 1,
      prompt: "make a",
      files: [
        { path: "a.txt", change: "added" },
        { path: "b.txt", change: "added" },
      ],
    },
    {
      number: 2,
      prompt: "change a",
      files: [
        { path: "a.txt", change: "changed" },
        { path: "b.txt", change: "deleted" },
        { path: "d/c.txt", change: "added" },
      ],
    },
  ]);
  const dry = await run(["sessions", "undo", "last", "--dry-run"]);
  expect([dry.code, dry.stdout.split("\n").slice(1)]).toEqual([
    0,
    ["  turn 2    change a", "  restore   a.txt", "  restore   b.txt", "  remove    d/c.txt", ""],
  ]);
  expect((await run(["sessions", "undo", "last"])).code).toBe(3);
  expect(read(cwd, "a.txt")).toBe("two\n");

  const undone = await run(["sessions", "undo", "last", "--yes"]);
  expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining("undid turn 2\n")]);
  expect([read(cwd, "a.txt"), read(cwd, "b.txt"), existsSync(join(cwd, "d"))]).toEqual(["one\n", "keep\n", false]);
  expect((await run(["sessions", "show", "last"])).stdout).not.toContain("change a");

  const back = await run(["sessions", "redo", "last", "--yes", "--json"]);
  expect([back.code, JSON.parse(back.stdout)]).toMatchObject([0, { direction: "redo", kept: [], failed: [] }]);
  expect([read(cwd, "a.txt"), existsSync(join(cwd, "b.txt")), read(cwd, "d/c.txt")]).toEqual(["two\n", false, "new\n"]);
  expect((await run(["sessions", "redo", "last", "--yes"])).code).toBe(3);

  expect((await run(["sessions", "undo", "last", "--to", "1", "--yes"])).code).toBe(0);
  expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "b.txt")), existsSync(join(cwd, "d"))]).toEqual([
    false,
    false,
    false,
  ]);
  await run(["native", "-c", "-p", "again"]);
  const [prompt, note] = server.requests.at(-1)?.userTexts ?? [];
  expect(prompt).toBe("again");
  expect(note).toContain('again as they were before it: "a.txt", "d/c.txt".');
  const late = await run(["sessions", "redo", "last", "--yes"]);
  expect([late.code, late.stderr]).toEqual([3, expect.stringContaining("there was new work since")]);
  await run(["native", "-c", "-p", "more"]);
  expect(server.requests.at(-1)?.userTexts).toEqual(["again", note, "more"]);
  expect(everything(join(cwd, ".git"))).toEqual(gitFolder);
});

test("what the user changed since is kept and named, with exit 3, and --force takes it back so that redo has it", async () => {
  const { cwd, run } = await scene({
    turns: [{ shell: "echo agent > a.txt; echo agent > b.txt" }, { text: "Done." }],
  });
  git(cwd, "status");
  await run(["native", "-p", "write"]);
  writeFileSync(join(cwd, "a.txt"), "mine\n");
  const kept = await run(["sessions", "undo", "last", "--yes"]);
  expect([kept.code, kept.stdout]).toEqual([
    3,
    expect.stringContaining("  removed   b.txt\n  kept      a.txt: it was changed after the turn\n"),
  ]);
  expect([read(cwd, "a.txt"), existsSync(join(cwd, "b.txt"))]).toEqual(["mine\n", false]);
  expect((await run(["sessions", "redo", "last", "--yes"])).code).toBe(0);
  expect([read(cwd, "a.txt"), read(cwd, "b.txt")]).toEqual(["mine\n", "agent\n"]);
  expect((await run(["sessions", "undo", "last", "--yes", "--force"])).code).toBe(0);
  expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "b.txt"))]).toEqual([false, false]);
  expect((await run(["sessions", "redo", "last", "--yes"])).code).toBe(0);
  expect([read(cwd, "a.txt"), read(cwd, "b.txt")]).toEqual(["mine\n", "agent\n"]);
});

test("an undo is refused inside a session, without a turn, for a turn that does not exist, and in a folder that is gone", async () => {
  const { cwd, run } = await scene({ turns: [{ shell: "echo agent > a.txt" }, { text: "Done." }, { text: "Hi." }] });
  await run(["native", "-p", "write"]);
  const undo = async (...flags: string[]) => {
    const { code, stderr } = await run(["sessions", "undo", "last", "--yes", ...flags]);
    return [code, stderr];
  };
  const inside = await run(["sessions", "undo", "last", "--yes"], { env: { SIGNALBOX_RUN: "x" } });
  expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining("a session cannot undo turns")]);
  expect(await undo("--to", "2")).toEqual([2, expect.stringContaining("there is no turn 2: the session has 1 turn")]);
  expect(await undo("--to", "0")).toEqual([2, expect.stringContaining("there is no turn 0")]);
  expect(await undo("--to", "x")).toEqual([2, expect.stringContaining("whole number")]);
  const copy = (await run(["sessions", "fork", "last"])).stdout.trim();
  const forked = await run(["sessions", "undo", copy, "--yes"]);
  expect([forked.code, forked.stderr]).toEqual([3, expect.stringContaining("of which this is a copy")]);
  const [id = ""] = (await run(["sessions", "list"])).stdout.split("\n").flatMap((line) => {
    const [each = ""] = line.split(" ");
    return each === "" || each === copy ? [] : [each];
  });
  rmSync(cwd, { recursive: true });
  const gone = await run(["sessions", "undo", id, "--yes"], { cwd: "/" });
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining("the workspace is gone")]);
});

test("in an editor /undo and /redo work, the model must read a file again before it writes it, and others are refused", async () => {
  const write = (content: string) => ({ calls: [{ name: "write", input: { path: "a.txt", content } }] });
  const here = await place({
    turns: [write("one\n"), { text: "1" }, write("two\n"), { text: "2" }, write("three\n"), { text: "3" }],
  });
  const editor = await openEditor(here);
  const { sessionId } = await editor.begin();
  await editor.ask(sessionId, "make it");
  await editor.ask(sessionId, "change it");
  const answerTo = async (words: string) => {
    editor.updates.splice(0);
    expect(await editor.ask(sessionId, words)).toEqual({ stopReason: "end_turn" });
    return said(editor.updates);
  };
  expect(await answerTo("/undo")).toBe("  restored  a.txt\nundid turn 2\nto redo it: /redo\n");
  expect(read(here.cwd, "a.txt")).toBe("one\n");
  expect(await answerTo("/redo")).toBe("  restored  a.txt\nredid turn 2\n");
  expect(await answerTo("/redo")).toBe("there is nothing to redo\n");
  expect(await answerTo("/undo 7")).toBe("there is no turn 7: the session has turns 1 to 2; /undo list shows them\n");
  await answerTo("/undo");
  await answerTo("write three");
  expect(read(here.cwd, "a.txt")).toBe("one\n");
  expect(JSON.stringify(here.server.requests.at(-1)?.body)).toContain("has not been read; read it first");
  const other = await signalbox(["sessions", "undo", sessionId, "--yes"], { cwd: here.cwd, env: { HOME: here.home } });
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining("this session is open in")]);
  await editor.close();
});

test("where force would not help, nobody is told to use it", async () => {
  const { cwd, run } = await scene({ turns: [{ shell: "rm .gitignore; echo more >> secret" }, { text: "Done." }] });
  writeFileSync(join(cwd, ".gitignore"), "secret\n");
  writeFileSync(join(cwd, "secret"), "mine\n");
  await run(["native", "-p", "write"]);
  const kept = await run(["sessions", "undo", "last", "--yes"]);
  expect([kept.code, kept.stdout, kept.stderr]).toEqual([
    3,
    expect.stringContaining("  kept      secret: git ignored it before the turn, so it may have been there\n"),
    expect.stringMatching(/to take this back: signalbox sessions redo \S+\n$/),
  ]);
  expect(read(cwd, "secret")).toBe("mine\nmore\n");
});
