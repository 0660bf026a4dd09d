import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { screen } from "../screen/screen.ts";
import { answer, failure } from "./answer.ts";
import { storeMemory } from "./memory/memories.ts";

const Input = z.strictObject({ text: z.string().min(1).max(500) });

interface MemoryParts {
  /** The user's signalbox folder. */
  readonly home: string;
  readonly workspace: string;
  /** Whether text from outside has tried to steer the model since the user's last message. */
  readonly tainted: () => boolean;
}

/** Memories are read in every later session, so nothing that may come from outside is stored. */
export const storeMemoryTool = ({ home, workspace, tainted }: MemoryParts): Tool<typeof Input> => ({
  name: "store_memory",
  description: "Remember one fact about this project for later sessions: a convention, a command that works.",
  input: Input,
  sideBySide: false,
  async run({ text }) {
    if (tainted())
      return failure("not stored: text from outside tried to steer you; the person must send a message first");
    const { risk } = screen(text, { channel: "rules_file" });
    if (risk !== "none" && risk !== "low")
      return failure("not stored: it reads like an instruction to an agent; state a fact");
    storeMemory(home, workspace, text);
    return answer("kept");
  },
});
