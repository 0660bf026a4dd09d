import { messageOf } from "./message-of.ts";

/** Runs every cleanup step in order, even if others fail. A failed step becomes a warning. */
export function endAll(steps: readonly (() => void)[], warn: (text: string) => void): void {
  for (const step of steps)
    try {
      step();
    } catch (error) {
      warn(`cleanup failed: ${messageOf(error)}`);
    }
}
