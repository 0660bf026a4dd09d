import type { Message } from "../contract/message.ts";

const NOTE = "[an image was removed here: the request was too large]";

/** The history with every image replaced by a note; undefined when it holds none. */
export function withoutImages(history: readonly Message[]): readonly Message[] | undefined {
  const has = (images: readonly unknown[] | undefined) => images !== undefined && images.length > 0;
  let found = false;
  const stripped = history.map((message): Message => {
    if (message.role === "user" && has(message.images)) {
      found = true;
      return { role: "user", text: `${message.text}\n${NOTE}`, source: message.source };
    }
    if (message.role !== "tool" || !message.results.some((result) => has(result.images))) return message;
    found = true;
    const results = message.results.map(({ images, ...result }) =>
      has(images) ? { ...result, text: `${result.text}\n${NOTE}` } : result,
    );
    return { role: "tool", results };
  });
  return found ? stripped : undefined;
}
