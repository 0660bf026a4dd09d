import {
  RequestError,
  type SessionConfigOption,
  type SessionConfigSelectOption,
  type SessionModeState,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { Effort, WorkMode } from "../../contract/engine-settings.ts";
import { CATALOG, modelRow } from "../../models/catalog/catalog.ts";
import { keyedProviders } from "../../models/choose-model.ts";
import type { ThinkingEffort } from "../../models/effort.ts";
import type { Model } from "../../models/model.ts";
import type { ModeSwitch } from "../session/work-mode.ts";

/** What a user can choose in an editor during a session. */
export interface SessionChoices {
  readonly mode: ModeSwitch;
  readonly models: ModelSwitch;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens another model by its name. Throws a UserError if that is not possible. */
  readonly openModel: (name: string) => Pick<ModelSwitch, "model" | "effort">;
}

const MODES: Readonly<Record<WorkMode, { readonly name: string; readonly description: string }>> = {
  ask: { name: "Ask", description: "Ask before what the rules leave to you" },
  plan: { name: "Plan", description: "Only read, and answer with a plan" },
  auto: { name: "Auto", description: "Work until the task is complete; what needs approval is denied" },
};

/** The modes, for editors that do not know config options. */
export const modeState = ({ mode }: SessionChoices): SessionModeState => ({
  currentModeId: mode.current,
  availableModes: WorkMode.options.map((id) => ({ id, ...MODES[id] })),
});

export function configOptions({ mode, models, environment }: SessionChoices): SessionConfigOption[] {
  const { name } = models.model;
  const modes = WorkMode.options.map((value) => ({ value, ...MODES[value] }));
  return [
    { type: "select", id: "mode", category: "mode", name: "Mode", currentValue: mode.current, options: modes },
    {
      type: "select",
      id: "model",
      category: "model",
      name: "Model",
      currentValue: name,
      options: modelNames(name, environment).map((value) => ({ value, name: value })),
    },
    ...(thinks(name) ? [effortOption(models)] : []),
  ];
}

const effortOption = ({ effort }: ModelSwitch): SessionConfigOption => ({
  type: "select",
  id: "effort",
  category: "thought_level",
  name: "Effort",
  description: "How much the model thinks",
  currentValue: effort.level ?? PROVIDER_DECIDES.value,
  options: [PROVIDER_DECIDES, ...Effort.options.map((value) => ({ value, name: value }))],
});

const PROVIDER_DECIDES: SessionConfigSelectOption = { value: "default", name: "default" };

/** The model in use, then every known one whose provider has a key. */
function modelNames(current: string, environment: SessionChoices["environment"]): readonly string[] {
  const keyed = new Set(keyedProviders(environment).map(({ provider }) => provider.name));
  const known = CATALOG.filter(({ provider }) => keyed.has(provider)).map(
    ({ provider, model }) => `${provider}/${model}`,
  );
  return [...new Set([current, ...known])];
}

/** A model that is not in the catalogue may think. */
function thinks(name: string): boolean {
  const [provider = "", ...id] = name.split("/");
  return modelRow(provider, id.join("/"))?.thinking.kind !== "none";
}

/** Carries out a choice. Throws what the editor is answered with, and a UserError for what cannot be. */
export function choose(choices: SessionChoices, id: string, value: string | boolean): void {
  const { mode, models } = choices;
  const options = configOptions(choices).find((option) => option.id === id);
  if (options === undefined) throw RequestError.invalidParams(undefined, `there is no option ${JSON.stringify(id)}`);
  if (!isOffered(options, value))
    throw RequestError.invalidParams(undefined, `${id} has no value ${JSON.stringify(value).slice(0, 200)}`);
  if (id === "mode") mode.set(WorkMode.parse(value));
  else if (id === "effort") models.effort.set(value === PROVIDER_DECIDES.value ? undefined : Effort.parse(value), id);
  else if (value !== models.model.name) useModel(choices, String(value));
}

const isOffered = (option: SessionConfigOption, value: string | boolean) =>
  option.type === "select" && option.options.some((offered) => "value" in offered && offered.value === value);

/** The effort stays, if the new model has one. */
function useModel({ models, openModel }: SessionChoices, name: string): void {
  const next = openModel(name);
  const { level } = models.effort;
  if (level !== undefined && thinks(name)) next.effort.set(level, "effort");
  models.use(next);
}

/** Tells an editor what was chosen in another way, for example by a command. Nothing if it knows already. */
export function choiceUpdates(choices: SessionChoices, told: { mode: string; options: string }): SessionUpdate[] {
  const options = configOptions(choices);
  const currentModeId = choices.mode.current;
  const updates: SessionUpdate[] = [];
  if (told.mode !== currentModeId) updates.push({ sessionUpdate: "current_mode_update", currentModeId });
  if (told.options !== JSON.stringify(options))
    updates.push({ sessionUpdate: "config_option_update", configOptions: options });
  Object.assign(told, { mode: currentModeId, options: JSON.stringify(options) });
  return updates;
}

interface ChosenModel {
  readonly model: Model;
  readonly effort: ThinkingEffort;
}

/** A model and an effort that can be exchanged for others during a session. The next request uses the new ones. */
export interface ModelSwitch extends ChosenModel {
  use(next: ChosenModel): void;
}

/** How long a local server may be asked for its window; see `Model.learnLimits`. */
const LEARN_MS = 60_000;

export function modelSwitch({ model, effort }: ChosenModel): ModelSwitch {
  let now = { model, effort };
  return {
    model: {
      get name() {
        return now.model.name;
      },
      get baseUrl() {
        return now.model.baseUrl;
      },
      get effort() {
        return now.model.effort;
      },
      get limits() {
        return now.model.limits;
      },
      learnLimits: (signal) => now.model.learnLimits(signal),
      ask: (request, signal) => now.model.ask(request, signal),
      cost: (usage) => now.model.cost(usage),
    },
    effort: {
      get level() {
        return now.effort.level;
      },
      set: (level, where) => now.effort.set(level, where),
    },
    use(next) {
      now = { model: next.model, effort: next.effort };
      void next.model.learnLimits(AbortSignal.timeout(LEARN_MS));
    },
  };
}
