import { expect, test } from "vitest";
import { parseHookSettings } from "./hook-context.ts";

const SETTINGS = {
  agent: "claude",
  folder: "/home/dev/.signalbox",
  interactive: true,
  seal: "s",
  closed: [],
  switches: [],
  deniedTools: [],
  hooks: [],
};

test("complete settings are read", () => {
  expect(parseHookSettings(JSON.stringify(SETTINGS))).toEqual(SETTINGS);
});

test.each([
  ["without a seal", { ...SETTINGS, seal: undefined }],
  ["with the trusted files of an earlier version", { ...SETTINGS, hold: { folders: [], files: [] } }],
  ["with the trusted agents of an earlier version", { ...SETTINGS, agents: { folders: [], files: [] } }],
  ["with trusted files that are no list", { ...SETTINGS, trustedFiles: { folders: [] } }],
])("settings %s are refused, so nothing is allowed by them", (_, settings) => {
  expect(() => parseHookSettings(JSON.stringify(settings))).toThrow("restart the agent");
});
