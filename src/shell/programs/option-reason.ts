/** What long options that need approval do, by their names. The first match wins. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^--?(?:eval|exec|execute(?:-\w+)*|call|init-hook|run_under)$/, "runs code from its arguments"],
  [/^--template$/, "copies files such as hooks into the repository"],
  [/registry$|index(?:-url)?$|^--find-links$|^--source$/, "chooses where packages come from"],
  [/proxy$|cert$|^--trusted-host/, "chooses which hosts it contacts and trusts"],
  [/^--.*(?:config|settings)/, "reads settings from an unchecked place"],
  [/plugins?(?:-\w+)*$|^--(?:require|import|preload|loader|load-.*)$/, "loads a plug-in or other code"],
  [/^--(?:open|web|editor|pager|browser|open-files-in-pager)$/, "starts another program"],
  [/^--?.*(?:python|compiler|shell|runner|wrapper|java-home|toolchain)$/, "chooses a program to start"],
];

/** Completes the sentence "the option X …". Short options differ per program, so each program describes its own. */
export function optionReason(name: string): string {
  return REASONS.find(([names]) => name.length > 2 && names.test(name))?.[1] ?? "has side effects";
}
