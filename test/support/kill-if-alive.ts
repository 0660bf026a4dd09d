import { errorCode } from "../../src/lib/text/user-error.ts";

/** Kills a process. It may have gone with one that was killed before it, such as the first one of a sandbox. */
export function killIfAlive(pid: number): void {
  // 0 and negative numbers name whole groups, and with them whoever runs the tests.
  if (!(pid > 1)) throw new Error(`not the id of a process: ${pid}`);
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
