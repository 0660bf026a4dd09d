import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { type PathGate, pathGate } from "./path-gate.ts";
import { fileStates, read } from "./read.ts";
import { edit, write } from "./write.ts";

let workspace = "";
let gate: PathGate;
let parts: Parameters<typeof read>[0];

beforeEach(() => {
  workspace = tempFolder();
  const paths = { ...PRESETS.default.paths, readRoots: ["."], writeRoots: ["."] };
  const policy = { ...PRESETS.default, paths, version: 1, workspaceRoot: workspace, home: tempFolder() } as const;
  gate = pathGate(policy, realMachine);
  parts = { gate, states: fileStates() };
});

const context: ToolContext = { callId: "1", signal: new AbortController().signal, progress: () => {}, emit: () => {} };
const at = (name: string) => join(workspace, name);
const put = (name: string, content: string | Buffer) => writeFileSync(at(name), content);

const look = (path: string, more: Record<string, unknown> = {}) => {
  const tool = read(parts);
  return tool.run(tool.input.parse({ path, ...more }), context);
};
const save = (path: string, content: string) => write(parts).run({ path, content }, context);
const change = (path: string, ...pairs: readonly (readonly [string, string, boolean?])[]) =>
  edit(parts).run(
    {
      path,
      edits: pairs.map(([old_string, new_string, all]) => ({ old_string, new_string, replace_all: all ?? false })),
    },
    context,
  );

describe("reading", () => {
  test("gives lines with numbers and says what was read", async () => {
    put("a.txt", "one\ntwo\r\nthree");
    expect(await look("a.txt")).toEqual({
      text: "1\tone\n2\ttwo\n3\tthree",
      failed: false,
      deeds: [{ kind: "read", path: at("a.txt") }],
    });
  });

  test("goes on where it is told, and says how much is left", async () => {
    put("a.txt", Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join(""));
    expect((await look("a.txt", { offset: 4, limit: 2 })).text).toBe(
      "4\tline 4\n5\tline 5\n[5 more lines; continue with offset 6]",
    );
    await expect(look("a.txt", { offset: 11 })).rejects.toThrow("the file has 10 lines; 11 is past its end");
  });

  test("is bounded for long files and long lines", async () => {
    put("long", `${"x".repeat(5000)}\n`.repeat(100));
    const { text } = await look("long");
    expect(text.length).toBeLessThan(62_000);
    expect(text).toMatch(/^1\tx{2000} \[… 3000 more characters\]\n/);
    expect(text).toMatch(/\[\d+ more lines; continue with offset \d+\]$/);
  });

  test("refuses what is huge, binary, no file or not there, with advice", async () => {
    put("huge", "");
    truncateSync(at("huge"), 5_000_000_000);
    put("binary", Buffer.from([1, 2, 0, 255]));
    execFileSync("mkfifo", [at("pipe")]);
    symlinkSync("loop", at("loop"));
    await expect(look("huge")).rejects.toThrow(/has 5000000000 bytes, too many to read; search it with grep/);
    await expect(look("binary")).rejects.toThrow(/is not text \(4 bytes\); look at it with bash/);
    await expect(look("pipe")).rejects.toThrow("not a regular file");
    await expect(look("gone")).rejects.toThrow("does not exist");
    await expect(look("loop")).rejects.toThrow("is a link to itself");
  });

  test("shows UTF-16 and old one-byte text, and names the encoding", async () => {
    put("little", Buffer.from("\ufeffgrün\n", "utf16le"));
    put("big", Buffer.from("\ufeffgrün\n", "utf16le").swap16());
    put("old", Buffer.from("gr\xfcn\n", "latin1"));
    expect([await look("little"), await look("big"), await look("old")].map(({ text }) => text)).toEqual([
      "[utf-16le]\n1\tgrün",
      "[utf-16be]\n1\tgrün",
      "[latin1]\n1\tgrün",
    ]);
  });

  test("lists a folder", async () => {
    mkdirSync(at("sub"));
    put("a", "");
    symlinkSync("a", at("link"));
    expect((await look(".")).text).toBe("a\nlink@\nsub/");
    expect((await look("sub")).text).toBe("(the folder is empty)");
  });

  test("does not follow a link out of the workspace, nor one to a secret", async () => {
    const outside = tempFolder();
    writeFileSync(join(outside, "notes"), "private");
    symlinkSync(join(outside, "notes"), at("link"));
    put(".env", "SECRET=1");
    symlinkSync(".env", at("innocent"));
    await expect(look("link")).rejects.toThrow("is outside the folders that can be read");
    await expect(look("innocent")).rejects.toThrow("the policy keeps **/.env from being read");
  });

  test("of a path that a person allowed works, but only where it led when it was judged", async () => {
    const outside = tempFolder();
    writeFileSync(join(outside, "one"), "first");
    writeFileSync(join(outside, "two"), "second");
    symlinkSync(join(outside, "one"), at("link"));
    gate.note("1", gate.real("link"));
    expect((await look("link")).text).toBe("1\tfirst");
    symlinkSync(join(outside, "two"), at("other"));
    renameSync(at("other"), at("link"));
    await expect(look("link")).rejects.toThrow("when it was judged, but now points to");
  });
});

