const duties = new Set<() => void>();

/** Does `duty` when the process exits before it is disposed of: after a second signal, or a fault of ours. */
export function atExit(duty: () => void): Disposable {
  // One listener for all: Node warns of many.
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
