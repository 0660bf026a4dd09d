import * as z from "zod";
import type { Tool, ToolOutput } from "../../contract/tool.ts";
import { messageOf } from "../../lib/message-of.ts";
import type { LiveServer } from "../live/live-server.ts";
import type { ServerTool } from "../list/read-tools.ts";
import { type ResultPlace, showResult } from "./show-result.ts";

const Input = z.record(z.string(), z.unknown());

/** A tool of a server as the engine runs it. The server checks the arguments itself. */
export function serverTool(
  wire: string,
  { name, description, schema }: ServerTool,
  { server, ...place }: { readonly server: LiveServer } & Omit<ResultPlace, "server">,
): Tool<typeof Input> {
  const shown = { ...place, server: server.name };
  return {
    name: wire,
    description: description === "" ? `${name} of the MCP server ${server.name}` : description,
    input: Input,
    inputSchema: schema,
    sideBySide: false,
    async run(input, { signal, progress }): Promise<ToolOutput> {
      try {
        return showResult(await server.call({ tool: name, input, signal, progress }), shown);
      } catch (error) {
        // Part of it may be the server's words.
        return showResult({ content: [{ type: "text", text: messageOf(error) }], isError: true }, shown);
      }
    },
  };
}
