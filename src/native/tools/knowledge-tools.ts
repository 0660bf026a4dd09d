import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { KnownSkill } from "../../contract/knowledge.ts";
import type { Tool } from "../../contract/tool.ts";
import { screen } from "../../guard/screen/screen.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { firstFew, printableLine } from "../../lib/text/printable.ts";
import { storeMemory } from "../knowledge/memories.ts";
import { answer, boundText, failure } from "./answer.ts";

const SkillInput = z.strictObject({ name: z.string().min(1).max(100) });

/** Gives the model the text of a skill, and the names of the files beside it. */
export const skillTool = (skills: readonly KnownSkill[], outputFolder: string): Tool<typeof SkillInput> => ({
  name: "skill",
  description: "Read a skill from the list in your instructions: its text, and the files that it has.",
  input: SkillInput,
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
  return [`[Other files of this skill, in ${folder}: ${firstFew(names, MAX_ENTRIES).join(", ")}]`];
}

const MemoryInput = z.strictObject({ text: z.string().min(1).max(500) });

/** Memories are read in every later session, so nothing that may come from outside is stored. */
export const storeMemoryTool = (
  home: string,
  workspace: string,
  isTainted: () => boolean,
): Tool<typeof MemoryInput> => ({
  name: "store_memory",
  description: "Remember one fact about this project for later sessions: a convention, a command that works.",
  input: MemoryInput,
  sideBySide: false,
  async run({ text }) {
    if (isTainted())
      return failure("not stored: text from outside tried to steer you; the person must send a message first");
    const { risk } = screen(text, { channel: "rules_file" });
    if (risk !== "none" && risk !== "low")
      return failure("not stored: it reads like an instruction to an agent; state a fact");
    storeMemory(home, workspace, text);
    return answer("kept");
  },
});

const TopicInput = z.strictObject({ topic: z.string().max(60).default("").describe("omit to list the topics") });

/** The docs/ folder of our own package. */
export const selfDocumentation = (outputFolder: string): Tool<typeof TopicInput> => ({
  name: "signalbox_docs",
  description: "Documentation of signalbox itself, the program you run in.",
  input: TopicInput,
  sideBySide: true,
  async run({ topic }) {
    const folder = join(packageFolder(), "docs");
    const topics = readdirSync(folder).flatMap((name) => (name.endsWith(".md") ? [name.slice(0, -3)] : []));
    const list = topics.toSorted().join(", ");
    if (topic === "") return answer(`topics: ${list}`);
    if (!topics.includes(topic)) return failure(`unknown topic ${topic}; topics: ${list}`);
    return answer(boundText(readFileSync(join(folder, `${topic}.md`), "utf8"), outputFolder));
  },
});
