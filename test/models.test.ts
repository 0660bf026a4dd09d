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
