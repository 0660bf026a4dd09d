import { isDangerous } from "./dangerous-variables.ts";

/** Words in the names of variables that hold secrets, between underscores. */
export const SECRET_WORDS: readonly string[] =
  "KEY TOKEN SECRET PASSWORD PASSWD PASSPHRASE CREDENTIAL CREDENTIALS AUTH COOKIE PAT DSN".split(" ");

/** Secrets wherever they stand in a name. */
export const SECRET_PARTS: readonly string[] = ["APIKEY", "SSH_AUTH_SOCK"];

const SECRET = new RegExp(`(?:^|_)(?:${SECRET_WORDS.join("|")})(?:_|$)|${SECRET_PARTS.join("|")}`, "i");

/** Git settings by number. A key looks like a secret and a value may be one; git fails where only some are there. */
const GIT_SETTINGS = /^GIT_CONFIG_(?:COUNT$|KEY_|VALUE_)/;

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
    if (keep.includes(name) || !(SECRET.test(name) || GIT_SETTINGS.test(name))) clean[name] = value;
  }
  return clean;
}
