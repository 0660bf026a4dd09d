import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import type { Policy } from "../../contract/policy.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { pathGate } from "./path-gate.ts";
import { findRipgrep, runRipgrep } from "./ripgrep.ts";
import { glob, grep } from "./search.ts";

let workspace = "";
let parts: Parameters<typeof grep>;

beforeEach(() => {
  workspace = tempRepository();
  withheld();
});

/** The default rules, with reading these places denied as well. */
const withheld = (...more: readonly string[]) => {
  const { paths } = PRESETS.default;
  const policy: Policy = {
    ...PRESETS.default,
    paths: { ...paths, readRoots: ["."], denyRead: [...paths.denyRead, ...more] },
    version: 1,
    workspaceRoot: workspace,
    home: tempFolder(),
  };
  parts = [pathGate(policy, realMachine), workspace, () => findRipgrep(workspace)];
};

const put = (name: string, content: string) => {
  mkdirSync(join(workspace, name, ".."), { recursive: true });
  writeFileSync(join(workspace, name), content);
};
const context = (signal = new AbortController().signal) => ({
  callId: "1",
  signal,
  progress: () => {},
  emit: () => {},
});
const search = async (input: Record<string, unknown>, signal?: AbortSignal) => {
  const tool = grep(...parts);
  return (await tool.run(tool.input.parse(input), context(signal))).text;
};
const find = async (input: Record<string, unknown>) => {
  const tool = glob(...parts);
  return (await tool.run(tool.input.parse(input), context())).text;
};

