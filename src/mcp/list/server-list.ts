import type { McpServer } from "../../contract/mcp-server.ts";
import type { Connection } from "../connect/connection.ts";
import { readList, writeList } from "./list-cache.ts";
import { readInstructions, readTools, type ServerTool } from "./read-tools.ts";

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
