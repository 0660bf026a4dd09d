import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeLine, namedPolicies } from "../src/guard/judge-line.ts";
import { interleaved } from "./measure.ts";
import type { Suite } from "./suite.ts";

const root = join(import.meta.dirname, "..");
const fixtures = join(root, "test/fixtures/guard");
const named = namedPolicies(JSON.parse(readFileSync(join(fixtures, "policies.json"), "utf8")));

/** Decisions a second over the mixed corpus, the worst hostile input, and the cold start of the small bundle beside an empty Node. */
export const guard: Suite = async ({ quick }) => {
  const speed = throughput(quick ? 5 : 15);
  const worst = hostile();
  const cold = await coldStart(quick ? 5 : 25);
  return {
    rows: [
      { measure: "decisions per second, median round", value: speed.perSecond, goal: "≥ 10000" },
      { measure: "one decision, p50 µs", value: speed.p50, goal: "" },
      { measure: "one decision, p99 µs", value: speed.p99, goal: "" },
      {
        measure: `64 KiB of hostile input, worst of ${worst.shapes} shapes, ms (${worst.name})`,
        value: worst.ms,
        goal: "≤ 50",
      },
      { measure: "cold hook.cjs / node -e 0, medians", value: cold.ratio, goal: "≤ 1.6" },
      { measure: "cold hook.cjs / node -e 0, minima", value: cold.ratioOfMinima, goal: "" },
    ],
    result: { speed, worst, cold },
  };
};

function throughput(count: number) {
  const lines = ["shell-cases.jsonl", "path-net-cases.jsonl", "own-cases.jsonl"].flatMap((file) =>
    readFileSync(join(fixtures, file), "utf8")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  );
  const rounds: number[] = [];
  let times: number[] = [];
  for (let round = 0; round < count; round++) {
    times = [];
    const start = performance.now();
    for (const line of lines) {
      const before = performance.now();
      judgeLine(line, named);
      times.push(performance.now() - before);
    }
    rounds.push((lines.length / (performance.now() - start)) * 1000);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 1000);
  return {
    cases: lines.length,
    perSecond: Math.round(middle(rounds)),
    best: Math.round(Math.max(...rounds)),
    p50: at(0.5),
    p99: at(0.99),
  };
}

const SHAPES: Readonly<Record<string, string>> = {
  "nested substitutions": "$(",
  brackets: "(",
  "empty commands": "ls;",
  "many words": "ls a ",
  "long path": "../a/",
  quotes: "'a'",
  globs: "*a",
  braces: "{a,b}",
  backquotes: "`",
  variables: "$x",
  "here documents": "cat <<A\nx\nA\n",
  pipes: "a|",
  evals: "eval ",
  wrappers: "env ",
  xargs: "xargs ",
  assignments: "a=b ",
  growth: "x=$x$x;",
  loops: "for i in a b c d; do ",
  "shells in shells": "sh -c 'sh -c ",
  "double quotes": '"',
  "line ends": "\n",
  lists: "if ls; then ls; fi;",
  "sed scripts": "sed 's/a/b/;s/c/d/' f\n",
  "awk programs": "awk '{print $1}' f\n",
  arrays: "a=(b c) ",
  comments: "# x\n",
  continuation: "\\\n",
  tildes: "~/",
  process: "<(ls) ",
};

function hostile() {
  const results = Object.entries(SHAPES).flatMap(([name, piece]) =>
    ["", "cat ", "echo ok; "].map((start) => {
      const command = (start + piece.repeat(Math.ceil(65_536 / piece.length))).slice(0, 65_536);
      const times = Array.from({ length: 5 }, () => {
        const before = performance.now();
        judgeLine({ id: name, policy: { ref: "dev-default" }, tool: "Bash", input: { command } }, named);
        return performance.now() - before;
      });
      return { name: `${start}${name}`, ms: middle(times) };
    }),
  );
  const worst = results.reduce((one, other) => (other.ms > one.ms ? other : one));
  return { shapes: results.length, name: worst.name, ms: Math.round(worst.ms * 10) / 10 };
}

async function coldStart(rounds: number) {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const env = { PATH: process.env["PATH"], SIGNALBOX_HOME: join(cwd, ".signalbox") };
  const call = JSON.stringify({ tool_name: "Bash", tool_input: { command: "git status" }, cwd });
  const node = { program: process.execPath, cwd, env };
  const [empty, hook] = await interleaved(
    [
      { ...node, name: "node -e 0", args: ["-e", "0"] },
      { ...node, name: "hook.cjs", args: [join(root, "dist/hook.cjs"), call] },
    ],
    rounds,
  );
  rmSync(cwd, { recursive: true });
  const ratio = (one = Number.NaN, other = Number.NaN) => Math.round((one / other) * 100) / 100;
  return {
    empty,
    hook,
    ratio: ratio(hook?.medianMs, empty?.medianMs),
    ratioOfMinima: ratio(hook?.minMs, empty?.minMs),
  };
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
