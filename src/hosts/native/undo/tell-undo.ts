import type { Processor } from "../../../engine/processor.ts";

/** Tells the model, once and after the next prompt, that files or turns were taken back. */
export const tellUndo = (note: () => string | undefined): Processor => ({
  name: "undo",
  async *preRequest() {
    const text = note();
    if (text !== undefined) yield { type: "message", message: { role: "user", text, source: "state" } };
  },
});
