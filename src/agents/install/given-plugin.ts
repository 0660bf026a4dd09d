import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GivenKind, GivenText, GivenTexts } from "../../contract/agent-install.ts";

/** The name by which agents, commands and skills of a launch are known, as in `signalbox:reviewer`. */
const PLUGIN = { name: "signalbox", version: "1.0.0", description: "What .signalbox has for this session." };

/**
 * Writes the texts as a plugin into the private folder of a launch. Undefined when there are none. `manifest` is where the
 * agent looks for the description of a plugin.
 */
export function givenPlugin(
  texts: Readonly<Record<GivenKind, readonly GivenText[]>>,
  folder: string,
  manifest: string,
  bodyOf = (body: string) => body,
): string | undefined {
  if (texts.agents.length + texts.commands.length + texts.skills.length === 0) return undefined;
  const plugin = join(folder, "given-plugin");
  const write = (path: string, text: string) => {
    mkdirSync(join(plugin, dirname(path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(plugin, path), text, { mode: 0o600 });
  };
  write(manifest, JSON.stringify(PLUGIN));
  const whole = (text: GivenText) => givenMarkdown(text, bodyOf(text.body));
  for (const text of texts.agents) write(`agents/${text.name}.md`, whole(text));
  for (const text of texts.commands) write(join("commands", text.folder, `${text.name}.md`), whole(text));
  for (const text of texts.skills) write(`skills/${text.name}/SKILL.md`, whole(text));
  return plugin;
}

/** A text with its front matter. JSON is YAML too, and leaves no doubt where a value ends. */
export function givenMarkdown({ fields }: GivenText, body: string): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", "", body, ""].join("\n");
}

/** The files of a repository from which an agent would load a text of this name by itself. */
export type NativeFiles = Readonly<Record<GivenKind, (text: GivenText) => readonly string[]>>;

/** Leaves out what the agent loads from these folders anyway, so that nothing arrives twice. */
export function withoutNative(given: GivenTexts, folders: readonly string[], places: NativeFiles): GivenTexts {
  const isNew = (kind: GivenKind) => (text: GivenText) =>
    !folders.some((folder) => places[kind](text).some((path) => existsSync(join(folder, path))));
  return {
    ...given,
    agents: given.agents.filter(isNew("agents")),
    commands: given.commands.filter(isNew("commands")),
    skills: given.skills.filter(isNew("skills")),
  };
}
