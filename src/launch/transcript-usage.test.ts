import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { NO_USAGE } from "../contract/receipt.ts";
import { openTranscriptUsage } from "./transcript-usage.ts";

const [SINCE, BEFORE, AFTER] = [new Date("2026-01-02"), "2026-01-01T10:00:00Z", "2026-01-02T10:00:00Z"];

/** Lines as Claude Code 2.1 and Codex 0.166 write them. */
const claudeLine = (id: string, output: number, timestamp = AFTER) => {
  const usage = { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 5, cache_creation_input_tokens: 1 };
  return `${JSON.stringify({ type: "assistant", message: { id, usage }, timestamp })}\n`;
};
const codexLine = (input: number, timestamp = AFTER) => {
  const total_token_usage = { input_tokens: input, cached_input_tokens: 2, output_tokens: 3 };
  return `${JSON.stringify({ timestamp, payload: { type: "token_count", info: { total_token_usage } } })}\n`;
};

async function usageOf(...parts: readonly string[]) {
  const file = join(tempFolder(), "s.jsonl");
  writeFileSync(file, "");
  const usage = openTranscriptUsage(SINCE);
  for (const part of parts) {
    appendFileSync(file, part);
    usage.read(file);
  }
  return await usage.end(10_000);
}

test("every answer of Claude Code counts once, and those of an earlier start not at all", async () => {
  const lines = [claudeLine("old", 100, BEFORE), claudeLine("a", 1), claudeLine("a", 7), claudeLine("b", 2)];
  const [all, one] = [await usageOf(lines.join("")), await usageOf(...lines)];
  expect(all).toEqual({
    ...NO_USAGE,
    input_tokens: 20,
    output_tokens: 9,
    cache_read_tokens: 10,
    cache_write_tokens: 2,
  });
  expect(one).toEqual(all);
});

test("what Codex has counted in an earlier start is taken off", async () => {
  const usage = await usageOf(codexLine(100, BEFORE), codexLine(130), codexLine(150), codexLine(150));
  expect(usage).toMatchObject({ input_tokens: 50, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: null });
});

test("a line counts when it is whole, even a huge one", async () => {
  const line = claudeLine("a", 1).replace('"type"', `"picture":"${"x".repeat(3_000_000)}","type"`);
  expect(await usageOf(line.slice(0, 40), line.slice(40))).toMatchObject({ output_tokens: 1 });
  expect(await usageOf(line.slice(0, 40))).toBe(undefined);
});

test("sub-agents of Claude Code count too", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "s/subagents"), { recursive: true });
  writeFileSync(join(folder, "s.jsonl"), claudeLine("a", 1));
  writeFileSync(join(folder, "s/subagents/agent-1.jsonl"), claudeLine("b", 4));
  const usage = openTranscriptUsage(SINCE);
  usage.read(join(folder, "s.jsonl"));
  expect(await usage.end(10_000)).toMatchObject({ output_tokens: 5 });
});

test.each([
  ["that is missing", undefined],
  ["that is no JSON", '{"usage":\n'],
  ["with strange numbers", '{"timestamp":"2026-02-01","message":{"id":"a","usage":{"input_tokens":-1}}}\n'],
  ["with other things", '{"usage":1}\n[]\n"token_count"\n'],
])("a transcript %s tells no number", async (_, text) => {
  const file = join(tempFolder(), "s.jsonl");
  if (text !== undefined) writeFileSync(file, text);
  const usage = openTranscriptUsage(SINCE);
  usage.read(file);
  expect((await usage.end(10_000))?.input_tokens ?? null).toBe(null);
});
