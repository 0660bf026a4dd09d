import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { McpServer } from "../../contract/mcp-server.ts";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { sha256 } from "../../lib/sha256.ts";

const KnownList = z.object({
  version: z.literal(1),
  tools: z.array(z.object({ name: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) })),
  instructions: z.string(),
});

/** What a server offered the last time, so that a session can offer it without starting the server. */
export type KnownList = z.infer<typeof KnownList>;

const MAX_BYTES = 4 * 1024 * 1024;
const DAY_MS = 86_400_000;
const MAX_AGE_MS = 7 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;

const folderIn = (home: string) => join(home, "mcp-lists");

/** Another configuration, or another signalbox, is another list. */
const fileOf = (home: string, server: McpServer, version: string) =>
  join(folderIn(home), `${sha256(canonicalJson({ server, version })).slice(0, 32)}.json`);

/** Undefined when there is none, or none that is recent and whole. */
export function readList(home: string, server: McpServer, version: string): KnownList | undefined {
  try {
    const { bytes, modified } = readBounded(fileOf(home, server, version), MAX_BYTES);
    if (Date.now() - modified.getTime() > MAX_AGE_MS) return undefined;
    return KnownList.safeParse(parseJson(bytes.toString("utf8"))).data;
  } catch {
    // It only saves a start.
    return undefined;
  }
}

/** Remembers a list, and forgets those that nobody has used for a month. */
export function writeList(home: string, { server, version }: ListOwner, list: Omit<KnownList, "version">): void {
  try {
    const folder = folderIn(home);
    makeFolder(folder);
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
    }
    atomicWrite(fileOf(home, server, version), JSON.stringify({ version: 1, ...list }));
  } catch {
    // A full or read-only disk must not stop a session.
  }
}

interface ListOwner {
  readonly server: McpServer;
  readonly version: string;
}
