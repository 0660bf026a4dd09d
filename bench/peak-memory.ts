import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 10;

/** Watches the largest process of a tree, on Linux, until the returned function is called. 0 where it cannot be known. */
export function watchMemory(pid: number): { peakMb(): number } {
  let peak = 0;
  const look = () => {
    for (const each of tree(pid)) peak = Math.max(peak, highWater(each));
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

/** The most kilobytes that a process ever held, as the kernel counts them. */
function highWater(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
