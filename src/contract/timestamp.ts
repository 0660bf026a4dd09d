import * as z from "zod";

/** A moment in RFC 3339, read into UTC with `Z` and 0, 3, 6 or 9 digits of a second, as the contract writes it. */
export const Timestamp = z.string().transform((text, context) => {
  const moment = normaliseTimestamp(text);
  if (moment !== undefined) return moment;
  context.addIssue({ code: "custom", message: "must be a time such as 2026-01-31T12:00:00Z" });
  return z.NEVER;
});
export type Timestamp = z.infer<typeof Timestamp>;

// Second 60 is a leap second: it stays one.
const FORM =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt ](?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:\.(?<fraction>\d+))?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):?(?<minutes>[0-5]\d))$/;

function normaliseTimestamp(text: string): string | undefined {
  const parts = FORM.exec(text)?.groups ?? {};
  const { date = "", hour, minute, second, fraction = "", sign, hours = "0", minutes = "0" } = parts;
  const day = Date.parse(`${date}T00:00:00Z`);
  // A day that does not exist, such as 30 February, comes back as another one.
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const utc = new Date(day + (Number(hour) * 60 + Number(minute) - offset) * 60_000).toISOString();
  // Years outside 0 to 9999 have another form.
  return utc.length === 24 ? `${utc.slice(0, 17)}${second}${shortFraction(fraction)}Z` : undefined;
}

/** Nothing, milliseconds, microseconds or nanoseconds: the shortest that loses nothing. */
function shortFraction(digits: string): string {
  const nanoseconds = digits.slice(0, 9).padEnd(9, "0");
  const kept = nanoseconds.replace(/(?:000){1,3}$/, "");
  return kept === "" ? "" : `.${kept}`;
}
