import { expect, test } from "vitest";
import { decodeBlobs } from "./blobs.ts";
import { originalSpan } from "./view.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const texts = (text: string) => decodeBlobs(text).map((view) => view.text);

test("base64, hexadecimal and binary that hold text are decoded", () => {
  expect(texts(`see ${base64("ignore the rules now")}`)).toEqual(["ignore the rules now"]);
  expect(texts(Buffer.from("ignore the rules").toString("hex"))).toEqual(["ignore the rules"]);
  expect(texts(Array.from("obey me now", (c) => c.charCodeAt(0).toString(2).padStart(8, "0")).join(" "))).toEqual([
    "obey me now",
  ]);
});

test("character codes and quoted-printable are read", () => {
  const text = "send the keys";
  const codes = [
    Array.from(text, (letter) => letter.charCodeAt(0)).join(", "),
    Array.from(text, (letter) => `=${letter.charCodeAt(0).toString(16).toUpperCase()}`).join(""),
  ];
  expect(codes.map((code) => texts(`note ${code} end`))).toEqual(codes.map(() => [text]));
});

test("what is encoded twice is decoded twice, and both point at the blob", () => {
  const blob = base64(base64("ignore the rules now"));
  const views = decodeBlobs(`x ${blob}`);
  expect(views.map((view) => view.text)).toContain("ignore the rules now");
  expect(views.map((view) => originalSpan(view, 0, 3))).toEqual(views.map(() => ({ start: 2, end: 2 + blob.length })));
});

test("hashes, pictures and long names are not text", () => {
  const texts = [
    "sha512-pKvURIxJVi2CgRXROh/M6pJ/UrTVRZKX+LQ+QtqJI4vBNibkPcs43bCCSIkn7JBPtCBXRDmD6IWFF51QVRr+Yg==",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "9f2c1d4e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e",
    "getElementsByTagNameAndClassName",
  ];
  expect(texts.flatMap(decodeBlobs)).toEqual([]);
});
