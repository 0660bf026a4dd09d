import { judge } from "../guard/judge/judge.ts";
import type { Policy } from "../contract/policy.ts";
import { presetPolicy } from "../guard/policy/compiled-policy.ts";
import { readScript } from "../shell/parse/read-script.ts";
import { flatten } from "../shell/model/script.ts";
import type { Machine } from "../contract/machine.ts";

/** What a command would do, for the person who must decide about it. */
export interface CommandAssessment {
  readonly commands: readonly { readonly identifier: string; readonly readOnly: boolean }[];
  readonly possiblePaths: readonly string[];
  readonly possibleUrls: readonly string[];
  readonly hasWriteFileRedirection: boolean;
  /** Its text alone determines what it does, so an approval can be reused for the same text. */
  readonly canOfferSessionApproval: boolean;
}

/** Summarizes the effects that the guard finds. What cannot be parsed is assumed to be the worst. */
export function assessCommand(command: string, policy: Policy, world: Machine): CommandAssessment {
  const { effects, verdict, findings } = judge({ tool: "bash", input: { command } }, policy, world);
  const lookingOnly = presetPolicy("read-only", policy);
  const targets = (...kinds: readonly string[]) => [
    ...new Set(effects.filter(({ kind }) => kinds.includes(kind)).map(({ target }) => target)),
  ];
  return {
    commands: targets("run").map((text) => ({
      identifier: identify(text),
      readOnly: judge({ tool: "bash", input: { command: text } }, lookingOnly, world).verdict === "allow",
    })),
    possiblePaths: targets("read", "write", "delete"),
    possibleUrls: targets("network"),
    hasWriteFileRedirection: writesByRedirection(command),
    canOfferSessionApproval: verdict !== "deny" && isProven(command) && !findings.some(({ code }) => UNSURE.test(code)),
  };
}

const isProven = (command: string) =>
  !readScript(command, "bash").doubts.some(({ code }) => code === "unproven" || code === "too-much");

/** Codes of findings about things that only running the command would show. */
const UNSURE = /-unknown$|^opaque-code$|^unproven$|^syntax$|^encoding$/;

const WITH_SUBCOMMAND = new Set("git npm pnpm yarn cargo go docker kubectl gh pip terraform make".split(" "));

/** The program, with its sub-command if it has one: `git push`. */
function identify(text: string): string {
  const [program = "", second = ""] = text.split(" ");
  const name = program.slice(program.lastIndexOf("/") + 1);
  return WITH_SUBCOMMAND.has(name) && /^[a-z][\w:-]*$/.test(second) ? `${name} ${second}` : name;
}

const WRITING = new Set([">", ">>", ">|", "&>", "&>>", "<>"]);

function writesByRedirection(command: string): boolean {
  const { nodes, errors } = readScript(command, "bash");
  if (errors.length > 0) return true;
  return flatten(nodes).some(({ redirects }) =>
    redirects.some(({ operator, target }) => {
      const [piece] = target.pieces;
      return WRITING.has(operator) && !(piece?.kind === "text" && piece.text === "/dev/null");
    }),
  );
}
