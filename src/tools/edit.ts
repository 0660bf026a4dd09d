import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer, failure } from "./answer.ts";
import { applyEdits } from "./files/replace-text.ts";
import { decodeText, encodeText } from "../lib/text-form.ts";
import { saveSeen, seenFile } from "./files/editor-buffers.ts";
import { writeJudged } from "./files/write-judged.ts";
import type { FileParts } from "./read.ts";

const Input = z.strictObject({
  path: z.string().min(1),
  edits: z
    .array(
      z.strictObject({
        old_string: z.string().describe("exact text in the file; must occur once unless replace_all"),
        new_string: z.string(),
        replace_all: z.boolean().default(false),
      }),
    )
    .min(1)
    .max(100),
});

export const edit = ({ gate, states, buffers }: FileParts): Tool<typeof Input> => ({
  name: "edit",
  description: "Replace text in a file you have read. Edits are applied in order, all or none.",
  input: Input,
  sideBySide: false,
  async run({ path, edits }, { callId, signal }) {
    const place = { buffers, signal };
    return await writeJudged(path, { callId, gate }, async ({ real, present, onDisk, replace }) => {
      if (present === undefined) return failure(`${real} does not exist; use write to create it`);
      const seen = await seenFile(real, present.bytes, place);
      const objection = states.objectTo(real, seen.bytes);
      if (objection !== undefined) return failure(objection);
      const form = decodeText(seen.bytes);
      if (form === undefined) return failure(`${real} is not text`);
      const text = applyEdits(form.text, edits);
      const bytes = encodeText({ ...form, text });
      const note = await saveSeen({ real, seen, text, bytes, onDisk, replace }, place);
      states.wrote(real, bytes);
      const done = `changed ${real} (${edits.length} ${edits.length === 1 ? "edit" : "edits"})`;
      return answer([done, note].join("\n").trimEnd(), [{ kind: "write", path: real, before: form.text, after: text }]);
    });
  },
});
