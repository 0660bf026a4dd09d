import { platform, release } from "node:os";
import { realIfThere } from "../../lib/path/real-path.ts";
import type { KnowledgePlace, KnownSkill, NotLoaded, SubAgentDefinition } from "../../contract/knowledge.ts";
import type { Policy } from "../../contract/policy.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import type { Tool } from "../../contract/tool.ts";
import { judgePathAccess } from "../../guard/access/judge-access.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { screen } from "../../guard/screen/screen.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { gitTop } from "../../lib/path/workspace.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { estimateTokens } from "../../models/tokens.ts";
import { loadAgents } from "./agent-definitions.ts";
import { findNested, type Knowledge, loadInstructions, showInstructions } from "./instructions.ts";
import { readMemories, showMemories } from "./memories.ts";
import { loadSkills, showSkills, type SkillSettings } from "./skills.ts";
import { type PromptPart, promptParts } from "./system-prompt.ts";

export interface ContextPlace {
  readonly policy: Policy;
  /** The folder the session is started in. */
  readonly cwd: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly unattended: boolean;
  readonly skillSettings?: SkillSettings | undefined;
}

/** What a session starts with: the parts of its system prompt, where they come from, and what was left out. */
export interface NativeContext {
  readonly place: KnowledgePlace;
  readonly parts: readonly PromptPart[];
  readonly instructions: Knowledge;
  readonly skills: readonly KnownSkill[];
  /** The sub-agents that a session can start. */
  readonly agents: readonly SubAgentDefinition[];
  readonly memories: { readonly stored: number; readonly shown: number };
  /** Everything that was found and left out: instructions, skills, memory. */
  readonly notLoaded: readonly NotLoaded[];
}

/** Reads everything that a session of our engine would start with. Changes nothing and runs nothing. */
export function nativeContext(from: ContextPlace): NativeContext {
  const { policy, version, unattended } = from;
  const place = knowledgePlace(from);
  const instructions = loadInstructions(place);
  const { skills, notLoaded } = loadSkills(place, from.skillSettings);
  const subAgents = loadAgents(place);
  const memory = loadMemory(from.home, policy.workspaceRoot);
  const start = instructions.loaded.filter(({ when }) => when === "start");
  const parts = promptParts({
    version,
    cwd: policy.workspaceRoot,
    platform: `${platform()} ${release()}`,
    date: new Date().toISOString().slice(0, 10),
    repository: gitTop(policy.workspaceRoot) !== undefined,
    unattended,
    instructions: start.length === 0 ? undefined : start.map(showInstructions).join("\n\n"),
    skills: showSkills(skills),
    memory: memory.text,
  });
  return {
    place,
    parts,
    instructions,
    skills,
    agents: subAgents.agents,
    memories: { stored: memory.stored, shown: memory.count },
    notLoaded: [...instructions.notLoaded, ...notLoaded, ...subAgents.notLoaded, ...memory.notLoaded],
  };
}

/** The same for a session with these tools: without the tool, the list of skills would only mislead. */
export function forTools(context: NativeContext, tools: readonly Tool[]): NativeContext {
  if (tools.some(({ name }) => name === "skill")) return context;
  return { ...context, skills: [], parts: context.parts.filter(({ name }) => name !== "skills") };
}

/** The record of what the model was given at the start, for the session's log. */
export function contextRecord({ parts, instructions, notLoaded }: NativeContext): SessionRecord {
  const start = instructions.loaded.filter(({ when }) => when === "start");
  const others = parts.filter(({ name }) => name === "skills" || name === "memory");
  return loadedRecord([...start, ...others.map(({ name, text }) => ({ names: [name], text }))], notLoaded);
}

/** The record of texts that the model gets from now on. */
export function loadedRecord(
  loaded: readonly { readonly names: readonly string[]; readonly text: string }[],
  notLoaded: readonly NotLoaded[],
): SessionRecord {
  return {
    type: "context",
    loaded: loaded.map(({ names, text }) => ({
      names: [...names],
      sha256: sha256(text),
      bytes: Buffer.byteLength(text, "utf8"),
    })),
    notLoaded: notLoaded.map(({ name, why }) => ({ name, why })),
  };
}

function knowledgePlace({ policy, cwd, home, environment }: ContextPlace): KnowledgePlace {
  const workspace = realIfThere(policy.workspaceRoot);
  const judging = { policy, machine: realMachine, cwd: workspace, outside: "allow" } as const;
  return {
    workspace,
    cwd: realIfThere(cwd),
    userHome: realIfThere(policy.home),
    signalboxHome: home,
    environment,
    mayRead: (path) => !judgePathAccess({ access: "read", path }, judging).some(({ verdict }) => verdict === "deny"),
  };
}

