import { printable } from "../../lib/printable.ts";
import type { RecipeEvent } from "../run/run-parts.ts";
import type { StepStatus } from "../run/step-result.ts";

const MARKS: Readonly<Record<StepStatus, string>> = {
  completed: "✓",
  skipped: "⊘",
  failed: "✗",
  degraded: "⚠",
  blocked: "■",
};

const KINDS: Readonly<Record<string, string>> = { agent: " [agent]", recipe: " [recipe]", approval: " [approval]" };

/** The lines that show an event as a part of the tree of steps. */
export function progressLines(event: RecipeEvent): readonly string[] {
  switch (event.type) {
    case "warning":
      return [`  ! ${clean(event.message)}`];
    case "step-start": {
      const kind = KINDS[event.kind];
      return kind === undefined ? [] : [`${indent(event.key)}▶ ${name(event.key)}${kind}`];
    }
    case "step-end": {
      const { status, duration, error } = event.end.result;
      const time = event.isReused ? "done before" : `${duration.toFixed(1)} s`;
      const first = error === "" ? "" : `: ${clean(error).slice(0, 300)}`;
      return [`${indent(event.key)}${MARKS[status]} ${name(event.key)} (${time})${first}`];
    }
  }
}

const indent = (key: string) => "  ".repeat(key.split("/").length - 1 + (key.endsWith("]") ? 1 : 0));
const name = (key: string) => clean(key.split("/").at(-1) ?? key);
const clean = (text: string) => printable(text).replaceAll("\n", " ⏎ ");
