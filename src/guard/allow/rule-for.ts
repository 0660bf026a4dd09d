import { sha256 } from "../../lib/sha256.ts";
import { splitWords } from "../../lib/split-words.ts";
import { argvEffects } from "../../shell/argv/argv-effects.ts";
import { word } from "../../shell/model/word.ts";
import type { AddedRule } from "./policy-addition.ts";

const MAX_WORDS = 100;
const MAX_WORD = 500;

/** The words by which a rule can name a command as the judge shows it, or why it cannot. */
export function ruleWords(shown: string): readonly string[] | string {
  if (shown.includes("…")) return "part of the command is only known at run time, so no rule can name it";
  const [first, ...rest] = (splitWords(shown) ?? []).map(word);
  if (first === undefined) return "the command cannot be split into words";
  const { forms } = argvEffects([first, ...rest], {
    feed: { kind: "none" },
    shell: "bash",
    hasOddNames: () => false,
  });
  const words = [forms.program, ...forms.canonical.slice(1).map(({ text }) => text)];
  if (words.length > MAX_WORDS) return `a rule can name at most ${MAX_WORDS} words`;
  if (words.some((text) => text.length > MAX_WORD))
    return `a rule can only name words of at most ${MAX_WORD} characters`;
  if (words.includes("")) return "a rule cannot name an empty word";
  return words;
}

/** The rule that allows exactly this command, or everything that begins with it; a string says why there is none. */
export function ruleFor(
  shown: string,
  setting: { readonly prefix: boolean; readonly because: string; readonly outside: boolean },
): AddedRule | string {
  const argv = ruleWords(shown);
  if (typeof argv === "string") return argv;
  const exact = !setting.prefix;
  const name = argv
    .slice(0, 2)
    .join("-")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  const digest = sha256(JSON.stringify([argv, exact])).slice(0, 8);
  const id = `allowed-${name}-${digest}`;
  return { id, argv, exact, because: setting.because, ...(setting.outside ? { contained: false } : {}) };
}
