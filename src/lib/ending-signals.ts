/** The signals by which people and systems tell a program to end. One that is left out of them ends us without cleaning up. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
