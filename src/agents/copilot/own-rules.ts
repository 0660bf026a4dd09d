import { join } from "node:path";
import type { AgentInstall } from "../../contract/agent-install.ts";
import { homeOf, readSettings } from "../install/read-settings.ts";
import { flagValues, isFlag } from "../install/refuse.ts";
import { DENY_FLAGS } from "./denies.ts";

/** Copilot takes deny rules from its command line, and denied URLs from its settings. */
export const copilotRule: AgentInstall["ownRule"] = ({ flags, env }) => {
  const flag = flags.find((word) => DENY_FLAGS.some((one) => isFlag(word, one)));
  if (flag !== undefined) {
    const [value = ""] = flagValues(flags, DENY_FLAGS);
    return { rule: value, where: flag.split("=")[0] ?? flag };
  }
  const where = join(env["COPILOT_HOME"] ?? join(homeOf(env), ".copilot"), "settings.json");
  const denied: unknown = readSettings(where)?.["deniedUrls"];
  const [url] = Array.isArray(denied) ? denied : [];
  return url === undefined ? undefined : { rule: `deniedUrls ${String(url)}`, where };
};
