/** A rough count of the tokens of a text: one for every four bytes. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text, "utf8") / 4);
