import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { KnownSkill } from "../contract/known-skill.ts";
import type { Tool } from "../contract/tool.ts";
import { nearest } from "../lib/nearest.ts";
import { printableLine } from "../lib/printable.ts";
import { answer, failure } from "./answer.ts";
import { boundText } from "./bound-text.ts";

const Input = z.strictObject({ name: z.string().min(1).max(100) });

interface SkillParts {
  readonly skills: readonly KnownSkill[];
  readonly outputFolder: string;
}

/** Gives the model the text of a skill, and the names of the files beside it. */
export const skillTool = ({ skills, outputFolder }: SkillParts): Tool<typeof Input> => ({
  name: "skill",
  description: "Read a skill from the list in your instructions: its text, and the files that it has.",
  input: Input,
  sideBySide: true,
  async run({ name }) {
    const skill = skills.find((each) => each.name === name);
    if (skill === undefined) return failure(unknown(name, skills));
    const read = skill.read();
    if ("why" in read) return failure(`${skill.file} cannot be read: ${read.why}`);
    const text = [read.text, ...filesOf(skill)].join("\n\n");
    return answer(boundText(text, outputFolder), [{ kind: "read", path: join(skill.folder, "SKILL.md") }]);
  },
});

function unknown(name: string, skills: readonly KnownSkill[]): string {
  const names = skills.map((each) => each.name);
  const close = nearest(name, names);
  return close === undefined ? `unknown skill; skills: ${names.join(", ")}` : `unknown skill; did you mean ${close}?`;
}

const MAX_ENTRIES = 50;

function filesOf({ folder }: KnownSkill): readonly string[] {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "SKILL.md")
    .map((entry) => printableLine(entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  if (names.length === 0) return [];
  const rest = names.length > MAX_ENTRIES ? `, and ${names.length - MAX_ENTRIES} more` : "";
  return [`[Other files of this skill, in ${folder}: ${names.slice(0, MAX_ENTRIES).join(", ")}${rest}]`];
}
