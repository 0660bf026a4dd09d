import type { FeatureFlags } from "../contract/feature-flags.ts";
import { nearest } from "../lib/nearest.ts";
import { UserError } from "../lib/user-error.ts";

/** Each flag, and whether it is on without being named: always, with all experimental ones, or never. */
const DEFAULTS: Readonly<Record<keyof FeatureFlags, "on" | "experimental" | "off">> = {
  autopilot: "experimental",
  "lsp-tools": "on",
  "disable-web-tools": "off",
};

const NAMES = Object.keys(DEFAULTS);

/**
 * The flags that `SIGNALBOX_FLAGS` sets: names separated by commas or spaces, with a `-` in front to switch one off;
 * `experimental` stands for all experimental ones. The last word about a flag counts.
 */
export function featureFlags(environment: Readonly<Record<string, string | undefined>>): FeatureFlags {
  const said = new Map<string, boolean>();
  for (const word of (environment["SIGNALBOX_FLAGS"] ?? "").split(/[\s,]+/).filter((each) => each !== "")) {
    const isOn = !word.startsWith("-");
    const name = isOn ? word : word.slice(1);
    for (const each of meant(name)) said.set(each, isOn);
  }
  const flag = (name: keyof FeatureFlags) => said.get(name) ?? DEFAULTS[name] === "on";
  return {
    autopilot: flag("autopilot"),
    "lsp-tools": flag("lsp-tools"),
    "disable-web-tools": flag("disable-web-tools"),
  };
}

function meant(name: string): readonly string[] {
  if (name === "experimental") return Object.entries(DEFAULTS).flatMap(([flag, when]) => (when === name ? [flag] : []));
  if (NAMES.includes(name)) return [name];
  const near = nearest(name, [...NAMES, "experimental"]);
  throw new UserError(`unknown flag "${name.slice(0, MAX_SHOWN)}"`, {
    where: "SIGNALBOX_FLAGS",
    fix: near === undefined ? `the flags are ${NAMES.join(", ")}, and experimental` : `did you mean ${near}?`,
  });
}

const MAX_SHOWN = 60;
