import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { isProvable, offlineEnvironment, offlineOf, PROVABLE } from "./proof-state.ts";

test("an agent whose pack says how it is run offline can be tried, and no other", async () => {
  expect(PROVABLE).toEqual(["claude", "codex", "copilot", "gemini"]);
  expect(["claude", "amplifier", "native"].map(isProvable)).toEqual([true, false, false]);
  await expect(offlineOf("amplifier")).rejects.toThrow("amplifier cannot be tested offline");
});

test("the settings that an agent needs to talk to the model are written below the home", async () => {
  const home = tempFolder();
  expect(offlineEnvironment(await offlineOf("codex"), "http://127.0.0.1:1", home)).toEqual({ FAKE_KEY: "sk-fake" });
  expect(readFileSync(join(home, ".codex/config.toml"), "utf8")).toContain('base_url = "http://127.0.0.1:1/v1"\n');
});
