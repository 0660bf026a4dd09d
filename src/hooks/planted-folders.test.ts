import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { withoutPlanted } from "./outside-call.ts";

test("a folder of PATH that commands inside can write to is left out for a command outside", () => {
  const [workspace, elsewhere] = [tempFolder(), tempFolder()];
  mkdirSync(join(workspace, ".venv/bin"), { recursive: true });
  symlinkSync(join(workspace, ".venv"), join(elsewhere, "link"));
  const withPath = (...folders: readonly string[]) =>
    withoutPlanted("docker ps", [workspace, "."], { PATH: [...folders, "/usr/bin", "/bin"].join(":") });
  const safe = "export PATH='/usr/bin:/bin'; docker ps";
  for (const folder of [".venv/bin", "node_modules/.bin"]) expect(withPath(join(workspace, folder))).toBe(safe);
  for (const folder of ["", ".", "bin", join(elsewhere, "link/bin")]) expect(withPath(folder)).toBe(safe);
  expect(withPath()).toBe("docker ps");
  expect(withPath("/missing/bin")).toBe("docker ps");
  // Commands write to a /tmp of their own.
  const PATH = "/tmp:/usr/bin:/bin";
  if (process.platform === "linux") expect(withoutPlanted("ls", [workspace, "/tmp"], { PATH })).toBe("ls");
});
