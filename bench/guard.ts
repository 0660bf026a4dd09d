import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeLine, namedPolicies } from "../src/guard/judge-line.ts";

const root = join(import.meta.dirname, "..");
const fixtures = join(root, "test/fixtures/guard");
const named = namedPolicies(JSON.parse(readFileSync(join(fixtures, "policies.json"), "utf8")));

/** Decisions a second over the mixed corpus, the worst hostile input, and the cold start of the small bundle. */
export function run(): void {
  throughput();
  hostile();
  coldStart();
}

function throughput(): void {
  const lines = ["shell-cases.jsonl", "path-net-cases.jsonl", "own-cases.jsonl"].flatMap((file) =>
    readFileSync(join(fixtures, file), "utf8")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  );
  const rounds: number[] = [];
  let times: number[] = [];
  for (let round = 0; round < 12; round++) {
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
  const at = (share: number) => ((sorted[Math.floor(sorted.length * share)] ?? 0) * 1000).toFixed(0);
  console.log(`guard: ${lines.length} mixed cases, one core`);
  console.log(
    `  decisions/s  median of 12 rounds ${middle(rounds).toFixed(0)}, best ${Math.max(...rounds).toFixed(0)}, first (cold) ${rounds[0]?.toFixed(0)}   goal 10000`,
  );
  console.log(`  one decision p50 ${at(0.5)} µs, p99 ${at(0.99)} µs, worst ${at(0.9999)} µs`);
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

function hostile(): void {
  const policy = { ref: "dev-default" };
  const results = Object.entries(SHAPES).flatMap(([name, piece]) =>
    ["", "cat ", "echo ok; "].map((start) => {
      const command = (start + piece.repeat(Math.ceil(65_536 / piece.length))).slice(0, 65_536);
      const times = Array.from({ length: 3 }, () => {
        const before = performance.now();
        judgeLine({ id: name, policy, tool: "Bash", input: { command } }, named);
        return performance.now() - before;
      });
      return { name: `${start}${name}`, time: middle(times) };
    }),
  );
  const worst = results.toSorted((a, b) => b.time - a.time).slice(0, 3);
  console.log(
    `  64 KiB of hostile input, ${results.length} shapes: worst ${worst.map(({ name, time }) => `${time.toFixed(1)} ms (${name})`).join(", ")}   goal 50 ms`,
  );
}

function coldStart(): void {
  const hook = join(root, "dist/hook.cjs");
  if (!existsSync(hook)) return console.log("  cold start: dist/hook.cjs is not built");
  const call = '{"tool_name":"Bash","tool_input":{"command":"git status"},"cwd":"/"}';
  const env = { PATH: process.env["PATH"], SIGNALBOX_HOME: mkdtempSync(join(tmpdir(), "bench-")) };
  const time = (argv: readonly string[]) => {
    const before = performance.now();
    spawnSync(process.execPath, argv, { input: call, env });
    return performance.now() - before;
  };
  const empty: number[] = [];
  const judged: number[] = [];
  for (let round = 0; round < 25; round++) {
    empty.push(time(["-e", "0"]));
    judged.push(time([hook]));
  }
  console.log(
    `  cold start   node -e 0 ${middle(empty).toFixed(1)} ms, hook.cjs ${middle(judged).toFixed(1)} ms, ratio of medians ${(middle(judged) / middle(empty)).toFixed(2)}, of minima ${(Math.min(...judged) / Math.min(...empty)).toFixed(2)}   goal 1.6`,
  );
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
