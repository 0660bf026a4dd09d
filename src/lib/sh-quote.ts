/** Quotes any text as one word for a POSIX shell. */
export const shQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
