import { matchesSegment } from "../lib/glob.ts";
import type { Tool } from "../contract/tool.ts";

/** Which tools a model gets to see. Patterns are globs over names. */
export interface ToolFilter {
  /** With any entry, only these. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly isToolEnabled?: ((name: string) => boolean) | undefined;
}

/** The tools that every filter leaves; a denial of one is not lifted by another. */
export function filterTools(tools: readonly Tool[], filters: readonly ToolFilter[]): readonly Tool[] {
  return tools.filter(({ name }) =>
    filters.every(({ allow = [], deny = [], isToolEnabled = () => true }) => {
      const listed = (patterns: readonly string[]) => patterns.some((pattern) => matchesSegment(pattern, name));
      return !listed(deny) && (allow.length === 0 || listed(allow)) && isToolEnabled(name);
    }),
  );
}
