import { WEAKER_LOSES } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import { type FormHere, formsHere } from "../sandbox/open-session-sandbox.ts";

/** One form of the sandbox, and what commands could do in the next one, or without any. */
interface FormWhy extends FormHere {
  readonly lost: readonly string[];
}

const NOTHING_HELD: readonly string[] = [
  "commands can read and change whatever you can, and reach every host",
  "only the rules are left: more commands are asked about, and nothing limits what an allowed one does",
];

const NAMES: Readonly<Record<FormHere["form"], string>> = {
  bubblewrap: "bubblewrap",
  landlock: "Landlock (the weaker form)",
  seatbelt: "Seatbelt",
  agent: "the agent's own sandbox",
};

/** Each form that this system could have, with what is lost without it. */
export async function whyForms(policy: Policy, signalboxHome: string): Promise<readonly FormWhy[]> {
  const forms = await formsHere(policy, { signalboxHome });
  return forms.map((form) => ({ ...form, lost: form.form === "bubblewrap" ? WEAKER_LOSES : NOTHING_HELD }));
}

/** For people. */
export function whyText(forms: readonly FormWhy[]): string {
  const used = forms.find(({ works, taken }) => works && taken);
  const lines = forms.flatMap((one) => {
    const state = one.works ? (one === used ? "works, and is used" : one.taken ? "works" : "works; not taken") : "no";
    const why = one.works && !one.taken ? [NOT_TAKEN[one.form] ?? OFF] : [];
    return [
      `${NAMES[one.form]}: ${state}`,
      ...(one.because === undefined ? [] : [`  refused: ${one.because}`]),
      ...(one.fix === undefined ? [] : [`  fix: ${one.fix}`]),
      ...why.map((line) => `  ${line}`),
      ...(one === used ? [] : one.lost.map((line) => `  without it: ${line}`)),
      "",
    ];
  });
  const end = used === undefined ? "Sessions here have no sandbox." : `Sessions here use ${NAMES[used.form]}.`;
  return `${[...lines, end].join("\n")}\n`;
}

const OFF = "the policy sets sandbox: off";

const NOT_TAKEN: Partial<Record<FormHere["form"], string>> = {
  landlock: "to take it: sandbox: { level: workspace, landlock: allow } in the policy (strict never does)",
};
