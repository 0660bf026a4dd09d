import type { ImportedRule, ImportPlan } from "../../guard/allow/plan-import.ts";
import { printable, printableLine, shortLine } from "../../lib/text/printable.ts";
import type { RuleComparison } from "./compare.ts";

interface Report {
  readonly plan: ImportPlan;
  /** Undefined when the agent is not installed: `absent` says so. */
  readonly comparison: RuleComparison | undefined;
  readonly absent?: string | undefined;
  /** Calls that were too many to be tried. */
  readonly left: number;
  readonly title: string;
  readonly checkedBy: string;
  readonly repository: boolean;
}

const PARTS = [
  ["exact", "Taken exactly"],
  ["stricter", "Taken stricter"],
  ["none", "Not taken"],
] as const;

const rulesOf = ({ plan, comparison }: Report): readonly ImportedRule[] => comparison?.rules ?? plan.rules;

/** The report for programs. */
export function reportFields(report: Report): object {
  const { plan, comparison, absent, left, checkedBy } = report;
  const part = (name: ImportedRule["part"]) =>
    rulesOf(report)
      .filter((one) => one.part === name)
      .map(({ rule: { text, verdict, where }, because }) => ({ rule: text, verdict, where, because }));
  return {
    file: plan.file,
    exact: part("exact"),
    stricter: part("stricter"),
    notTaken: part("none"),
    diff: plan.diff,
    check:
      comparison === undefined
        ? { by: checkedBy, absent }
        : { by: checkedBy, tried: comparison.tried, untried: comparison.untried + left, looser: comparison.looser },
  };
}

const MAX_LOOSER = 20;

/** The report for people. */
export function reportText(report: Report): string {
  const { plan, comparison, absent, title, checkedBy, left, repository } = report;
  const parts = PARTS.flatMap(([part, name]) => {
    const rules = rulesOf(report).filter((one) => one.part === part);
    return [`${name}: ${rules.length}`, ...rules.map(ruleLine), ""];
  });
  const change =
    plan.diff === ""
      ? []
      : [
          `This would be added to ${printable(plan.file)}${plan.isNew ? " (a new file)" : ""}${repository ? "" : ", for every workspace of yours"}:`,
          "",
          printable(plan.diff).trimEnd(),
          "",
        ];
  const checked =
    comparison === undefined
      ? [`Not checked: ${title} could not be asked (${printableLine(absent ?? "")}).`]
      : checkLines(comparison, checkedBy, left);
  return `${[...parts, ...change, ...checked].join("\n")}\n`;
}

const MAX_SHOWN = 100;

const SAYS = { allow: "allow", ask: "ask  ", deny: "deny " } as const;

function ruleLine({ rule, because }: ImportedRule): string {
  const line = `  ${SAYS[rule.verdict]} ${shortLine(printableLine(rule.text), MAX_SHOWN)}  ${printableLine(rule.where)}`;
  return because === "" ? line : `${line}\n        ${printableLine(because)}`;
}

function checkLines({ tried, untried, looser }: RuleComparison, checkedBy: string, left: number): readonly string[] {
  const skipped = untried + left === 0 ? "" : ` ${untried + left} more could not be tried.`;
  return [
    `Checked against ${checkedBy}: signalbox is looser on ${looser.length} of ${tried} calls.${skipped}`,
    ...looser
      .slice(0, MAX_LOOSER)
      .map(
        ({ call, theirs, ours, where }) =>
          `  ${shortLine(printableLine(call), MAX_SHOWN)}: ${theirs} there, ${ours} here${where === undefined ? "" : `  (${printableLine(where)})`}`,
      ),
    ...(looser.length > MAX_LOOSER ? [`  and ${looser.length - MAX_LOOSER} more`] : []),
  ];
}
