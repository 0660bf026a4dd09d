import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Editor, openEditor, place, updatesOf } from "./support/acp-editor.ts";

const BOTH = { fs: { readTextFile: true, writeTextFile: true } };

const read = (path: string) => ({ calls: [{ name: "read", input: { path } }] });
const edit = (path: string, old_string: string, new_string: string) => ({
  calls: [{ name: "edit", input: { path, edits: [{ old_string, new_string }] } }],
});
const write = (path: string, content: string) => ({ calls: [{ name: "write", input: { path, content } }] });

/** An editor with unsaved texts. Saving writes the file, as editors do; `saves: false` keeps it in the buffer. */
function buffers(texts: Record<string, string>, saves = true) {
  const open = new Map(Object.entries(texts));
  const asked: string[] = [];
  return {
    open,
    asked,
    read(path: string) {
      asked.push(`read ${path}`);
      return { content: open.get(path) ?? readFileSync(path, "utf8") };
    },
    write(path: string, content: string) {
      asked.push(`write ${path}`);
      open.set(path, content);
      if (saves) writeFileSync(path, content);
      return {};
    },
  };
}

const results = (editor: Editor) =>
  updatesOf(editor.updates, "tool_call_update").map(({ status, content }) => [status, JSON.stringify(content)]);

test("what an editor has not saved is read, changed in the editor, and saved; other files are changed on disk", async () => {
  const here = await place({
    turns: [
      read("a.txt"),
      edit("a.txt", "unsaved", "changed"),
      read("b.txt"),
      edit("b.txt", "two", "2"),
      write("new.txt", "new\n"),
      { text: "Done." },
    ],
  });
  const [a, b] = [join(here.cwd, "a.txt"), join(here.cwd, "b.txt")];
  writeFileSync(a, "saved\r\n");
  writeFileSync(b, "two\n");
  const held = buffers({ [a]: "unsaved\n" });
  const editor = await openEditor(here, () => "once", { capabilities: BOTH, ...held });
  await editor.ask((await editor.begin()).sessionId, "change them");
  const shown = results(editor);
  expect(shown.map(([status]) => status)).toEqual(Array.from({ length: 5 }, () => "completed"));
  expect(shown[0]?.[1]).toContain("[not saved: this is the text in the editor]\\n1\\tunsaved");
  expect(held.asked.filter((line) => line.startsWith("write"))).toEqual([`write ${a}`]);
  // The file's line ends are its own.
  expect([readFileSync(a, "utf8"), held.open.get(a)]).toEqual(["changed\r\n", "changed\r\n"]);
  expect([readFileSync(b, "utf8"), readFileSync(join(here.cwd, "new.txt"), "utf8")]).toEqual(["2\n", "new\n"]);
  await editor.close();
});

test("a buffer must have been read in its present state, and one that is not saved is saved on disk as well", async () => {
  const here = await place({
    turns: [read("a.txt"), edit("a.txt", "one", "1"), read("a.txt"), edit("a.txt", "one", "1"), { text: "Done." }],
  });
  const path = join(here.cwd, "a.txt");
  writeFileSync(path, "one\n");
  const held = buffers({ [path]: "one, typed\n" }, false);
  let reads = 0;
  const editor = await openEditor(here, () => "once", {
    capabilities: BOTH,
    write: (asked, content) => held.write(asked, content),
    read(asked) {
      // The user types on after the first reading.
      if (++reads === 2) held.open.set(path, "one, typed more\n");
      return held.read(asked);
    },
  });
  await editor.ask((await editor.begin()).sessionId, "change it");
  const shown = results(editor);
  expect(shown.map(([status]) => status)).toEqual(["completed", "failed", "completed", "completed"]);
  expect(shown[1]?.[1]).toContain("has changed since it was read");
  expect([readFileSync(path, "utf8"), held.open.get(path)]).toEqual(["1, typed more\n", "1, typed more\n"]);
  await editor.close();
});

test("an editor that refuses, answers nonsense or saves something else is no obstacle, and it is said", async () => {
  const here = await place({
    turns: [
      read("refused.txt"),
      read("nonsense.txt"),
      read("huge.txt"),
      read("unwritable.txt"),
      edit("unwritable.txt", "typed", "changed"),
      read("formatted.txt"),
      edit("formatted.txt", "typed", "changed"),
      { text: "Done." },
    ],
  });
  const at = (name: string) => join(here.cwd, name);
  for (const name of ["refused.txt", "nonsense.txt", "huge.txt", "unwritable.txt", "formatted.txt"])
    writeFileSync(at(name), "on disk\n");
  const answers: Readonly<Record<string, () => unknown>> = {
    [at("refused.txt")]: () => {
      throw new Error("no such buffer");
    },
    [at("nonsense.txt")]: () => ({ content: 7 }),
    [at("huge.txt")]: () => ({ content: "x".repeat(17 * 1024 * 1024) }),
  };
  const editor = await openEditor(here, () => "once", {
    capabilities: BOTH,
    read: (path) => answers[path]?.() ?? { content: "typed\n" },
    write(path, content) {
      if (path === at("unwritable.txt")) throw new Error("locked");
      writeFileSync(path, content.toUpperCase());
      return {};
    },
  });
  await editor.ask((await editor.begin()).sessionId, "change them");
  const shown = results(editor);
  expect(shown.map(([status]) => status)).toEqual([...Array.from({ length: 6 }, () => "completed"), "failed"]);
  for (const [index, words] of [
    [0, "without the editor's text"],
    [1, "answer has no text"],
    [2, "too long"],
  ] as const)
    expect(shown[index]?.[1]).toContain(words);
  for (const index of [0, 1, 2]) expect(shown[index]?.[1]).toContain("1\\ton disk");
  expect(shown[4]?.[1]).toContain("which still shows them as unsaved");
  expect(readFileSync(at("unwritable.txt"), "utf8")).toBe("changed\n");
  expect(shown[6]?.[1]).toContain("saved by the editor with other changes; read it again");
  expect(readFileSync(at("formatted.txt"), "utf8")).toBe("CHANGED\n");
  await editor.close();
});

test("the editor is not asked about files outside the workspace, nor about folders and pictures", async () => {
  const here = await place({ turns: [read("link.txt"), read("."), read("dot.png"), { text: "Done." }] });
  const outside = join(here.home, "outside.txt");
  writeFileSync(outside, "outside\n");
  symlinkSync(outside, join(here.cwd, "link.txt"));
  writeFileSync(join(here.cwd, "dot.png"), Buffer.from("89504e470d0a1a0a", "hex"));
  const held = buffers({ [outside]: "unsaved" });
  const editor = await openEditor(here, () => "once", { capabilities: BOTH, ...held });
  await editor.ask((await editor.begin()).sessionId, "read them");
  expect([held.asked, results(editor).length]).toEqual([[], 3]);
  await editor.close();
});
