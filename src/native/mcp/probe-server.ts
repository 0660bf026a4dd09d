import type { McpServer } from "../../contract/mcp-server.ts";
import type { Policy } from "../../contract/policy.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { openContainedSession } from "../../sandbox/contained-session.ts";
import { openCommandContainment, UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import { connect, type ServerSetup } from "./connection.ts";
import { readInstructions, readTools, type ServerTool } from "./server-tools.ts";

interface Probing {
  readonly policy: Policy;
  readonly home: string;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
}

/** Tries a server in a sandbox like that of a session. */
export async function containedProbe(
  server: McpServer,
  { policy, home, version, environment, signal, warn }: Probing,
): Promise<Probe & { readonly contained: boolean }> {
  const isRequired = policy.sandbox === "workspace" || policy.sandbox === "strict";
  await using containment =
    policy.sandbox === "off"
      ? UNCONTAINED
      : openCommandContainment({
          isRequired,
          warn,
          open: () =>
            openContainedSession({
              policy,
              caller: { session: randomId(), agent: "mcp test" },
              environment,
              signalboxHome: home,
              network: () => policy.network,
              isTainted: () => false,
              warn,
            }),
        });
  const setup: ServerSetup = {
    workspace: policy.workspaceRoot,
    policy,
    home,
    version,
    environment,
    containment,
    marksFolder: commandMarks(home),
  };
  const probe = await probeServer(server, setup, signal);
  return { ...probe, contained: containment.facts()?.contained === true };
}

/** What a server answered when it was tried. */
type Probe =
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
async function probeServer(server: McpServer, setup: ServerSetup, signal: AbortSignal): Promise<Probe> {
  const began = performance.now();
  try {
    const connection = await connect(server, setup, signal, () => undefined);
    try {
      const startMs = Math.round(performance.now() - began);
      const { tools, notes } = readTools(await connection.list(signal), server.name);
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
