import { hasGlobFlaw } from "../lib/path/glob.ts";
import { UserError } from "../lib/text/user-error.ts";

/** A pattern of a flag. Throws a UserError for one that our patterns cannot express. */
export function readPattern(pattern: string, flag: string): string {
  if (pattern.trim() !== "" && !pattern.startsWith("!") && !hasGlobFlaw(pattern)) return pattern;
  throw new UserError(`${flag} does not understand the pattern ${JSON.stringify(pattern)}`, {
    where: flag,
    fix: `use *, ** and ?, for example ${flag} 'tests/**'`,
  });
}
