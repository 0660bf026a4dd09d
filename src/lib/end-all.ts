import { messageOf } from "./message-of.ts";

/** Takes every step of an end in order, whatever the others do. A step that fails becomes a warning. */
export function endAll(steps: readonly (() => void)[], warn: (text: string) => void): void {
  for (const step of steps)
    try {
      step();
    } catch (error) {
      warn(`cleanup failed: ${messageOf(error)}`);
    }
}
