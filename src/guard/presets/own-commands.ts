import type { Rule } from "../../contract/policy.ts";
import { type Preset, rules } from "./shared-rules.ts";

const READING = ["agent,doctor,prompt-plan", "guard explain", "receipt show", "runs show"];

const LISTING = ["runs", "runs --all", "runs --json", "runs --all --json", "runs --json --all", "--version", "--help"];

/** Commands of ours that only read when they are called in a session. */
function ownReading(id: string, program: string): readonly Rule[] {
  const lines = (list: readonly string[]) => list.map((line) => `${program} ${line}`);
  return [
    ...rules(id, "allow", { because: "signalbox only reads in a session", lines: lines(READING) }),
    ...rules(`${id}-list`, "allow", {
      because: "signalbox only reads in a session",
      exact: true,
      lines: lines(LISTING),
    }),
  ];
}

/** The preset's rule that asks about every call of `signalbox recipe`. */
export const OWN_RECIPES = "own-recipes";

/** Does not count for a plain call of a recipe by its name, where `PLAIN_RECIPES` allows it (src/guard/signalbox-calls.ts). */
const ASK_ABOUT_RECIPES = rules(OWN_RECIPES, "ask", {
  because: "runs the steps of a recipe",
  lines: ["signalbox recipe"],
});

/**
 * Commands of ours that change rules, trust or files, or start an agent. Matched by base name and through `npx`, so
 * every way of calling them is asked about.
 */
export const OWN_ASKING: readonly Rule[] = [
  ...rules("own-changes", "ask", {
    because: "changes what signalbox allows, trusts or keeps, or starts an agent",
    lines: [
      "signalbox setup,uninstall,import,trust,apply,cancel,prune,outside,key,init,stage,unstage,sandbox,restore",
      "signalbox runs restore,prune,remove,apply,cancel,undo,redo,resume,fork,key",
      "signalbox guard allow,taint,compile,trust",
      "signalbox claude,codex,copilot,amplifier,gemini,native,nested-copilot,run,auto,sidecar,prove,demo,hook,xpia-hook",
      "signalbox fleet,watch,dashboard",
      "signalbox sessions resume,fork",
      "signalbox memory forget",
      "signalbox context memory forget",
      "signalbox mcp add,remove,test,login",
    ],
  }),
  ...ASK_ABOUT_RECIPES,
];

/** The preset's rule that allows plain calls of `signalbox recipe run` in a contained session. */
export const RUN_RECIPES = "run-recipes";

/** A recipe has a sandbox and agents of its own, which do not work inside the sandbox of a session. */
export const PLAIN_RECIPES = rules(RUN_RECIPES, "allow", {
  because: "its steps are held like this session",
  contained: false,
  lines: ["signalbox recipe run"],
});

const OWN_READING = ownReading("look-at-signalbox", "signalbox");

/** Not where no program of the workspace may run: npx takes the one that it finds there. */
const OWN_READING_NPX = ownReading("look-at-signalbox-npx", "npx signalbox");

/** A preset with the rules for our own commands. */
export function withOwnCommands<P extends Preset>(preset: P, runsWorkspace: boolean): P {
  const own = [...OWN_READING, ...(runsWorkspace ? OWN_READING_NPX : []), ...OWN_ASKING];
  return { ...preset, rules: [...preset.rules, ...own] };
}
