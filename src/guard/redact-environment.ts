/** A function that takes the values of secret-looking variables, and texts of the shape of a token, out of what is written down. */
export function environmentRedactor(
  environment: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const values = Object.entries(environment)
    .filter(
      ([name, value]) =>
        /key|token|secret|passw|credential|auth/i.test(name) && value !== undefined && value.length >= 8,
    )
    .flatMap(([, value]) => value ?? []);
  return (text) =>
    values.reduce((clean, value) => clean.replaceAll(value, "[redacted]"), text).replace(TOKEN_SHAPES, "[redacted]");
}

const TOKEN_SHAPES =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|sk-[\w-]{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|glpat-[\w-]{20,}|npm_\w{30,}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})\b|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----/g;
