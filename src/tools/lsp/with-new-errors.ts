import type * as z from "zod";
import type { LanguageServers } from "../../contract/language-servers.ts";
import type { Tool } from "../../contract/tool.ts";
import { showProblems } from "./show-problems.ts";

const MAX_SHOWN = 10;

/** The same tool, whose result names the errors that its change has brought, if a language server runs. */
export function withNewErrors<Input extends z.ZodType>(
  tool: Tool<Input>,
  servers: LanguageServers | undefined,
): Tool<Input> {
  if (servers === undefined) return tool;
  return {
    ...tool,
    async run(input, context) {
      const output = await tool.run(input, context);
      const change = output.deeds?.find((deed) => deed.kind === "write");
      if (output.failed || change === undefined) return output;
      const errors = (await servers.newErrors(change, context.signal)) ?? [];
      if (errors.length === 0) return output;
      const count = errors.length === 1 ? "a new error" : `${errors.length} new errors`;
      const lines = showProblems(errors, MAX_SHOWN);
      return { ...output, text: [output.text, `This change brings ${count}:`, ...lines].join("\n") };
    },
  };
}
