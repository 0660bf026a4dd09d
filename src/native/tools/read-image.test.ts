import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { ImageLimits } from "../../contract/message.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { fileStates, read } from "./read.ts";
import { pathGate } from "./path-gate.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(25);
  header.write("IHDR", 4, "latin1");
  header.writeUInt32BE(width, 8);
  header.writeUInt32BE(height, 12);
  return Buffer.concat([PNG, header]);
}

/** What the tool shows of a file with these bytes, and its path. */
function look(bytes: Buffer, limits?: ImageLimits) {
  const workspaceRoot = tempFolder();
  const path = join(workspaceRoot, "a.png");
  writeFileSync(path, bytes);
  const policy = { ...PRESETS.default, version: 1, workspaceRoot, home: tempFolder() } as const;
  const tool = read({ gate: pathGate(policy, realMachine), states: fileStates(), imageLimits: () => limits });
  const context = { callId: "1", signal: new AbortController().signal, progress: () => {}, emit: () => {} };
  return { path, shown: tool.run(tool.input.parse({ path }), context) };
}

test("gives images as images", async () => {
  const png = pngHeader(640, 480);
  const { path, shown } = look(png);
  expect(await shown).toMatchObject({
    text: `${path} (image/png, 640 × 480 pixels, 33 bytes)`,
    images: [{ mediaType: "image/png", base64: png.toString("base64") }],
  });
});

test.each([
  ["of random bytes", Buffer.concat([PNG, randomBytes(300)]), "its header is damaged"],
  ["that ends after its name", PNG, "its header is damaged"],
  ["of no width", pngHeader(0, 480), "its header is damaged"],
  ["of 9000 pixels", pngHeader(9000, 10), "is an image of 9000 × 10 pixels"],
])("refuses an image %s, which no provider would take", async (_, bytes, reason) => {
  await expect(look(bytes).shown).rejects.toThrow(reason);
});

test("the limits of the model in use count", async () => {
  const png = Buffer.concat([pngHeader(640, 480), Buffer.alloc(967)]);
  await expect(look(png, { count: 0 }).shown).rejects.toThrow("the model in use takes no images");
  await expect(look(png, { pixels: 600 }).shown).rejects.toThrow("the model takes at most 600 on a side");
  await expect(look(png, { bytes: 1000 }).shown).rejects.toThrow("too large to look at (at most 750)");
  expect(await look(png, { bytes: 1336, pixels: 640, count: 1 }).shown).toMatchObject({ images: [{}] });
});
