import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PRESETS } from "../../guard/presets/presets.ts";
import { writableRoots } from "./mounts.ts";

test.each(["/tmp", "/var/tmp"])("a workspace below %s can be written, and the rest of that folder cannot", (place) => {
  const folder = realpathSync(mkdtempSync(join(place, "signalbox-roots-")));
  try {
    const policy = { ...PRESETS.default, version: 1, workspaceRoot: folder, home: join(folder, "home") } as const;
    expect(writableRoots(policy)).toEqual([folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("nothing of the kernel's folders is opened, whatever a policy lists", () => {
  const paths = { ...PRESETS.default.paths, writeRoots: [".", "/dev/shm", "/proc/self", "/run"] };
  const workspaceRoot = realpathSync(import.meta.dirname);
  expect(writableRoots({ ...PRESETS.default, version: 1, workspaceRoot, home: "/home/nobody", paths })).toEqual([
    workspaceRoot,
  ]);
});
