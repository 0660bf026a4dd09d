import { normalise, type Stretch } from "./normalise.ts";
import type { Origin, View } from "./view.ts";

/** A view of text that was decoded out of one stretch: every character of it points at the whole stretch. */
export function decodedView(text: string, from: Stretch, origin: Origin): View {
  const { view } = normalise(text);
  const offsets = new Int32Array(view.text.length + 1).fill(from.start);
  offsets[view.text.length] = from.end;
  return { text: view.text, origin, offsets };
}
