import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, repositoryWith, writeFiles } from "./support/git-repository.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("files from before a run are shown, restored when confirmed, and the restore can be undone", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "src/b.txt": "b\n", "src/c.txt": "c\n" });
  writeFiles(root, { "notes.txt": "never committed\n" });
  const options = { cwd: root, env: { HOME: tempFolder() } };
  const steps = [
    { write: join(root, "a.txt"), content: "by the agent\n" },
    { write: join(root, "notes.txt"), content: "gone\n" },
    { write: join(root, "made.txt"), content: "new\n" },
  ];
  const run = await signalbox(["run", "mock", "task", "--param", `script=${JSON.stringify(steps)}`], options);
  expect([run.code, readFileSync(join(root, "notes.txt"), "utf8")]).toEqual([0, "gone\n"]);
  rmSync(join(root, "src"), { recursive: true });
  const untouched = everything(join(root, ".git"));

  const restore = (...flags: string[]) => signalbox(["runs", "restore", "last", ...flags], options);
  const list = await signalbox(["runs"], options);
  expect(list.stdout).toMatch(/^[0-9a-f-]{36} {2}\S+ {2}mock {2}restorable {2}complete \(0\) {2}task\n$/);
  const shown = await restore("--dry-run", "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({
    workspace: root,
    dry_run: true,
    restored: [
      { path: "a.txt", change: "changed" },
      { path: "notes.txt", change: "changed" },
      { path: "src/b.txt", change: "deleted" },
      { path: "src/c.txt", change: "deleted" },
    ],
    added: ["made.txt"],
  });
  const unconfirmed = await restore();
  expect([unconfirmed.code, unconfirmed.stderr]).toEqual([3, expect.stringContaining("nothing was restored")]);
  const inside = await signalbox(["runs", "restore", "last", "--yes"], {
    ...options,
    env: { ...options.env, SIGNALBOX_RUN: "x" },
  });
  expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining("a session cannot restore files")]);
  expect([readFileSync(join(root, "a.txt"), "utf8"), existsSync(join(root, "src"))]).toEqual(["by the agent\n", false]);

  const part = await restore("--yes", "--path", "src", "--path", "a.txt");
  expect([part.code, part.stdout.split("\n").filter((line) => line.startsWith("  restored"))]).toEqual([
    0,
    ["  restored  a.txt", "  restored  src/b.txt", "  restored  src/c.txt"],
  ]);
  expect([readFileSync(join(root, "a.txt"), "utf8"), readFileSync(join(root, "notes.txt"), "utf8")]).toEqual([
    "a\n",
    "gone\n",
  ]);
  expect((await restore("--undo", "--yes")).code).toBe(0);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("by the agent\n");
  expect(everything(join(root, ".git"))).toEqual(untouched);
});
