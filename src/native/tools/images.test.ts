import { expect, test } from "vitest";
import { imageSize } from "./images.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const webp = (chunk: string, rest: string) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}`, "latin1"), hex(rest)]);

test.each([
  ["image/gif", Buffer.from("GIF89a\x05\x00\x07\x00", "latin1"), [5, 7]],
  // A comment before the frame, and a filling byte.
  ["image/jpeg", hex("ffd8 fffe 0004 0000 ff ffc2 0011 08 0020 0040"), [64, 32]],
  ["image/jpeg", hex("ffd8 ffc4 0002 ffc0 0011 08 0001 0002"), [2, 1]],
  ["image/webp", webp("VP8 ", "00000000 000000 9d012a 4001 f000"), [320, 240]],
  ["image/webp", webp("VP8L", "00000000 2f 3fc13b00"), [320, 240]],
  ["image/webp", webp("VP8X", "0a000000 00000000 3f0100 ef0000"), [320, 240]],
])("the size of %s is read from its header", (type, bytes, [width, height]) => {
  expect(imageSize(bytes, type)).toEqual({ width, height });
});

test.each([
  ["image/gif", Buffer.from("GIF89a")],
  ["image/jpeg", hex("ffd8ffe0")],
  ["image/jpeg", hex("ffd8ffe0000400000000000000000000")],
  ["image/webp", webp("VP8?", "0000000000000000000000000000000000")],
  ["image/tiff", Buffer.alloc(100)],
])("a damaged header of %s has no size", (type, bytes) => {
  expect(imageSize(bytes, type)).toBeUndefined();
});
