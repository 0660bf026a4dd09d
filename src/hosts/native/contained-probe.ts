import type { McpServer } from "../../contract/mcp-server.ts";
import { randomId } from "../../lib/random-id.ts";
import type { Policy } from "../../contract/policy.ts";
import { type Probe, probeServer } from "../../mcp/probe-server.ts";
import { openContainedSession } from "../../sandbox/contained-session.ts";
import { openCommandContainment, UNCONTAINED } from "../../tools/command/contained-commands.ts";
import { commandMarks } from "../../tools/command/left-commands.ts";

interface ProbePlace {
  readonly policy: Policy;
  readonly home: string;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly startMs?: number | undefined;
  readonly warn: (text: string) => void;
}

/** Tries a server in a sandbox like that of a session. */
export async function containedProbe(
  server: McpServer,
  place: ProbePlace,
): Promise<Probe & { readonly contained: boolean }> {
  const { policy, home, environment, warn } = place;
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
  const workspace = policy.workspaceRoot;
  const probe = await probeServer(server, { ...place, workspace, containment, marksFolder: commandMarks(home) });
  return { ...probe, contained: containment.facts()?.contained === true };
}
