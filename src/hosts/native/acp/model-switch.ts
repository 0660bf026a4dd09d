import type { ThinkingEffort } from "../../../models/effort.ts";
import type { Model } from "../../../models/model.ts";

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
