import { expect, test } from "vitest";
import { chooseModel } from "../../models/choose-model.ts";
import { thinkingEffort } from "../../models/effort.ts";
import { effortCommand } from "./line-commands.ts";

const effortOf = (name: string) =>
  thinkingEffort(chooseModel({ name, baseUrl: "http://127.0.0.1:9/v1", environment: {} }));

test("/effort shows and changes how much the model thinks", () => {
  const effort = effortOf("anthropic/claude-sonnet-5-5");
  expect(["/effort", "/effort high", "/effort"].map((line) => effortCommand(line, effort))).toEqual([
    "effort: the provider's default\n",
    "effort: high, from the next request on\n",
    "effort: high\n",
  ]);
  expect(effort.level).toBe("high");
});

test("a wrong level or a model that does not think changes nothing and says why", () => {
  const effort = effortOf("openai/gpt-4.1");
  expect(["/effort hihg", "/effort \u001b[31m", "/effort low"].map((line) => effortCommand(line, effort))).toEqual([
    'unknown effort "hihg": did you mean high?\n',
    expect.not.stringContaining("\u001b"),
    "openai/gpt-4.1 does not think, so its effort cannot be set: leave it out, or choose a model that thinks (signalbox models lists them)\n",
  ]);
  expect(effort.level).toBeUndefined();
});
