import { parseJson } from "../lib/parse-json.ts";
/** What is known about a response before its body is read. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

/**
 * A Response for the provider packages that avoids Node's own, which loads its whole fetch. Its body can be read once.
 */
export function smallResponse({ status, statusText, headers }: AnswerHead, body: AsyncIterable<Uint8Array>): Response {
  const stream = ReadableStream.from(body);
  const bytes = async () => new Uint8Array(Buffer.concat(await Array.fromAsync(stream)));
  const text = async () => new TextDecoder().decode(await bytes());
  return {
    status,
    statusText,
    headers,
    ok: status >= 200 && status < 300,
    type: "basic",
    url: "",
    redirected: false,
    body: stream,
    get bodyUsed() {
      return stream.locked;
    },
    bytes,
    text,
    json: async () => parseJson(await text()),
    arrayBuffer: async () => (await bytes()).buffer,
    blob: async () => new Blob([await bytes()]),
    formData: () => Promise.reject(new TypeError("a model's response is not form data")),
    clone: () => {
      throw new TypeError("a model's response can only be read once");
    },
  };
}
