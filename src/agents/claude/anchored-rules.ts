import { isRecord } from "../../lib/is-record.ts";

type Settings = Readonly<Record<string, unknown>>;

/**
 * Settings whose deny and ask rules keep their meaning in another file. Claude Code resolves `/x` against a folder that it
 * derives from the settings file, so for each folder that may be meant a rule with the absolute path is added. This is done
 * for every tool: where `/x` is not a path, the extra rule is harmless. Rules that are not strings are dropped, as in Claude Code.
 */
export function anchored(settings: Settings, folders: readonly string[]): Settings {
  const { permissions } = settings;
  if (!isRecord(permissions)) return settings;
  const bases = [...new Set(folders.flatMap((folder) => [folder, folder.normalize("NFC")]))].map(plainPattern);
  const lists = ["deny", "ask"].flatMap((name) => {
    const rules: unknown = permissions[name];
    if (!Array.isArray(rules)) return [];
    const texts = rules.filter((rule) => typeof rule === "string");
    return [[name, texts.flatMap((rule) => [rule, ...wholePaths(rule, bases)])]];
  });
  return { ...settings, permissions: { ...permissions, ...Object.fromEntries(lists) } };
}

function wholePaths(rule: string, bases: readonly string[]): readonly string[] {
  const head = /^[^(]*\((?=\/(?!\/))/.exec(rule)?.[0];
  return head === undefined ? [] : bases.map((base) => `${head}/${base}${rule.slice(head.length)}`);
}

/** Characters that have a meaning in patterns, or in the rule's own syntax, become `?`, which matches any one. */
function plainPattern(folder: string): string {
  return folder === "/" ? "" : folder.replaceAll(/[^\w./\-\u0080-\uFFFF]/g, "?");
}
