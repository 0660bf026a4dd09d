import { expect, test } from "vitest";
import { takePieces } from "./json-edit.ts";
import { insertBlock, removeBlock } from "./marked-block.ts";

const BLOCK = { comment: "html", text: "one\n\ntwo\n" } as const;
const OURS = "<!-- signalbox:start -->\none\n\ntwo\n<!-- signalbox:end -->\n";

test.each([
  ["an empty file", "", OURS],
  ["a text", "# Mine\n", `# Mine\n\n${OURS}`],
  ["a text without a line feed at its end", "# Mine", `# Mine\n\n${OURS}`],
  ["a text with carriage returns", "# Mine\r\n", `# Mine\r\n\r\n${OURS.replaceAll("\n", "\r\n")}`],
])("a block goes to the end of %s and comes out byte for byte", (_, text, expected) => {
  const inserted = insertBlock(text, BLOCK);
  expect(inserted?.text).toBe(expected);
  expect(insertBlock(expected, BLOCK), "the second time adds nothing").toBe(undefined);
  expect(takePieces(expected, inserted?.pieces ?? [])).toBe(text);
});

test("a block comes out of a text that was edited around it", () => {
  expect(removeBlock(`# Mine, changed\n\n${OURS}\n## Later\n`, BLOCK)).toBe("# Mine, changed\n\n## Later\n");
  expect(removeBlock(`${OURS}end`, BLOCK)).toBe("end");
  expect(removeBlock("nothing of ours\n", BLOCK)).toBe(undefined);
  expect(removeBlock(OURS.replace("two", "three"), BLOCK)).toBe(undefined);
});

test("a block that is there in another form is not doubled, and our own text cannot end it early", () => {
  expect(() => insertBlock(OURS.replace("two", "three"), BLOCK)).toThrow(
    "the block after <!-- signalbox:start --> was edited",
  );
  expect(() => insertBlock("", { comment: "hash", text: "a\n# signalbox:end\nb" })).toThrow("contains the markers");
});
