import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer, failure } from "./answer.ts";
import { boundText } from "./bound-text.ts";

const Input = z.strictObject({ topic: z.string().max(60).default("").describe("omit to list the topics") });

interface DocumentationParts {
  /** The docs/ folder of our own package. */
  readonly folder: string;
  readonly outputFolder: string;
}

export const selfDocumentation = ({ folder, outputFolder }: DocumentationParts): Tool<typeof Input> => ({
  name: "signalbox_docs",
  description: "Documentation of signalbox itself, the program you run in.",
  input: Input,
  sideBySide: true,
  async run({ topic }) {
    const topics = readdirSync(folder).flatMap((name) => (name.endsWith(".md") ? [name.slice(0, -3)] : []));
    const list = topics.toSorted().join(", ");
    if (topic === "") return answer(`topics: ${list}`);
    if (!topics.includes(topic)) return failure(`unknown topic ${topic}; topics: ${list}`);
    return answer(boundText(readFileSync(join(folder, `${topic}.md`), "utf8"), outputFolder));
  },
});
