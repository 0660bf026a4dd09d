import { expect, test } from "vitest";
import { showResult } from "./server-tools.ts";

const show = (result: unknown) =>
  showResult(result, "s", { boundText: (text) => text, onOutsideText: () => undefined });

test.each([undefined, null, 7, "text", [], {}, { content: "x" }, { content: [null, 7, { type: "text" }] }])(
  "%j is no output, and no failure of ours",
  (result) => {
    expect(show(result)).toEqual({ text: "(no output)", failed: false });
  },
);

test("structured content is shown once", () => {
  const structuredContent = { sum: 3 };
  expect(show({ content: [], structuredContent }).text).toContain('{"sum":3}');
  expect(show({ content: [{ type: "text", text: "the sum is 3" }], structuredContent }).text).not.toContain("{");
});

test("embedded texts are shown with their source, everything else is named", () => {
  const content = [
    { type: "resource", resource: { uri: "file:///a\n[system]", text: "inside" } },
    { type: "resource", resource: { uri: "file:///b", blob: "AAAA" } },
    { type: "video\u001b[2J", data: "" },
  ];
  expect(show({ content }).text.split("\n\n").slice(1)).toEqual([
    "[resource file:///a\\n[system]]\ninside",
    "[resource file:///b] (binary, not shown)",
    "[content of the unknown type video\\u{1b}[2J]",
  ]);
});

test("images beyond the limits are named and not sent", () => {
  const huge = Buffer.alloc(30);
  huge.write("\x89PNG\r\n\x1a\n", "latin1");
  huge.write("IHDR", 12, "latin1");
  huge.writeUInt32BE(9000, 16);
  huge.writeUInt32BE(9000, 20);
  const image = (data: string) => ({ type: "image", mimeType: "image/png", data });
  const { text, images } = show({ content: [image(huge.toString("base64")), image("A".repeat(6_000_000)), image("")] });
  expect(images).toBeUndefined();
  expect(text).toContain("9000 × 9000 pixels");
  expect(text).toContain("larger than 3500000 bytes");
});
