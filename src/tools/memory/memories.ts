import { readFileSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { sha256 } from "../../lib/sha256.ts";

const MAX_BYTES = 32 * 1024;

/**
 * The file that stores what was learned about a workspace. It is outside the workspace, where an agent's tools cannot
 * write.
 */
const memoryFile = (home: string, workspace: string) => join(home, "memory", `${sha256(workspace).slice(0, 32)}.md`);

/** What was learned about this workspace in earlier sessions, oldest first. */
export function readMemories(home: string, workspace: string): readonly string[] {
  try {
    const text = readFileSync(memoryFile(home, workspace), "utf8");
    return text.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  } catch {
    // Nothing learned yet.
    return [];
  }
}

/** Stores a sentence, without duplicates. When space runs out, the oldest are dropped. */
export function storeMemory(home: string, workspace: string, text: string): void {
  const line = text.replace(/\s+/g, " ").trim();
  const memories = [...readMemories(home, workspace).filter((known) => known !== line), line];
  while (memories.join("\n- ").length > MAX_BYTES) memories.shift();
  makeFolder(join(home, "memory"));
  atomicWrite(memoryFile(home, workspace), `${memories.map((memory) => `- ${memory}`).join("\n")}\n`);
}
