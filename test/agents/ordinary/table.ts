import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../../src/lib/json/parse-json.ts";
import { GIT_ROWS } from "./git-rows.ts";
import { LANGUAGE_ROWS } from "./language-rows.ts";
import { NODE_ROWS } from "./node-rows.ts";
import type { Row } from "./row.ts";
import { SHELL_ROWS } from "./shell-rows.ts";

/** How each of the ordinary commands is run. */
export const ROWS: readonly Row[] = [...SHELL_ROWS, ...GIT_ROWS, ...NODE_ROWS, ...LANGUAGE_ROWS].toSorted(
  (one, other) => (one.id < other.id ? -1 : 1),
);

const Line = z.object({ id: z.string(), input: z.object({ command: z.string() }) });
const FILE = join(import.meta.dirname, "../../fixtures/ordinary-commands.jsonl");

/** The ordinary commands by id. */
export function ordinaryCommands(): ReadonlyMap<string, string> {
  const lines = readFileSync(FILE, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return new Map(lines.map((line) => Line.parse(parseJson(line))).map(({ id, input }) => [id, input.command]));
}
