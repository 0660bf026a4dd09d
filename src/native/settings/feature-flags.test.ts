import { expect, test } from "vitest";
import { featureFlags } from "./settings-files.ts";

const flags = (text?: string) => featureFlags({ SIGNALBOX_FLAGS: text });

const DEFAULTS = { autopilot: false, "lsp-tools": true, "disable-web-tools": false };

test.each([undefined, "", " , "])("without a name, the defaults hold (%j)", (text) => {
  expect(flags(text)).toEqual(DEFAULTS);
});

test("names switch flags on, and off with a dash in front", () => {
  expect(flags("autopilot,-lsp-tools disable-web-tools")).toEqual({
    autopilot: true,
    "lsp-tools": false,
    "disable-web-tools": true,
  });
});

test("experimental stands for the experimental ones, and the last word counts", () => {
  expect(flags("experimental")).toEqual({ ...DEFAULTS, autopilot: true });
  expect(flags("experimental,-autopilot")).toEqual(DEFAULTS);
  expect(flags("-experimental autopilot")).toEqual({ ...DEFAULTS, autopilot: true });
});

test.each([
  ["autopilt", "did you mean autopilot?"],
  ["-lsp_tools", "did you mean lsp-tools?"],
  ["fleet", "the flags are autopilot, lsp-tools, disable-web-tools, and experimental"],
  ["constructor", "the flags are"],
  ["x".repeat(100_000), "the flags are"],
])("an unknown flag is an error with the nearest name (%#)", (text, fix) => {
  expect(() => flags(text)).toThrow(
    expect.objectContaining({ where: "SIGNALBOX_FLAGS", fix: expect.stringContaining(fix) }),
  );
});
