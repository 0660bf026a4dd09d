import { expect, test } from "vitest";
import { switchesHooksOff } from "./hook-entries.ts";

test.each([
  '{"disableAllHooks":true}',
  '{"disable_all_hooks":true}',
  '{"DisableAllHooks":true}',
  '{"DISABLE-ALL HOOKS" : true}',
  '{"disableAllHooks":false,"DisableAllHooks":true}',
  '{"disableAllHooks":true,"disableAllHooks":false}',
  '{"disable\\u0041llHooks":true}',
  '{"disableAllHooks":"false"}',
  '{"disableAllHooks":null}',
  '{"hooks":{"disable_all_hooks":1}}',
  '[{"disableAllHooks":{}}]',
])("%s switches hooks off, or may", (text) => {
  expect(switchesHooksOff(text)).toBe(true);
});

test.each([
  "{}",
  "null",
  '{"disableAllHooks":false}',
  '{"disable_all_hooks" :\n false }',
  '{"note":"disableAllHooks","other":["disableAllHooks"]}',
  '{"note":"say \\"disableAllHooks\\": true"}',
  '{"disabledHooks":true,"disableAllHooksBut":1}',
])("%s leaves hooks alone", (text) => {
  expect(switchesHooksOff(text)).toBe(false);
});
