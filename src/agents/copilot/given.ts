import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GivenInstructions, GivenTexts } from "../../contract/given-texts.ts";
import { givenPlugin, type NativePlaces, withoutNative } from "../install/given-plugin.ts";

interface Parts {
  readonly given: GivenTexts | undefined;
  /** The private folder of the launch. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folders from which Copilot loads texts itself. */
  readonly folders: readonly string[];
}

const SKILL_FOLDERS = [".github/skills", ".claude/skills", ".agents/skills"];

/** Seen on 1.0.102, in a folder that Copilot does not trust either. */
const NATIVE: NativePlaces = {
  agents: ({ folder, name }) => [
    `.github/agents/${name}.agent.md`,
    `.github/agents/${name}.md`,
    join(".claude/agents", folder, `${name}.md`),
  ],
  commands: () => [],
  skills: ({ name }) => [...SKILL_FOLDERS.map((place) => `${place}/${name}/SKILL.md`), `.claude/commands/${name}.md`],
};

const VARIABLE = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS";

/** Flags and variables that give Copilot the texts of `.signalbox/`. */
export function copilotGiven({ given, folder, env, folders }: Parts): {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  if (given === undefined) return { flags: [], env: {} };
  const plugin = givenPlugin(withoutNative(given, folders, NATIVE), { folder, manifest: "plugin.json" });
  const place = instructionsFolder(given.instructions, folder);
  const own = env[VARIABLE] ?? "";
  return {
    flags: plugin === undefined ? [] : ["--plugin-dir", plugin],
    env: place === undefined ? {} : { [VARIABLE]: own === "" ? place : `${own},${place}` },
  };
}

function instructionsFolder(texts: readonly GivenInstructions[], folder: string): string | undefined {
  if (texts.length === 0) return undefined;
  const top = join(folder, "given-instructions");
  const place = join(top, ".github/instructions");
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const whole = texts.map(({ text }) => text).join("\n\n");
  writeFileSync(join(place, "signalbox.instructions.md"), `---\napplyTo: "**"\n---\n\n${whole}\n`, { mode: 0o600 });
  return top;
}
