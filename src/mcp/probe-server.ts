import type { McpServer } from "../contract/mcp-server.ts";
import { messageOf } from "../lib/message-of.ts";
import { sessionAuth } from "./auth/session-auth.ts";
import { connect, type ConnectPlace } from "./connect/connection.ts";
import { readInstructions, readTools, type ServerTool } from "./list/read-tools.ts";

/** What a server answered when it was tried. */
export type Probe =
  | {
      readonly works: true;
      readonly tools: readonly ServerTool[];
      readonly instructions: string;
      readonly notes: readonly string[];
      /** Milliseconds until it answered, and until its list was there. */
      readonly startMs: number;
      readonly listMs: number;
    }
  | { readonly works: false; readonly because: string };

/** Starts a server as a session would, asks for its tools, and ends it. */
export async function probeServer(
  server: McpServer,
  place: Omit<ConnectPlace, "authFor"> & { readonly home: string },
): Promise<Probe> {
  const began = performance.now();
  try {
    const authFor = ({ url }: { readonly url: string }) => sessionAuth(place.home, url);
    const connection = await connect(server, { ...place, authFor }, () => undefined);
    try {
      const startMs = Math.round(performance.now() - began);
      const { tools, notes } = readTools(await connection.list(place.signal), server.name);
      const listMs = Math.round(performance.now() - began) - startMs;
      return {
        works: true,
        tools,
        instructions: readInstructions(connection.instructions).text,
        notes,
        startMs,
        listMs,
      };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return { works: false, because: messageOf(error) };
  }
}
