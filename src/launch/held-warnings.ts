interface HeldWarnings {
  readonly warn: (text: string) => void;
  /** From now on nothing is shown, because the agent draws on the whole terminal. */
  readonly hold: () => void;
  /** Shows what was held back. */
  readonly release: () => void;
}

const MAX_HELD = 100;

/** Warnings that can wait until the agent gives the terminal back. */
export function heldWarnings(warn: (text: string) => void): HeldWarnings {
  let held: Set<string> | undefined;
  return {
    warn: (text) => {
      if (held === undefined) warn(text);
      else if (held.size < MAX_HELD) held.add(text);
    },
    hold: () => void (held ??= new Set()),
    release() {
      const texts = held ?? [];
      held = undefined;
      for (const text of texts) warn(text);
    },
  };
}
