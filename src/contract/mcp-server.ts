/** An MCP server as a configuration file or an editor names it. Variables in it are already expanded. */
export type McpServer = McpProgram | McpAddress;

interface NamedServer {
  readonly name: string;
  /** How long one call may take; undefined for the usual time. */
  readonly timeoutMs?: number | undefined;
  /** An editor names it, so commands of ours do not know it by its name. */
  readonly isEditors?: boolean | undefined;
}

/** A server that is a program of ours to start. It speaks on stdin and stdout. */
export interface McpProgram extends NamedServer {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** What it gets beside the cleaned environment of every command. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that runs somewhere else. `http` falls back to the older `sse` where the server only knows that. */
export interface McpAddress extends NamedServer {
  readonly type: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