describe("writing", () => {
  test("makes a file and its folders, and says what it did", async () => {
    expect(await save("deep/er/a.txt", "one\ntwo\n")).toEqual({
      text: `created ${at("deep/er/a.txt")} (2 lines, 8 bytes)`,
      failed: false,
      deeds: [{ kind: "write", path: at("deep/er/a.txt"), before: null, after: "one\ntwo\n" }],
    });
    expect(readFileSync(at("deep/er/a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  test("over a file needs that its present state was read", async () => {
    put("a", "old");
    expect(await save("a", "new")).toMatchObject({
      failed: true,
      text: `${at("a")} exists but has not been read; read it first`,
    });
    await look("a");
    put("a", "changed by somebody");
    expect(await save("a", "new")).toMatchObject({
      failed: true,
      text: `${at("a")} has changed since it was read; read it again`,
    });
    await look("a");
    expect((await save("a", "new")).failed).toBe(false);
    expect((await save("a", "newer")).failed).toBe(false);
    expect(readFileSync(at("a"), "utf8")).toBe("newer");
  });

  test("keeps mode, encoding and line ends, and leaves nothing beside the file", async () => {
    put("run.sh", Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le"));
    chmodSync(at("run.sh"), 0o755);
    await look("run.sh");
    await save("run.sh", "three\nfour\n");
    expect(readFileSync(at("run.sh"))).toEqual(Buffer.from("\ufeffthree\r\nfour\r\n", "utf16le"));
    expect([statSync(at("run.sh")).mode & 0o777, readdirSync(workspace)]).toEqual([0o755, ["run.sh"]]);
  });

  test("refuses read-only files, folders and pipes", async () => {
    put("fixed", "as it was");
    chmodSync(at("fixed"), 0o444);
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("pipe")]);
    await look("fixed");
    await expect(save("fixed", "new")).rejects.toThrow("is read-only; nothing was changed");
    await expect(save("folder", "new")).rejects.toThrow("is a folder");
    await expect(save("pipe", "new")).rejects.toThrow("not a regular file");
    await expect(save("fixed/below", "new")).rejects.toThrow("fixed is not a folder");
    expect(readFileSync(at("fixed"), "utf8")).toBe("as it was");
  });

  test("goes through a link inside the workspace and keeps the link", async () => {
    put("target", "old");
    symlinkSync("target", at("link"));
    await look("link");
    await save("link", "new");
    expect([readFileSync(at("target"), "utf8"), lstatSync(at("link")).isSymbolicLink()]).toEqual(["new", true]);
  });

  test("never leaves the workspace through a link, not even a dangling one or one in a folder", async () => {
    const outside = tempFolder();
    symlinkSync(join(outside, "made"), at("dangling"));
    symlinkSync(outside, at("folder"));
    await expect(save("dangling", "x")).rejects.toThrow("is outside the folders that can be written");
    await expect(save("folder/made", "x")).rejects.toThrow("is outside the folders that can be written");
    await expect(save(".git/hooks/pre-commit", "x")).rejects.toThrow(
      "a floor keeps **/.git/hooks/** from being written",
    );
    expect(readdirSync(outside)).toEqual([]);
  });

  test("stops when the judged path leads elsewhere in the meantime", async () => {
    const outside = tempFolder();
    mkdirSync(at("sub"));
    gate.note("1", gate.real("sub/file"));
    renameSync(at("sub"), at("moved"));
    symlinkSync(outside, at("sub"));
    await expect(save("sub/file", "x")).rejects.toThrow("when it was judged, but now points to");
    expect(existsSync(join(outside, "file"))).toBe(false);
  });
});

describe("editing", () => {
  test("applies all edits or none", async () => {
    put("a", "one two three");
    await look("a");
    await expect(change("a", ["one", "1"], ["four", "4"])).rejects.toThrow(
      "edit 2 of 2: old_string is not in the file; nothing was changed",
    );
    expect(readFileSync(at("a"), "utf8")).toBe("one two three");
    expect(await change("a", ["one", "1"], ["1 two", "2"])).toEqual({
      text: `changed ${at("a")} (2 edits)`,
      failed: false,
      deeds: [{ kind: "write", path: at("a"), before: "one two three", after: "2 three" }],
    });
  });

  test("wants one place unless told otherwise, and names the lines", async () => {
    put("a", "x\ny\nx\n");
    await look("a");
    await expect(change("a", ["x", "z"])).rejects.toThrow(
      "old_string is in the file 2 times (lines 1, 3); add lines around it, or set replace_all; nothing was changed",
    );
    await change("a", ["x", "$&", true]);
    expect(readFileSync(at("a"), "utf8")).toBe("$&\ny\n$&\n");
  });

  test("helps when only blanks differ", async () => {
    put("a", "if (x) {\n\treturn;\n}\n");
    await look("a");
    await expect(change("a", ["  return;\n", "  throw;\n"])).rejects.toThrow("its first line matches line 2");
  });

  test("keeps CRLF, mixed line ends and the missing last one", async () => {
    put("dos", "one\r\ntwo\r\nthree");
    put("mixed", "one\r\ntwo\nthree\r\n");
    await look("dos");
    await look("mixed");
    await change("dos", ["two\nthree", "2\n3\n4"]);
    await change("mixed", ["two\nthree", "2\n3"], ["one\n2", "1\n2"]);
    expect([readFileSync(at("dos"), "utf8"), readFileSync(at("mixed"), "utf8")]).toEqual([
      "one\r\n2\r\n3\r\n4",
      "1\r\n2\n3\r\n",
    ]);
  });

  test("keeps old encodings, and refuses what they cannot write", async () => {
    put("old", Buffer.from("gr\xfcn\n", "latin1"));
    await look("old");
    await change("old", ["grün", "übel"]);
    expect(readFileSync(at("old"))).toEqual(Buffer.from("\xfcbel\n", "latin1"));
    await expect(change("old", ["übel", "日本"])).rejects.toThrow("cannot represent some of the new text");
  });

  test("of a file that is gone, unread or changed since is refused", async () => {
    put("a", "one");
    expect((await change("gone", ["a", "b"])).text).toContain("does not exist; use write");
    expect((await change("a", ["one", "two"])).text).toContain("has not been read");
    await look("a");
    put("a", "one more");
    expect((await change("a", ["one", "two"])).text).toContain("has changed since it was read");
  });
});
