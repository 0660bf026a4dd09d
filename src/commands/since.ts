import { UserError } from "../lib/user-error.ts";

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The time that `--since` names, in milliseconds: a date, or an age such as 7d. 0 when it was not given. */
export function readSince(value: unknown, now: number = Date.now()): number {
  if (typeof value !== "string") return 0;
  const age = ageOf(value);
  if (age !== undefined) return now - age;
  const time = Date.parse(value);
  if (!Number.isNaN(time)) return time;
  throw new UserError(`${JSON.stringify(value)} is not a time`, {
    where: "--since",
    fix: "use an age such as 7d or 12h, or a date such as 2026-01-31 or 2026-01-31T12:00",
  });
}

/** The milliseconds of an age such as 30d. */
export function readAge(value: string, flag: string): number {
  const age = ageOf(value);
  if (age !== undefined) return age;
  throw new UserError(`${JSON.stringify(value)} is not an age`, {
    where: flag,
    fix: "use an age such as 30d, 12h or 4w",
  });
}

function ageOf(value: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(value) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 0);
}
