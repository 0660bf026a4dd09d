import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { openRun, openRunsFolder, sweepRuns } from "./run-folder.ts";

const NAME = `signalbox-${process.getuid?.() ?? 0}`;

function temporaryFolder(): string {
  const folder = tempFolder();
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test("runs are kept below the runtime folder if nobody else may enter it and the temporary one is somebody else's", () => {
  const [temporary, runtime] = [temporaryFolder(), tempFolder()];
  expect(openRunsFolder({ XDG_RUNTIME_DIR: runtime })).toBe(join(temporary, NAME));
  chmodSync(join(temporary, NAME), 0o755);
  expect(openRunsFolder({})).toBeUndefined();
  expect(openRunsFolder({ XDG_RUNTIME_DIR: "relative" })).toBeUndefined();
  expect(openRunsFolder({ XDG_RUNTIME_DIR: runtime })).toBe(join(runtime, "signalbox"));
  chmodSync(join(runtime, "signalbox"), 0o755);
  expect(openRunsFolder({ XDG_RUNTIME_DIR: runtime })).toBeUndefined();
});

test("the last run that ends leaves nothing behind", async () => {
  const temporary = temporaryFolder();
  const [first, second] = [openRun({}), openRun({})];
  first[Symbol.dispose]();
  await sweepRuns({});
  expect(readdirSync(join(temporary, NAME))).toEqual([second.folder.slice(temporary.length + NAME.length + 2)]);
  second[Symbol.dispose]();
  expect(readdirSync(temporary)).toEqual([]);
});

test("a temporary folder that held a run without a private parent stays", () => {
  const temporary = temporaryFolder();
  writeFileSync(join(temporary, NAME), "");
  const folder = join(temporary, "below");
  mkdirSync(folder);
  vi.stubEnv("TMPDIR", folder);
  writeFileSync(join(folder, NAME), "");
  openRun({})[Symbol.dispose]();
  expect(existsSync(folder)).toBe(true);
});

test("runs that begin while the last other one ends find their parent again", async () => {
  const temporary = temporaryFolder();
  const module = JSON.stringify(new URL("run-folder.ts", import.meta.url).href);
  const loop = `import { openRun } from ${module}; for (let i = 0; i < 300; i++) openRun({})[Symbol.dispose]();`;
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", loop], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: "inherit",
    }),
  );
  const ends = await Promise.all(children.map(async (child) => await once(child, "exit")));
  const good = [0, null];
  expect([ends, readdirSync(temporary)]).toEqual([[good, good, good], []]);
});
