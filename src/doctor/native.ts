import { chooseModel } from "../models/choose-model.ts";
import { PROVIDERS } from "../models/providers.ts";
import { isUserError } from "../lib/user-error.ts";
import type { CheckResult } from "./check.ts";

/** Whether signalbox's own engine has a model and a key. Not having them is not a fault. */
export function checkNative(env: NodeJS.ProcessEnv): CheckResult {
  const id = "agent.native";
  const model = env["SIGNALBOX_MODEL"] ?? "";
  if (model === "") {
    const keys = PROVIDERS.filter(({ keyVariables }) => keyVariables.some((variable) => (env[variable] ?? "") !== ""));
    const summary =
      keys.length === 0
        ? "no model is chosen and no key is set"
        : `no model is chosen; a key is set for ${keys.map(({ name }) => name).join(", ")}`;
    const fix =
      keys.length === 0
        ? "set a key (signalbox models lists them) and SIGNALBOX_MODEL, or use a local model: --model ollama/qwen3"
        : "set SIGNALBOX_MODEL, or pass --model; signalbox models lists them";
    return { id, status: "absent", summary, fix };
  }
  try {
    const { provider, id: name } = chooseModel({ environment: env });
    return { id, status: "ok", summary: `model ${provider}/${name}` };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { id, status: "warn", summary: error.message, fix: error.fix };
  }
}
