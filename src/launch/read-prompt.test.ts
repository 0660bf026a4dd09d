import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { NO_AGENT_WORDS, readPrompt } from "./read-prompt.ts";

const MIB = 1024 * 1024;

test("a prompt file is read whole, and one that is too large for any agent is refused", async () => {
  const file = join(tempFolder(), "task.md");
  writeFileSync(file, "do it");
  const read = () => readPrompt(NO_AGENT_WORDS, { file, passed: ["--flag"] });
  expect(await read()).toEqual({ prompt: Buffer.from("do it"), flags: ["--flag"] });
  truncateSync(file, 3 * MIB);
  expect((await read()).prompt?.length).toBe(3 * MIB);
  truncateSync(file, 64 * MIB + 1);
  await expect(read()).rejects.toMatchObject({
    message: expect.stringContaining("over 64 MiB"),
    where: file,
    exitCode: 2,
  });
});
