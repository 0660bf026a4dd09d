import { readFileSync } from "node:fs";
import { parseJson } from "../src/lib/json/parse-json.ts";
import type { Suite } from "./suite.ts";

const source = readFileSync(new URL("../src/lib/json/exact-json.ts", import.meta.url), "utf8");
const record = (id: number) => ({
  id,
  name: `n${id}`,
  text: 'line one\nline "two"',
  nested: { a: [1, 2, 3], b: null },
});
const bash = {
  session_id: "abc",
  cwd: "/w",
  tool_name: "Bash",
  tool_input: { command: 'git commit -m "x" && npm test' },
};

/** What is read, and how often in one round. */
const TEXTS: Readonly<Record<string, readonly [text: string, times: number]>> = {
  "a hook's call": [JSON.stringify(bash), 20_000],
  "a hook's call with a file": [JSON.stringify({ tool_name: "Write", tool_input: { content: source } }), 5_000],
  "10,000 records, escapes in values": [JSON.stringify(Array.from({ length: 10_000 }, (_, id) => record(id))), 2],
  "the same as JSON in a string": [
    JSON.stringify(JSON.stringify(Array.from({ length: 10_000 }, (_, id) => record(id)))),
    10,
  ],
  "10,000 records, an escape in each key": [
    JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ "a\n": id, "b\n": `n${id}` }))),
    2,
  ],
};

/** `JSON.parse` beside the reader that replaces it, in processor time: the best of some rounds each, taken in turn. */
export const json: Suite = async ({ quick }) => {
  const rows = Object.entries(TEXTS).map(([text, [content, times]]) => {
    const best = { engine: Infinity, ours: Infinity };
    for (let round = 0; round < (quick ? 5 : 25); round++) {
      best.engine = Math.min(
        best.engine,
        microseconds(times, () => JSON.parse(content)),
      );
      best.ours = Math.min(
        best.ours,
        microseconds(times, () => parseJson(content)),
      );
    }
    const rounded = (value: number) => Math.round(value * 100) / 100;
    return { text, bytes: content.length, "JSON.parse, µs": rounded(best.engine), "ours, µs": rounded(best.ours) };
  });
  return { rows, result: { texts: rows } };
};

function microseconds(times: number, work: () => unknown): number {
  const started = process.cpuUsage();
  for (let time = 0; time < times; time++) work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / times;
}
