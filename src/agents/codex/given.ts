import { join } from "node:path";
import type { GivenText, GivenTexts } from "../../contract/given-texts.ts";
import { type NativePlaces, withoutNative } from "../install/given-plugin.ts";
import type { CodexFile } from "./files.ts";

/** Codex offers these skills itself, in a folder that it does not trust too. */
const NATIVE: NativePlaces = {
  agents: ({ name }) => [`.codex/agents/${name}.toml`],
  commands: () => [],
  skills: ({ name }) => [`.agents/skills/${name}/SKILL.md`, `.codex/skills/${name}/SKILL.md`],
};

const MAX_BODIES = 32 * 1024;

const HEADING = `# Skills

The user has these skills. When a task fits one of them, or the user names it, follow its text. If only its file is given, read that first. In these texts, \`$ARGUMENTS\` stands for what the user wrote after the name of the skill, and a command marked as !\`command\` is one that you run to use its output in that place.`;

/** The texts of `.signalbox/` for Codex, which has no flag for skills: they become part of its instructions. */
export function codexGiven(
  given: GivenTexts | undefined,
  { folders, warn }: { readonly folders: readonly string[]; readonly warn: (text: string) => void },
): { readonly text: string | undefined; readonly agents: readonly CodexFile[] } {
  if (given === undefined) return { text: undefined, agents: [] };
  const { agents, skills, instructions } = withoutNative(given, folders, NATIVE);
  const parts = [...instructions.map(({ text }) => text), ...skillsText(skills, warn)];
  return { text: parts.length === 0 ? undefined : parts.join("\n\n"), agents: agents.map(agentFile) };
}

function agentFile({ name, description, fields, body, from }: GivenText): CodexFile {
  const { model } = fields;
  const table = { name, description, developer_instructions: body, ...(typeof model === "string" ? { model } : {}) };
  return { path: join(from, `${name}.toml`), text: "", table };
}

/** A repository's skill is read from its file. The user's own are outside the sandbox of a command, so they are included. */
function skillsText(skills: readonly GivenText[], warn: (text: string) => void): readonly string[] {
  const lines: string[] = [];
  const left: string[] = [];
  let room = MAX_BODIES;
  for (const { name, description, body, from, isOwn } of skills) {
    const title = `- ${name}: ${description.replaceAll(/\s+/g, " ").slice(0, 1000)}`;
    if (!isOwn) lines.push(`${title} (file: ${from})`);
    else if (Buffer.byteLength(body) <= room) {
      room -= Buffer.byteLength(body);
      lines.push(`${title}\n<skill name="${name}">\n${body}\n</skill>`);
    } else left.push(name);
  }
  if (left.length > 0)
    warn(
      `Codex gets at most ${MAX_BODIES} bytes of your own skills; put these into ~/.agents/skills: ${left.join(", ")}`,
    );
  return lines.length === 0 ? [] : [[HEADING, ...lines].join("\n\n")];
}
