/** Exit codes of `signalbox run`. The first that applies is used. */
export const RUN_EXIT = {
  /** Done, and accepted if a check was given. */
  done: 0,
  failed: 1,
  usage: 2,
  /** A required call was denied, or nobody could be asked. */
  denied: 3,
  /** The agent claimed to be done, but the acceptance check failed. */
  notAccepted: 4,
  limit: 5,
  noProgress: 6,
  /** The agent crashed or broke the protocol. */
  crashed: 7,
  /** The check passes only with the agent's own version of the files that decide it. */
  changedCheck: 8,
  /** A gate of our own agent never let it stop. */
  blocked: 9,
  notFound: 127,
  interrupted: 130,
} as const;
export type RunExit = (typeof RUN_EXIT)[keyof typeof RUN_EXIT];
