import type { AddedRule, PolicyAddition } from "./policy-addition.ts";
import { appendToList, type YamlItem } from "./yaml-list.ts";
import { yamlWord } from "./yaml-word.ts";

/** The text of a policy file that does not exist yet. */
export const NEW_POLICY = "version: 1\n";

/** The text of a policy file with an addition. Comments and formatting stay. */
export function addToPolicy(text: string, addition: PolicyAddition): string {
  const lists: readonly (readonly [readonly [string, ...string[]], readonly YamlItem[]])[] = [
    [["rules"], addition.rules.map(ruleItem)],
    [["network", "allow"], addition.hosts.map(textItem)],
    [["paths", "read_roots"], addition.readRoots.map(textItem)],
    [["paths", "write_roots"], addition.writeRoots.map(textItem)],
    [["env", "pass"], addition.variables.map(textItem)],
  ];
  return lists.reduce((made, [path, items]) => items.reduce((now, item) => appendToList(now, path, item), made), text);
}

function textItem(value: string): YamlItem {
  const word = yamlWord(value);
  return { lines: [word], flow: word, value };
}

function ruleItem({ id, argv, exact, because, contained, hosts = [] }: AddedRule): YamlItem {
  const fields = [
    `id: ${yamlWord(id)}`,
    `argv: [${argv.map(yamlWord).join(", ")}]`,
    ...(exact ? ["exact: true"] : []),
    "verdict: allow",
    ...(contained === false ? ["contained: false"] : []),
    ...(hosts.length === 0 ? [] : [`hosts: [${hosts.map(yamlWord).join(", ")}]`]),
    `because: ${yamlWord(because)}`,
  ];
  const value = {
    id,
    argv,
    ...(exact ? { exact } : {}),
    verdict: "allow",
    ...(contained === false ? { contained } : {}),
    ...(hosts.length === 0 ? {} : { hosts }),
    because,
  };
  return { lines: fields, flow: `{ ${fields.join(", ")} }`, value };
}
