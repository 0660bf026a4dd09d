import { readMarkdown } from "../lib/read-markdown.ts";
import { readSources } from "./sources/sources.ts";
import { TRUSTING } from "./sources/staged-agents.ts";
import { textSurfaces } from "./surfaces/texts.ts";

/** Keys that can neither start a program nor grant a permission. */
const PLAIN = new Set([
  "name",
  "description",
  "tools",
  "disallowedTools",
  "model",
  "color",
  "argument-hint",
  "disable-model-invocation",
  "user-invocable",
  "version",
  "license",
  "author",
]);

/**
 * True for an agent, command or skill that is exactly what `signalbox stage` would write from `.signalbox/` now, and only
 * text: then a repository gains nothing by it that a launch would not give the agent anyway.
 */
export function isStagedText(path: string, text: string, known: Map<string, StagedTexts>): boolean {
  for (const { agent } of TRUSTING) {
    const { agents, commands, skills } = agent.surfaces;
    for (const folder of [agents?.folder, commands?.folder, skills?.folder]) {
      const at = folder === undefined ? -1 : path.indexOf(`/${folder}/`);
      if (at === -1) continue;
      const root = path.slice(0, at);
      const texts = known.get(root) ?? stagedTexts(root);
      known.set(root, texts);
      return texts.get(path.slice(at + 1)) === text && isPlainText(text);
    }
  }
  return false;
}

/** What staging writes into one repository, by path. */
export type StagedTexts = ReadonlyMap<string, string>;

function stagedTexts(root: string): StagedTexts {
  const sources = readSources(root);
  const changes = TRUSTING.flatMap(({ agent }) => textSurfaces(agent, sources).changes);
  return new Map(changes.map(({ path, content }) => [path, Buffer.from(content).toString("utf8")]));
}

/** No key and no mark in it starts anything. */
function isPlainText(text: string): boolean {
  const { fields, body, problem } = readMarkdown("", text);
  return problem === undefined && Object.keys(fields).every((key) => PLAIN.has(key)) && !/!`|`!|~!|!~/.test(body);
}
