/** A text for the model that fits one moment of a session. */
export interface JitRule {
  readonly name: string;
  /** Due when at most this percentage of the time is left. Never due without a time limit. */
  readonly percentLeft?: number;
  /** Due only while no path has changed since the session began. */
  readonly whenNoPathsChanged?: boolean;
  readonly text: string | (() => string);
}

/** What the rules look at. It is asked before each request, and only for what a waiting rule needs. */
export interface JitMoment {
  /** From 0 to 100; undefined without a time limit. */
  readonly percentLeft: () => number | undefined;
  readonly hasChangedPaths: () => Promise<boolean>;
}

/** A text that is due now. */
export interface JitText {
  readonly name: string;
  readonly text: string;
}

/** Our own rules. */
export const JIT_RULES: readonly JitRule[] = [
  {
    name: "nothing has changed yet",
    percentLeft: 50,
    whenNoPathsChanged: true,
    text: "Half of the time is used and no file has changed. If the task asks for a change, stop exploring and make it now. If it does not, answer with what you know.",
  },
  {
    name: "time is running out",
    percentLeft: 20,
    text: "Less than a fifth of the time is left. Finish what you have begun, make sure that it works, and say what is not done. Do not begin anything new.",
  },
];

/** Asks the rules before each request. Each gives its text at most once in a session. */
export function jitInstructions(rules: readonly JitRule[], moment: JitMoment): () => Promise<readonly JitText[]> {
  const waiting = new Set(rules);
  return async () => {
    const due: JitText[] = [];
    for (const rule of waiting) {
      if (!isLate(rule, moment)) continue;
      if (rule.whenNoPathsChanged === true && (await moment.hasChangedPaths())) continue;
      waiting.delete(rule);
      due.push({ name: rule.name, text: typeof rule.text === "string" ? rule.text : rule.text() });
    }
    return due;
  };
}

function isLate({ percentLeft: most }: JitRule, moment: JitMoment): boolean {
  if (most === undefined) return true;
  const left = moment.percentLeft();
  return left !== undefined && left <= most;
}
