/** Exit codes of `signalbox run`, the first that applies. */
export const RUN_EXIT = {
  /** Done, and accepted where a check was given. */
  done: 0,
  failed: 1,
  usage: 2,
  /** A needed call was denied, or nobody could be asked. */
  denied: 3,
  /** Claimed done, and the acceptance check failed. */
  notAccepted: 4,
  limit: 5,
  noProgress: 6,
  /** The agent crashed or broke the protocol. */
  crashed: 7,
  notFound: 127,
  interrupted: 130,
} as const;
export type RunExit = (typeof RUN_EXIT)[keyof typeof RUN_EXIT];
