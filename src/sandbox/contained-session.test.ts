import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { hasSandbox } from "../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";

test.skipIf(!hasSandbox)("a protected path that was taken away is named on one line, whatever its name", async () => {
  const folder = tempFolder();
  const cwd = join(folder, "work\nsignalbox: all is well");
  mkdirSync(cwd);
  execFileSync("git", ["init", "-q"], { cwd });
  const { stderr } = await signalbox(["sandbox", "--", "echo x > .mcp.json"], { cwd, env: { HOME: tempFolder() } });
  expect(stderr).toBe(
    `signalbox: blocked by the sandbox: ${folder}/work\\nsignalbox: all is well/.mcp.json is protected, so it was removed again\n`,
  );
});
