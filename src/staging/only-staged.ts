import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { wordList } from "../lib/text/shell-words.ts";
import { carriedHooks } from "../hooks/project/registration.ts";
import { readBounded } from "../lib/files/read-file.ts";
import { duplicateKey, jsonIfValid } from "../lib/json/parse-json.ts";
import { readMarkdown } from "../lib/json/read-markdown.ts";
import { linkHops } from "../lib/path/real-path.ts";
import { hookSurface, rememberedHooks } from "./hook-surface.ts";
import { readSources } from "./sources/sources.ts";
import { type StagedAgent, TRUSTING } from "./sources/staged-agents.ts";
import { textSurfaces } from "./text-surface.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * A check for files that contain exactly what `signalbox stage` would write now: settings whose wrappers are all ours
 * byte for byte, or plain text. Compares only content: a marker, a manifest, or a link proves nothing. `folders` are
 * those whose wrapper the agent might call.
 */
export function onlyStaged(folders: readonly string[], home: string, env: NodeJS.ProcessEnv) {
  const texts = new Map<string, StagedTexts>();
  const written = (root: string, agent: StagedAgent) => stagedIn(root, agent, home, env);
  return (path: string, text: string): boolean =>
    /\.md$/i.test(path)
      ? isPlain(path) && isStagedText(path, text, texts)
      : areStagedSettings(path, text, folders, written);
}

function areStagedSettings(
  path: string,
  text: string,
  folders: readonly string[],
  written: (root: string, agent: StagedAgent) => ReturnType<typeof stagedIn>,
): boolean {
  const trusting = TRUSTING.find(({ hooks }) => path.endsWith(`/${hooks.settings}`));
  if (trusting === undefined) return false;
  const { agent, hooks } = trusting;
  const root = path.slice(0, -hooks.settings.length - 1);
  if (path !== join(root, hooks.settings) || !isPlain(path) || duplicateKey(text) !== undefined) return false;
  const wrapped = [root, ...folders.filter((folder) => folder !== root && existsSync(join(folder, hooks.wrapper)))];
  return (
    wrapped.every((folder) =>
      written(folder, agent).some(({ wrapper }) => hasContent(join(folder, hooks.wrapper), wrapper)),
    ) && written(root, agent).some(({ settings }) => isDeepStrictEqual(jsonIfValid(text), settings))
  );
}

/**
 * What staging writes for an agent into an empty repository: one version that requires signalbox on the machine, and
 * one that does not.
 */
function stagedIn(root: string, agent: StagedAgent, home: string, env: NodeJS.ProcessEnv) {
  const remembered = rememberedHooks(carriedHooks({ workspace: root, folder: home }, env));
  return [false, true].map((required) => {
    const changes = hookSurface(agent, remembered, required, () => undefined);
    const hooks: Record<string, unknown[]> = {};
    let wrapper: Uint8Array = Buffer.alloc(0);
    for (const change of changes) {
      if (change.kind === "file") wrapper = change.content;
      else if (change.kind === "entry") (hooks[change.at.at(-1) ?? ""] ??= []).push(change.value);
    }
    return { settings: { hooks }, wrapper };
  });
}

function hasContent(path: string, content: Uint8Array): boolean {
  try {
    return isPlain(path) && readBounded(path, MAX_BYTES).bytes.equals(content);
  } catch {
    return false;
  }
}

/** No links in the path, so that what is read is what will be started. */
function isPlain(path: string): boolean {
  try {
    return isDeepStrictEqual(linkHops(path), [path]);
  } catch {
    return false;
  }
}

/** Keys that can neither start a program nor grant a permission. */
const PLAIN = new Set(
  wordList(`
    name description tools disallowedTools model color argument-hint disable-model-invocation user-invocable
    version license author
  `),
);

/**
 * True for an agent, command or skill that is exactly what `signalbox stage` would write from `.signalbox/` now, and only
 * text: then a repository gains nothing by it that a launch would not give the agent anyway.
 */
function isStagedText(path: string, text: string, known: Map<string, StagedTexts>): boolean {
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
type StagedTexts = ReadonlyMap<string, string>;

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
