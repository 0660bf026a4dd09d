import { normalise, type Stretch } from "./normalise.ts";
import type { Origin, View } from "./view.ts";

/** A view of text decoded from one stretch. Each of its characters maps to the whole stretch. */
export function decodedView(text: string, from: Stretch, origin: Origin): View {
  const { view } = normalise(text);
  const offsets = new Int32Array(view.text.length + 1).fill(from.start);
  offsets[view.text.length] = from.end;
  return { text: view.text, origin, offsets };
}
