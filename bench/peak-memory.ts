import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 10;

/** Watches what all processes of a tree hold together, on Linux, until `peakMb` is called. 0 where it cannot be known. */
export function watchMemory(pid: number): { peakMb(): number } {
  let peak = 0;
  const look = () => {
    peak = Math.max(
      peak,
      tree(pid).reduce((sum, each) => sum + resident(each), 0),
    );
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    peakMb() {
      clearInterval(timer);
      return peak / 1024;
    },
  };
}

function tree(pid: number): readonly number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(tree)];
  } catch {
    return [pid];
  }
}

/** The kilobytes that a process holds now, with its share of what others hold as well. */
function resident(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