function loadMemory(home: string, workspace: string) {
  try {
    const memories = readMemories(home, workspace);
    const { text, count } = showMemories(memories);
    const lost = memories.length - count;
    const notLoaded =
      lost === 0
        ? []
        : [{ name: "memory", why: `the oldest ${lost} of ${memories.length} do not fit`, expected: true as const }];
    return { text, count, stored: memories.length, notLoaded };
  } catch (error) {
    return { text: undefined, count: 0, stored: 0, notLoaded: [{ name: "memory", why: messageOf(error) }] };
  }
}

/** What `context --json` prints. */
export type ContextView = ReturnType<typeof contextView>;

/** The context of a folder, with the sizes of its parts, and with the AGENTS.md files below that wait for a file. */
export function contextView(from: ContextPlace) {
  const context = nativeContext(from);
  const { place, parts, instructions, skills, memories } = context;
  const nested = findNested(place, instructions);
  const loaded = [...instructions.loaded, ...nested.loaded];
  const suspicious = new Set(suspiciousNames(loaded));
  return {
    workspace: place.workspace,
    tokens: parts.reduce((sum, { text }) => sum + estimateTokens(text), 0),
    parts: parts.map(({ name, text }) => ({ name, ...sizes(text) })),
    loaded: loaded.map(({ text, ...facts }) => ({
      ...facts,
      tokens: estimateTokens(text),
      sha256: sha256(text),
      ...(suspicious.has(facts.names.join(", ")) ? { suspicious: true } : {}),
    })),
    skills: skills.map(({ name, description, file }) => ({ name, description, file })),
    memory: memories,
    notLoaded: [...context.notLoaded, ...nested.notLoaded].map(({ name, why }) => ({ name, why })),
  };
}

const sizes = (text: string) => ({ bytes: Buffer.byteLength(text, "utf8"), tokens: estimateTokens(text) });

const MAX_NAMED = 3;

/** Says what was found and not loaded, unless that is as intended. */
export function warnOfMissing({ notLoaded }: NativeContext, warn: (text: string) => void): void {
  const missing = notLoaded.filter(({ expected }) => expected !== true).map(({ name, why }) => `${name} (${why})`);
  if (missing.length > 0) warn(`not loaded: ${few(missing)}; details: signalbox context`);
}

/** By then the first request is on its way. */
const WAIT_MS = 300;

/**
 * Says which instructions and sub-agents of the repository read like an attack on the agent. Loading the screen takes as long as half
 * a start, so with `isLater` it is done while the model works, or at the latest when the session ends and `signal` aborts.
 */
export function warnOfAttacks(
  { instructions, agents }: NativeContext,
  warn: (text: string) => void,
  isLater: boolean,
  signal: AbortSignal,
): void {
  const tell = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", tell);
    const names = [...suspiciousNames(instructions.loaded), ...suspiciousAgents(agents)];
    if (names.length > 0)
      warn(`${few(names)} may try to turn the agent against you or its rules; read it before you rely on the result`);
  };
  const timer = setTimeout(tell, WAIT_MS);
  timer.unref();
  signal.addEventListener("abort", tell, { once: true });
  if (!isLater) tell();
}

/** Instruction files of the repository that read like an attack on the agent. They are loaded, and said. */
function suspiciousNames(loaded: Knowledge["loaded"]): readonly string[] {
  return loaded
    .filter(({ kind }) => kind !== "user" && kind !== "directory")
    .filter(({ text }) => isSuspicious(text))
    .map(({ names }) => names.join(", "));
}

/** The model reads what they are for in each request, and a sub-agent its prompt. */
const suspiciousAgents = (agents: NativeContext["agents"]): readonly string[] =>
  agents.flatMap(({ file, description, prompt }) =>
    file === undefined || file.startsWith("~") || !isSuspicious(`${description}\n\n${prompt}`) ? [] : [file],
  );

const isSuspicious = (text: string) => !["none", "low"].includes(screen(text, { channel: "rules_file" }).risk);

function few(items: readonly string[]): string {
  const more = items.length > MAX_NAMED ? ` and ${items.length - MAX_NAMED} more` : "";
  return `${items.slice(0, MAX_NAMED).map(printableLine).join(", ")}${more}`;
}
