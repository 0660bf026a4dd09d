import { expect, test } from "vitest";
import { scene } from "./support/native-scene.ts";

test.each(["anthropic", "nobody/x", "anthropic/", ""])(
  "models %j says that its own argument is wrong",
  async (name) => {
    const { run } = await scene({ turns: [{ text: "nobody asks" }] });
    const { code, stderr } = await run(["models", name]);
    expect([code, /^ {2}where: (.*)$/m.exec(stderr)?.[1]]).toEqual([2, "the argument of models"]);
  },
);

test("models names the address that would be asked, not the one that is usual", async () => {
  const { run } = await scene({ turns: [{ text: "" }] });
  const { stdout } = await run(["models"], { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9/own" } });
  expect(stdout.split("\n")[0]).toMatch(/^anthropic +anthropic +http:\/\/127\.0\.0\.1:9\/own /);
});

test("models lists what is known, and shows one model with its sources", async () => {
  const { run } = await scene({ turns: [{ text: "" }] });
  const { stdout } = await run(["models"]);
  expect(stdout).toMatch(
    /^anthropic\/claude-haiku-4-5 +200,000 +64,000 +32,000 tokens +1\.000 +5\.000 +0\.100 +1\.250$/m,
  );
  expect(stdout).toMatch(/^openai\/gpt-5-mini +272,000 +128,000 +minimal to high /m);
  expect(stdout).toMatch(/^openai\/gpt-4\.1 +1,047,576 +32,768 +no +unknown$/m);
  expect(stdout).toMatch(/^Used here: compatible\/m \(from SIGNALBOX_MODEL\)$/m);
  const all = JSON.parse((await run(["models", "--json"])).stdout);
  expect(all).toMatchObject({ defaultWindow: 128_000, chosen: { model: "compatible/m", from: "SIGNALBOX_MODEL" } });
  const one = await run(["models", "anthropic/claude-haiku-4-5"], { env: { ANTHROPIC_API_KEY: "k" } });
  expect(one.stdout).toMatch(/^prompt +200,000 tokens$/m);
  expect(one.stdout).toMatch(/^sources +price: .*2026-11-15; tokens: https:/m);
  const unknown = await run(["models", "ollama/qwen3"]);
  expect(unknown.stdout).toMatch(/^prompt +128,000 tokens, assumed: it is not in the catalogue$/m);
});
