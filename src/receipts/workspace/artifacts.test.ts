import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOnPath } from "../../../test/support/is-on-path.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openArtifacts, takeArtifacts } from "./artifacts.ts";

test("files of the workspace are kept, and what leads out, is no file or comes after a hundred is refused", () => {
  const [root, outside, store] = [tempFolder(), tempFolder(), openArtifacts(tempFolder(), "run")];
  writeFileSync(join(root, "a.txt"), "a");
  mkdirSync(join(root, "folder"));
  writeFileSync(join(outside, "secret"), "s");
  symlinkSync(join(outside, "secret"), join(root, "link"));
  const take = (paths: readonly string[]) =>
    takeArtifacts(
      paths.map((path) => ({ kind: "k".repeat(200), path })),
      root,
      store,
    );
  expect(take(["a.txt", "folder", "link", "../x", "none", "/etc/hostname"])).toEqual([
    "folder",
    "link",
    "../x",
    "none",
    "/etc/hostname",
  ]);
  expect(store.written.map(({ kind }) => kind)).toEqual(["k".repeat(100)]);
  expect(take(Array.from({ length: 102 }, () => "a.txt"))).toEqual(["a.txt", "a.txt"]);
});

test.skipIf(process.platform !== "linux" || !isOnPath("python3"))(
  "a command that swaps the folder for a link all the time gets nothing written elsewhere",
  async () => {
    const [root, outside] = [tempFolder(), tempFolder()];
    const folder = join(root, ".agent-backplane/artifacts/run-1");
    mkdirSync(folder, { recursive: true });
    symlinkSync(outside, `${folder}-link`);
    const code = `import ctypes,sys
exchange=ctypes.CDLL(None).renameat2
one,two=(name.encode() for name in sys.argv[1:])
print(flush=True)
while True: exchange(-100,one,-100,two,2)`;
    const swapper = spawn("python3", ["-c", code, folder, `${folder}-link`], { stdio: ["ignore", "pipe", "ignore"] });
    await once(swapper.stdout, "data");
    const store = openArtifacts(root, "run-1");
    for (let count = 0; count < 3000; count++) {
      try {
        store.write("tool_output", "bash.txt", "text of a command");
      } catch {
        // It was a link at that moment.
      }
    }
    swapper.kill("SIGKILL");
    expect([readdirSync(outside), store.written.length > 0]).toEqual([[], true]);
  },
);
