/** The signals that tell a program to end. Any such signal missing here would end us without cleanup. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
