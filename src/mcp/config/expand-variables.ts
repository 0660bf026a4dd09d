type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** `${NAME}` and `${NAME:-default}` replaced by the user's variables. Throws for one that is not set. */
export function expandVariables(text: string, environment: Environment): string {
  return text.replace(VARIABLE, (_, name: string, otherwise: string | undefined) => {
    const value = environment[name];
    if (value !== undefined && value !== "") return value;
    if (otherwise !== undefined) return otherwise;
    throw new Error(`the variable ${name} is not set`);
  });
}
