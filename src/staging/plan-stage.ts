import { realpathSync } from "node:fs";
import type { ReadFile } from "../agents/pack/surfaces.ts";
import type { AgentName } from "../contract/agent.ts";
import { carriedHooks } from "../hooks/project/registration.ts";
import type { Wanted } from "./apply.ts";
import { rememberedHooks } from "./remembered-hooks.ts";
import { lookAt } from "./repository-file.ts";
import { readSources } from "./sources/sources.ts";
import { STAGED } from "./sources/staged-agents.ts";
import { hookSurface } from "./surfaces/hooks.ts";
import { instructionSurface } from "./surfaces/instructions.ts";
import { serverSurface } from "./surfaces/servers.ts";
import { textSurfaces } from "./surfaces/texts.ts";
import { xpiaSurface } from "./surfaces/xpia.ts";

export interface StageRequest {
  readonly root: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agents: readonly AgentName[];
  readonly required: boolean;
  /** Also the historical entry points of the guard. */
  readonly xpia?: boolean;
}

interface StagePlan extends Wanted {
  readonly problems: readonly string[];
  /** What some agent does not get although the sources are fine, and why. */
  readonly notes: readonly string[];
}

/** Everything a repository should contain for these agents, and the problems that its own files cause. */
export function planStage(request: StageRequest): StagePlan {
  const root = realpathSync(request.root);
  const sources = readSources(root);
  const carried = carriedHooks({ workspace: root, folder: request.home }, request.env);
  const remembered = rememberedHooks(carried);
  const read = reader(root);
  const agents = STAGED.filter(({ name }) => request.agents.includes(name));
  const servers = agents.map((agent) => serverSurface(agent, sources.servers, read));
  const texts = agents.map((agent) => textSurfaces(agent, sources));
  const changes = agents.flatMap((agent, index) => [
    ...hookSurface(agent, { remembered, required: request.required, read }),
    ...(texts[index]?.changes ?? []),
    ...instructionSurface(agent, sources.instructions, read),
    ...(servers[index]?.changes ?? []),
  ]);
  const broken = carried.flatMap((hook) => (hook.broken === undefined ? [] : [`${hook.as}: ${hook.broken}`]));
  const problems = new Set([...sources.problems, ...broken, ...servers.flatMap((server) => server.problems)]);
  const notes = texts.flatMap((text) => text.notes);
  return {
    agents: agents.map(({ name }) => name),
    required: request.required,
    xpia: request.xpia === true,
    changes: request.xpia === true ? [...changes, ...xpiaSurface()] : changes,
    problems: [...problems],
    notes,
  };
}

/** Reads files as text. An unreadable file counts as missing here and is reported when it is written. */
function reader(root: string): ReadFile {
  return (path) => {
    try {
      return lookAt(root, path).bytes?.toString("utf8");
    } catch {
      return undefined;
    }
  };
}
