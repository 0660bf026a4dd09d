import { numberOf } from "../../agents/pack/record-fields.ts";
import { NO_USAGE } from "../../contract/host-end.ts";
import type { Usage } from "../../contract/receipt.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readBounded } from "../../lib/read-bounded.ts";

const MAX_BYTES = 1024 * 1024;

/** The tokens of all models in a file of `copilot --usage-output-file`; undefined if there is no such file. */
export function usageIn(path: string): Usage | undefined {
  try {
    const file: unknown = parseJson(readBounded(path, MAX_BYTES).bytes.toString("utf8"));
    const models = isRecord(file) && isRecord(file["modelMetrics"]) ? Object.values(file["modelMetrics"]) : [];
    const usages = models.map((model) => (isRecord(model) ? model["usage"] : undefined));
    const total = (name: string) => {
      const counts = usages.map((usage) => numberOf(usage, name)).filter((count) => count !== null);
      return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
    };
    return {
      ...NO_USAGE,
      input_tokens: total("inputTokens"),
      output_tokens: total("outputTokens"),
      cache_read_tokens: total("cacheReadTokens"),
      cache_write_tokens: total("cacheWriteTokens"),
    };
  } catch {
    return undefined;
  }
}
