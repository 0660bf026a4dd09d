import { suspiciousNames } from "./context-warnings.ts";
import { type ContextPlace, nativeContext } from "./native-context.ts";
import { findNested } from "../../knowledge/instructions/load-instructions.ts";
import { estimateTokens } from "../../models/tokens/estimate-tokens.ts";
import { sha256 } from "../../lib/sha256.ts";

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
