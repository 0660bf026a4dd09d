import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { McpServer } from "../../contract/mcp-server.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import type { Connection } from "./connection.ts";
import { readInstructions, readTools, type ServerTool } from "./listed-tools.ts";

export interface ListPlace {
  readonly home: string;
  readonly version: string;
  readonly warn: (text: string) => void;
}

/** What a server offers, as far as known: from this session, or else from the last one. */
export interface ServerList {
  /** The same array until it changes. */
  readonly tools: readonly ServerTool[];
  readonly instructions: string;
  readonly isKnown: boolean;
  refresh(connection: Connection, signal: AbortSignal): Promise<void>;
}

export function serverList(server: McpServer, { home, version, warn }: ListPlace): ServerList {
  const known = readList(home, server, version);
  let tools: readonly ServerTool[] = known?.tools ?? [];
  let instructions = known?.instructions ?? "";
  let isKnown = known !== undefined;
  const told = new Set<string>();
  const tell = (text: string) => {
    if (!told.has(text)) warn(text);
    told.add(text);
  };
  return {
    get tools() {
      return tools;
    },
    get instructions() {
      return instructions;
    },
    get isKnown() {
      return isKnown;
    },
    async refresh(connection, signal) {
      const list = readTools(await connection.list(signal), server.name);
      const { text, isLeftOut } = readInstructions(connection.instructions);
      list.notes.forEach(tell);
      if (isLeftOut) tell(`the instructions of the MCP server ${server.name} try to steer the agent and are left out`);
      if (JSON.stringify(list.tools) !== JSON.stringify(tools)) tools = list.tools;
      [instructions, isKnown] = [text, true];
      writeList(home, { server, version }, { tools: [...tools], instructions });
    },
  };
}

const KnownList = z.object({
  version: z.literal(1),
  tools: z.array(z.object({ name: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) })),
  instructions: z.string(),
});

/** What a server offered the last time, so that a session can offer it without starting the server. */
type KnownList = z.infer<typeof KnownList>;

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
