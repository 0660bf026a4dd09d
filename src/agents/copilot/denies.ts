import { readFileSync } from "node:fs";
import { systemProgram } from "../../lib/path/find-program.ts";

/** Flags with which Copilot's user denies tools. An `allow` of a hook would override them. */
export const DENY_FLAGS = ["--deny-tool", "--deny-url"];

const MAX_PARENTS = 32;

interface Caller {
  readonly parent: number;
  readonly words: readonly string[];
}

/** True when this process, or one above it, was started with such a flag. For sessions that we did not launch. */
export function copilotDenies(pid: number): boolean {
  const callerOf = process.platform === "linux" ? fromProc : fromPs();
  let at = pid;
  for (let count = 0; count < MAX_PARENTS && at > 1; count++) {
    const caller = callerOf(at);
    if (caller === undefined) return false;
    if (caller.words.some((word) => DENY_FLAGS.some((flag) => word === flag || word.startsWith(`${flag}=`))))
      return true;
    at = caller.parent;
  }
  return false;
}

function fromProc(pid: number): Caller | undefined {
  try {
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return { parent: Number(parent), words: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") };
  } catch {
    return undefined;
  }
}

function fromPs(): (pid: number) => Caller | undefined {
  // Loaded only here: this module would cost every hook 5 ms.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const words = ["-A", "-o", "pid=", "-o", "ppid=", "-o", "args="];
  const { stdout } = spawnSync(systemProgram("ps") ?? "/bin/ps", words, { encoding: "utf8", timeout: 5000 });
  const rows = new Map(
    stdout.split("\n").map((line): [number, Caller] => {
      const [pid, parent, ...rest] = line.trim().split(/\s+/);
      return [Number(pid), { parent: Number(parent), words: rest }];
    }),
  );
  return (pid) => rows.get(pid);
}
