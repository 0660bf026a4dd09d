import { parseSync, Visitor } from "oxc-parser";

/** The words of an identifier: `claudeShell`, `CODEX_HOOKS_OFF`. */
const wordsOf = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);

export interface AgentIdUse {
  readonly id: string;
  readonly name: string;
  readonly line: number;
}

/** String literals that are one of `ids`, and identifiers with one of them as a word. Comments and other texts don't count. */
export function agentIdsIn(file: string, text: string, ids: readonly string[]): readonly AgentIdUse[] {
  const found: AgentIdUse[] = [];
  const check = (name: string, start: number) => {
    const id = wordsOf(name).find((word) => ids.includes(word));
    if (id !== undefined) found.push({ id, name, line: text.slice(0, start).split("\n").length });
  };
  const checkText = (value: unknown, start: number) => {
    if (typeof value === "string" && ids.includes(value)) check(value, start);
  };
  new Visitor({
    Identifier: ({ name, start }) => check(name, start),
    PrivateIdentifier: ({ name, start }) => check(name, start),
    Literal: ({ value, start }) => checkText(value, start),
    TemplateElement: ({ value, start }) => checkText(value.cooked, start),
  }).visit(parseSync(file, text).program);
  return found;
}
