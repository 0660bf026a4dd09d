import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import * as z from "zod";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";

function scriptIn(folder: string, content = "turns: [{ text: hello }]"): string {
  const file = join(folder, "script.yaml");
  writeFileSync(file, content);
  return file;
}

const Ready = z.strictObject({ url: z.string(), port: z.number() });

test.each(["SIGINT", "SIGTERM"] as const)("it says where it listens, captures, and ends well on %s", async (signal) => {
  const folder = tempFolder();
  const capture = join(folder, "requests.jsonl");
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });

  const outcome = await signalbox(["scripted-model", "--script", scriptIn(folder), "--capture", capture, "--json"], {
    async during(child) {
      if (!child.stdout) throw new Error("there is no stdout");
      const [line] = await once(createInterface(child.stdout), "line");
      const { url } = Ready.parse(JSON.parse(String(line)));
      for (const path of ["/v1/messages", "/x/chat/completions"]) {
        expect((await fetch(url + path, { method: "POST", body })).status).toBe(200);
      }
      child.kill(signal);
    },
  });

  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: "" });
  const lines = readFileSync(capture, "utf8").trimEnd().split("\n");
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { wire: "anthropic", answered: "turn", userTexts: ["hi"] },
    { wire: "chat-completions", answered: "turn", userTexts: ["hi"] },
  ]);
});

test.each([
  [["--script", "/none/script.yaml"], "where: /none/script.yaml"],
  [["--script", "SCRIPT", "--port", "70000"], "where: --port"],
  [["--script", "SCRIPT", "--capture", "/none/requests.jsonl"], "where: /none/requests.jsonl"],
  [["--script", "BAD"], "turns[0]: unknown key txt"],
  [[], "required option '--script <file>' not specified"],
])("%j is wrong usage and says why", async (flags, reason) => {
  const folder = tempFolder();
  const bad = join(folder, "bad.yaml");
  writeFileSync(bad, "turns: [{ txt: hello }]");
  const places: Record<string, string> = { SCRIPT: scriptIn(folder), BAD: bad };

  const outcome = await signalbox(["scripted-model", ...flags.map((flag) => places[flag] ?? flag)]);

  expect(outcome).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(reason) });
});
