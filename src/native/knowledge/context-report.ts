import { screen } from "../../guard/screen/screen.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { namedFew, printableLine } from "../../lib/text/printable.ts";
import { estimateTokens } from "../../models/tokens.ts";
import { type ContextPlace, nativeContext, type NativeContext } from "./context.ts";
import { findNested, type Knowledge } from "./instructions.ts";

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
export function warnOfMissing({ notLoaded }: Pick<NativeContext, "notLoaded">, warn: (text: string) => void): void {
  const missing = notLoaded.filter(({ expected }) => expected !== true).map(({ name, why }) => `${name} (${why})`);
  if (missing.length > 0) warn(`not loaded: ${few(missing)}; details: signalbox context`);
}

/** By then the first request is on its way. */
const WAIT_MS = 300;

interface Warning {
  readonly warn: (text: string) => void;
  /** True when the model should not wait for this. */
  readonly isLater: boolean;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

/**
 * Says which instructions and sub-agents of the repository read like an attack on the agent. Loading the screen takes as long as half
 * a start, so with `isLater` it is done while the model works, or at the latest when the session ends.
 */
export function warnOfAttacks(
  { instructions, agents }: Pick<NativeContext, "instructions" | "agents">,
  { warn, isLater, signal }: Warning,
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

const few = (items: readonly string[]) => namedFew(items.map(printableLine), MAX_NAMED);
