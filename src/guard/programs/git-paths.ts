import { judgePath } from "../paths/judge-path.ts";
import { ready } from "../policy/ready-policy.ts";
import { doubt, type Effect } from "../shell/effect.ts";
import type { Arguments } from "../shell/options.ts";
import { UNKNOWN, type Word } from "../shell/word.ts";

/** The path in an operand of git: `.env`, `HEAD:.env`, `:0:.env`, `:(top).env`, `*env`. Undefined for one that leaves paths out, or is a revision. */
export function pathOf(operand: Word): { readonly word: Word; readonly fromTop: boolean } | undefined {
  const [, magic, short, stage, rest] =
    /^(?::(?:\(([^)]*)\)|([!^/]*)(?:([0-3]):)?))?([\s\S]*)$/.exec(operand.text) ?? [];
  if (/\bexclude\b/.test(magic ?? "") || /[!^]/.test(short ?? "")) return undefined;
  const named = rest ?? "";
  const colon = operand.text.startsWith(":") ? -1 : named.indexOf(":");
  const path = named.slice(colon + 1);
  if (path === "") return undefined;
  if (/[~^]\d*$|\.\.|@\{/.test(path) && !/^\.\.?(?:\/|$)/.test(path) && !path.includes("/../")) return undefined;
  const fromTop = colon !== -1 || stage !== undefined || /\btop\b/.test(magic ?? "") || (short ?? "").includes("/");
  return { word: asPattern({ ...operand, text: path }), fromTop };
}

/** git expands wildcards itself, in quotes too. */
function asPattern(path: Word): Word {
  return /[*?[]/.test(path.text) ? { ...path, glob: true, dots: true } : path;
}

/** Operands and `-L` ranges that name files count as read. Options may not come from unknown words. */
export function revisionEffects({ operands, options }: Arguments): readonly Effect[] {
  const ranges = options.flatMap(({ name, value }): readonly Word[] =>
    name === "-L" && value?.text.includes(":") === true
      ? [{ ...value, text: value.text.slice(value.text.lastIndexOf(":") + 1) }]
      : [],
  );
  return [...operands, ...ranges].flatMap((operand): readonly Effect[] => {
    if (operand.text.startsWith(UNKNOWN))
      return [doubt("operand-unknown", "a word that may be an option is only known at run time")];
    const found = pathOf(operand);
    if (found === undefined) return [];
    const read: Effect = { kind: "read", word: found.word };
    return found.fromTop ? [read, readFromTop(found.word)] : [read];
  });
}

/** `HEAD:path` starts at the top of the repository, wherever the command runs. */
function readFromTop({ text, glob, dots }: Word): Effect {
  return {
    kind: "check",
    objection: ({ policy, world, cwd }) => {
      if (cwd === policy.workspaceRoot || text.includes(UNKNOWN) || /^[./]/.test(text)) return undefined;
      const place = {
        policy: ready(policy),
        world,
        cwd: policy.workspaceRoot,
        otherCwds: [],
        outside: "allow",
      } as const;
      const [found] = judgePath({ access: "read", path: text, glob, dots }, place);
      return found === undefined || found.verdict === "allow"
        ? undefined
        : doubt(found.code, found.because, found.verdict);
    },
  };
}
