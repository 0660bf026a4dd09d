/** An MCP server as a configuration file or an editor names it. Variables in it are already expanded. */
export type McpServer = McpProgram | McpAddress;

/** A server that is a program of ours to start. It speaks on stdin and stdout. */
export interface McpProgram {
  readonly type: "stdio";
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What it gets beside the cleaned environment of every command. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that runs somewhere else. `http` falls back to the older `sse` where the server only knows that. */
export interface McpAddress {
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
