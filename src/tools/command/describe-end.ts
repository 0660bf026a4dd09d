import type { CommandEnd } from "./start-command.ts";

/** What a model must know about the end of a command; nothing when it went well and quickly. */
export function describeEnd(end: CommandEnd, milliseconds = 0): readonly string[] {
  const { code, signal, leftovers, stubborn, strays = [] } = end;
  const seconds = milliseconds > 10_000 ? [`took ${Math.round(milliseconds / 1000)} s`] : [];
  return [
    ...(signal !== null ? [`ended by ${signal}`] : code === 0 ? [] : [`exit code ${code ?? "unknown"}`]),
    ...seconds,
    ...(leftovers > 0 ? [`${leftovers} of its processes still ran and were ended; use mode async to keep them`] : []),
    ...(stubborn > 0 ? [`${stubborn} of its processes cannot be ended`] : []),
    ...strays.map((path) => `${path} may not be made and was removed`),
  ];
}
