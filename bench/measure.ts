import { spawn } from "node:child_process";

export interface Subject {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Timing {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly runs: number;
}

/** Wall time of each subject, interleaved so that a noisy moment hits all of them. One round warms up and is not counted. */
export async function interleaved(subjects: readonly Subject[], rounds: number): Promise<Timing[]> {
  const times = subjects.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      const elapsed = await timed(subject);
      if (round > 0) times[index]?.push(elapsed);
    }
  }
  return subjects.map(({ name }, index) => summary(name, times[index] ?? []));
}

async function timed({ name, program, args, cwd, env }: Subject): Promise<number> {
  const started = performance.now();
  const child = spawn(program, args, { cwd, env: env ?? process.env, stdio: "ignore" });
  const code = await new Promise<number | null>((resolve, reject) => child.on("exit", resolve).on("error", reject));
  if (code !== 0) throw new Error(`${name} exited with ${code}`);
  return performance.now() - started;
}

function summary(name: string, times: readonly number[]): Timing {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (index: number) => Math.round((sorted[index] ?? Number.NaN) * 10) / 10;
  return {
    name,
    medianMs: at(Math.floor(sorted.length / 2)),
    minMs: at(0),
    maxMs: at(sorted.length - 1),
    runs: sorted.length,
  };
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
