import { isDangerous } from "./dangerous-variables.ts";

/** Names of variables that hold secrets. */
const SECRET =
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|PAT|DSN)(?:_|$)|APIKEY|SSH_AUTH_SOCK/i;

/**
 * The user's environment without variables that load code or redirect a program, and without secrets, except those in
 * `keep`.
 */
export function cleanEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  keep: readonly string[] = [],
): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || isDangerous(name, { kinds: ["preload", "code", "redirect"] })) continue;
    if (keep.includes(name) || !SECRET.test(name)) clean[name] = value;
  }
  return clean;
}
