/** One word for a POSIX shell, whatever is in it. */
export const shQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
