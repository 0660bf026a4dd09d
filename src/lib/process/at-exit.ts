const duties = new Set<() => void>();

/** Runs `duty` if the process exits before this is disposed: after a second signal, or an internal error. */
export function atExit(duty: () => void): Disposable {
  // One shared listener, because Node warns about many.
  if (duties.size === 0) process.once("exit", doAll);
  duties.add(duty);
  return {
    [Symbol.dispose]() {
      if (duties.delete(duty) && duties.size === 0) process.off("exit", doAll);
    },
  };
}

function doAll(): void {
  for (const duty of duties) duty();
}

/** The signals that tell a program to end. Any such signal missing here would end us without cleanup. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
