import type { Tool } from "../../contract/tool.ts";
import type { Processor } from "../../engine/processor.ts";

/** The MCP servers of a session as the engine uses them. */
export interface OfferedServers {
  /** Asked in every turn. */
  readonly tools: () => readonly Tool[];
  /** The name by which a tool is judged. */
  readonly judgedName: (name: string) => string;
  /** Waits a short time for servers that are starting. */
  readonly settled: (signal: AbortSignal) => Promise<void>;
  readonly processors: readonly Processor[];
  /** What the servers say about their use, as far as it was known at the start. */
  readonly instructions: string | undefined;
}
