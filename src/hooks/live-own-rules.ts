import type { OwnRules } from "../contract/own-rules.ts";
import { fileState } from "../lib/file-state.ts";

/** The agent's own rules as they are now. They are only read again after one of their sources has changed. */
export function liveOwnRules(first: OwnRules, read: () => OwnRules): () => OwnRules {
  let rules = first;
  return () => (changedSource(rules) === undefined ? rules : (rules = read()));
}

/** The rules as they were at the launch, for the hook bundle, which cannot read them again. A change makes them unreadable. */
export function launchedOwnRules(rules: OwnRules): OwnRules {
  const changed = changedSource(rules);
  if (changed === undefined) return rules;
  return { ...rules, unreadable: { rule: "a rule that has changed since the launch", where: changed } };
}

const changedSource = ({ sources }: OwnRules) => sources.find(({ path, state }) => fileState(path) !== state)?.path;
