import { isUserError } from "../lib/user-error.ts";
import { chooseModel } from "../models/choose-model.ts";
import { keyedProviders } from "../models/default-model.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { wantedBaseUrl, wantedModel } from "../settings/wanted-model.ts";
import type { CheckResult } from "./check.ts";

/** Whether signalbox's own engine has a model and a key. Not having them is not a fault. */
export function checkNative(env: NodeJS.ProcessEnv, home: string): CheckResult {
  const id = "agent.native";
  try {
    const settings = loadSettings({ home });
    const wanted = wantedModel(env, settings);
    if (wanted === undefined) return { id, status: "absent", ...unchosen(env) };
    const { value: name, place } = wanted;
    const choice = chooseModel({ name, place, baseUrl: wantedBaseUrl(name, settings), environment: env });
    return { id, status: "ok", summary: `model ${choice.provider}/${choice.id} (from ${place})` };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { id, status: "warn", summary: error.message, fix: error.fix };
  }
}

function unchosen(env: NodeJS.ProcessEnv): { readonly summary: string; readonly fix: string } {
  const keyed = keyedProviders(env).map(({ provider }) => provider.name);
  if (keyed.length === 0)
    return {
      summary: "no model is chosen and no key is set",
      fix: "set a key (signalbox models lists them), or use a local model: signalbox models --set ollama/qwen3",
    };
  return {
    summary: `no model is chosen; a key is set for ${keyed.join(", ")}`,
    fix: "choose one: signalbox models --set provider/model; signalbox models lists them",
  };
}
