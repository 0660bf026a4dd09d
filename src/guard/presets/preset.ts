import type { NetworkLists, PathLists, Policy, Rule } from "../../contract/policy.ts";
import type { Verdict } from "../../contract/verdict.ts";

/** A policy not yet bound to a workspace. */
export interface Preset extends Pick<Policy, "id" | "rules" | "tools" | "fallback" | "interactive" | "sandbox"> {
  readonly paths: PathLists;
  readonly network: NetworkLists;
}

export const NO_TOOL_LISTS = { allow: [], deny: [], ask: [], otherwise: undefined } as const;

/**
 * Rules with the same verdict and reason. Each line is a program, then its subcommands or options, separated by commas.
 */
export function rules(
  id: string,
  verdict: Verdict,
  {
    because,
    lines,
    exact = false,
    unless,
    contained,
  }: {
    readonly because: string;
    readonly lines: readonly string[];
    readonly exact?: boolean;
    readonly unless?: Rule["unless"];
    readonly contained?: false;
  },
): readonly Rule[] {
  return lines.map((line, index) => ({
    id: lines.length === 1 ? id : `${id}.${index + 1}`,
    source: "preset",
    verdict,
    argv: line.split(" ").map(token),
    exact,
    because,
    ...(unless === undefined ? {} : { unless }),
    ...(contained === undefined ? {} : { contained }),
  }));
}

function token(text: string): string | readonly string[] {
  return text.includes(",") ? text.split(",") : text;
}