describe("grep", () => {
  test("gives file, line and text", async () => {
    put("src/a.ts", "one\ntwo needle: 7\n");
    expect(await search({ pattern: "need.e" })).toBe("src/a.ts:2:two needle: 7");
    expect(await search({ pattern: "NEEDLE", ignore_case: true, output: "files" })).toBe("src/a.ts");
    expect(await search({ pattern: "o", output: "counts" })).toBe("src/a.ts:2");
    expect(await search({ pattern: "needle", context: 1 })).toBe("src/a.ts:1-one\nsrc/a.ts:2:two needle: 7");
    expect(await search({ pattern: "absent" })).toBe("(nothing found)");
  });

  test("takes a pattern that looks like an option or is no expression", async () => {
    put("a", "--files (\n");
    expect(await search({ pattern: "--files", literal: true })).toBe("a:1:--files (");
    expect(await search({ pattern: "(", literal: true })).toBe("a:1:--files (");
    await expect(search({ pattern: "(" })).rejects.toThrow("regex parse error");
  });

  test("leaves ignored and binary files alone, and looks into hidden folders", async () => {
    put(".gitignore", "out\n");
    put("out/a", "needle");
    put(".github/a.yml", "needle");
    put("binary", "needle\0\u0001");
    expect(await search({ pattern: "needle", glob: "!binary" })).toBe(".github/a.yml:1:needle");
  });

  test("shows nothing of files that may not be read, wherever they are", async () => {
    put(".env", "needle=secret");
    put("deep/key.pem", "needle secret");
    put("a", "needle");
    expect(await search({ pattern: "needle" })).toBe("a:1:needle\n[2 more in files that may not be read]");
    await expect(search({ pattern: "needle", path: ".env" })).rejects.toThrow(
      "the policy keeps **/.env from being read",
    );
  });

  test("judges a file by its whole name, whatever the name holds", async () => {
    withheld("secrets/**");
    put("secrets/a\nb.txt", "before\nneedle secret\nafter\n");
    put("secrets/a\n2:b", "needle secret");
    put("b.txt", "one\nneedle\n");
    const hidden = (count: number) => `[${count} more in files that may not be read]`;
    expect(await search({ pattern: "needle", context: 1 })).toBe(`b.txt:1-one\nb.txt:2:needle\n${hidden(4)}`);
    expect(await search({ pattern: "needle", output: "counts" })).toBe(`b.txt:1\n${hidden(2)}`);
    expect(await search({ pattern: "needle", output: "files" })).toBe(`b.txt\n${hidden(2)}`);
    expect(await find({ pattern: "*b*" })).toBe("b.txt");
  });

  test("judges a file by its whole name behind a binary file, and says that there is a binary one", async () => {
    withheld("secrets/**");
    const binary = `needle\n${"x\n".repeat(200_000)}\0\n`;
    for (const name of ["a", "b/c", "secrets/d", "secrets/e"]) put(name, binary);
    for (const name of ["b/d", "e", "secrets/f"]) put(name, "needle\n");
    const found = (await search({ pattern: "needle" })).split("\n");
    expect([found.slice(0, -2).toSorted(), found.slice(-2)]).toEqual([
      ["a:1:needle", "b/c:1:needle", "b/d:1:needle", "e:1:needle"],
      ["[matches in binary files are not shown]", "[3 more in files that may not be read]"],
    ]);
    put("binary", "needle\0\u0001\n");
    expect(await search({ pattern: "needle", path: "binary" })).toBe("[matches in binary files are not shown]");
  });

  test("shows nothing of a file whose name pretends to be a remark and the name of another", async () => {
    withheld("secrets/**");
    const remark = 'secrets/x: binary file matches (found "\\0" byte around offset 6)\n';
    put(`${remark}${workspace}/open`, "needle secret");
    put("open", "needle");
    expect(await search({ pattern: "needle" })).toMatch(
      /^open:1:needle\n\[.*\n\[1 more in files that may not be read\]$/,
    );
  });

  test("does not leave the workspace, neither by a path nor through a link", async () => {
    const outside = tempFolder();
    writeFileSync(join(outside, "a"), "needle");
    symlinkSync(outside, join(workspace, "link"));
    expect(await search({ pattern: "needle" })).toBe("(nothing found)");
    await expect(search({ pattern: "needle", path: "link" })).rejects.toThrow("outside the folders that can be read");
  });

  test("is bounded in lines, line length and size", async () => {
    put("many", "needle\n".repeat(100_000));
    put("wide", `needle ${"x".repeat(1_000_000)}\n`);
    expect((await search({ pattern: "needle", path: "many", limit: 3 })).split("\n")).toEqual([
      "many:1:needle",
      "many:2:needle",
      "many:3:needle",
      "[more results; narrow the search]",
    ]);
    expect((await search({ pattern: "needle", limit: 2000 })).length).toBeLessThan(42_000);
    expect((await search({ pattern: "needle", path: "wide" })).length).toBeLessThan(700);
  });

  test("passes over files that this user cannot read", async () => {
    put("a", "needle");
    put("closed/b", "needle");
    symlinkSync("nowhere", join(workspace, "dangling"));
    chmodSync(join(workspace, "closed"), 0o000);
    const found = await search({ pattern: "needle" });
    chmodSync(join(workspace, "closed"), 0o755);
    expect(found.split("\n")).toContain("a:1:needle");
  });

  test("fails on a place that does not exist or cannot be searched, and names it", async () => {
    put("file", "needle");
    await expect(search({ pattern: "needle", path: "gone" })).rejects.toThrow(
      `${join(workspace, "gone")} does not exist`,
    );
    await expect(search({ pattern: "needle", path: "file/below" })).rejects.toThrow("is not a folder");
    spawnSync("mkfifo", [join(workspace, "pipe")]);
    await expect(search({ pattern: "needle", path: "pipe" })).rejects.toThrow("not a regular file");
  });

  test("stops when it is interrupted", async () => {
    await expect(search({ pattern: "x" }, AbortSignal.abort())).rejects.toThrow("aborted");
  });
});

describe("glob", () => {
  test("finds files by pattern, newest first, below a folder if asked", async () => {
    for (const [index, name] of ["a.ts", "src/b.ts", "src/deep/c.ts", "d.md"].entries()) {
      put(name, "");
      utimesSync(join(workspace, name), 1000 + index, 1000 + index);
    }
    expect(await find({ pattern: "**/*.ts" })).toBe("src/deep/c.ts\nsrc/b.ts\na.ts");
    expect(await find({ pattern: "*.ts", path: "src" })).toBe("src/deep/c.ts\nsrc/b.ts");
    expect(await find({ pattern: "*.ts", limit: 1 })).toBe("src/deep/c.ts\n[more results; narrow the search]");
    expect(await find({ pattern: "*.rs" })).toBe("(nothing found)");
  });

  test("does not name files that may not be read", async () => {
    put("id_rsa", "");
    put("id.txt", "");
    expect(await find({ pattern: "id*" })).toBe("id.txt");
  });
});

describe("glob on a place where nothing can be looked for", () => {
  test("fails when it does not exist, and names it", async () => {
    await expect(find({ pattern: "*", path: "gone" })).rejects.toThrow(`${join(workspace, "gone")} does not exist`);
  });

  test("fails on a file", async () => {
    put("a", "");
    await expect(find({ pattern: "*", path: "a" })).rejects.toThrow(`${join(workspace, "a")} is a file, not a folder`);
  });
});

describe("a search that cannot be started or carried out", () => {
  const start = (folder: string, program = "/nonexistent/rg") =>
    runRipgrep({
      program,
      options: [],
      target: ".",
      folder,
      signal: new AbortController().signal,
      onRecord: () => true,
      separator: "\n",
    });

  test("fails with the reason, whether the program or the folder is missing", async () => {
    await expect(start(workspace)).rejects.toThrow(`ripgrep could not be started in ${workspace}: ENOENT`);
    const program = await findRipgrep(workspace);
    const gone = join(workspace, "gone");
    await expect(start(gone, program)).rejects.toThrow(`ripgrep could not be started in ${gone}: ENOENT`);
    put("file", "");
    await expect(start(join(workspace, "file"), program)).rejects.toThrow("file: ENOTDIR");
  });

  test("fails when the system ends it, instead of finding nothing", async () => {
    put("killed", "#!/bin/sh\nkill -9 $$\n");
    chmodSync(join(workspace, "killed"), 0o755);
    await expect(start(workspace, join(workspace, "killed"))).rejects.toThrow("ripgrep was ended by SIGKILL");
  });

  test("fails when no more files can be opened", async () => {
    const module = join(import.meta.dirname, "ripgrep.ts");
    const script = `
      import { openSync } from "node:fs";
      import { runRipgrep } from ${JSON.stringify(module)};
      const search = {
        program: ${JSON.stringify(await findRipgrep(workspace))},
        options: ["--files"],
        target: ".",
        folder: ".",
        signal: new AbortController().signal,
        onRecord: () => true,
        separator: "\\n",
      };
      try { for (;;) openSync("/dev/null"); } catch {}
      await runRipgrep(search).catch((error) => process.stdout.write(error.message));
    `;
    put("full.mjs", script);
    const { stdout, status } = spawnSync("sh", ["-c", 'ulimit -n 64; exec "$0" full.mjs', process.execPath], {
      cwd: workspace,
      encoding: "utf8",
    });
    expect([stdout, status]).toEqual(["ripgrep could not be started in .: EMFILE", 0]);
  });
});

test("ripgrep comes with us and is not looked for on PATH", async () => {
  expect(await findRipgrep(workspace, "")).toContain("node_modules");
});
