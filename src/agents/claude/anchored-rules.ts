import { isRecord } from "../../lib/is-record.ts";

type Settings = Readonly<Record<string, unknown>>;

/**
 * Settings whose deny and ask rules hold in a file that lies elsewhere too: Claude Code measures `/x` from a folder that
 * it takes from the file. Such a rule is joined by one with the whole path for each folder that may be meant. Whatever
 * its tool: where `/x` is no path, a rule more does no harm. What is no text is left out, as Claude Code does.
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

/** What a pattern or the rule's own brackets could take for a sign of theirs stands for any one character. */
function plainPattern(folder: string): string {
  return folder === "/" ? "" : folder.replaceAll(/[^\w./\-\u0080-\uFFFF]/g, "?");
}
