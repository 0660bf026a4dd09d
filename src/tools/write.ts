import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer, failure } from "./answer.ts";
import { decodeText, encodeText, type TextForm } from "../lib/text-form.ts";
import { saveSeen, seenFile } from "./files/editor-buffers.ts";
import { writeJudged } from "./files/write-judged.ts";
import type { FileParts } from "./read.ts";

const Input = z.strictObject({ path: z.string().min(1), content: z.string().max(16_000_000) });

export const write = ({ gate, states, buffers }: FileParts): Tool<typeof Input> => ({
  name: "write",
  description:
    "Write a whole file; missing folders are created. An existing file must have been read first. Prefer edit for changes.",
  input: Input,
  sideBySide: false,
  async run({ path, content }, { callId, signal }) {
    const place = { buffers, signal };
    return await writeJudged(path, { callId, gate }, async ({ real, present, onDisk, replace }) => {
      const seen = present === undefined ? undefined : await seenFile(real, present.bytes, place);
      const objection = seen === undefined ? undefined : states.objectTo(real, seen.bytes);
      if (objection !== undefined) return failure(objection);
      const old = seen === undefined ? undefined : decodeText(seen.bytes);
      const bytes = encodeText({ text: asBefore(content, old), encoding: old?.encoding ?? "utf-8" });
      const note =
        seen === undefined
          ? replace(bytes)
          : await saveSeen({ real, seen, text: content, bytes, onDisk, replace }, place);
      states.wrote(real, bytes);
      const before = seen === undefined ? null : (old?.text ?? "");
      const lines = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
      const done = `${seen === undefined ? "created" : "replaced"} ${real} (${lines} lines, ${bytes.length} bytes)`;
      return answer([done, note].join("\n").trimEnd(), [{ kind: "write", path: real, before, after: content }]);
    });
  },
});

/** A file whose lines all end in CRLF keeps them. */
function asBefore(content: string, old: TextForm | undefined): string {
  const windows = old !== undefined && old.text.includes("\r\n") && !/(?<!\r)\n/.test(old.text);
  return windows ? content.replace(/\r?\n/g, "\r\n") : content;
}
