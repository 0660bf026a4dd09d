import type { RunningCommand } from "./start-command.ts";

const MAX_KEPT = 20;

/** Commands that run on while the model does other things, by the names that it knows them by. */
export function keptCommands(live: ReadonlySet<RunningCommand>) {
  const kept = new Map<string, RunningCommand>();
  let count = 0;
  return {
    keep(running: RunningCommand): string {
      for (const [name, other] of kept) if (kept.size >= MAX_KEPT && !live.has(other)) kept.delete(name);
      if (kept.size >= MAX_KEPT) throw new Error(`${MAX_KEPT} commands run already; stop one first`);
      const name = `c${++count}`;
      kept.set(name, running);
      return name;
    },
    kept: (name: string) => kept.get(name),
    names: () => [...kept.keys()],
    forget: (name: string) => void kept.delete(name),
    clear: () => kept.clear(),
  };
}
