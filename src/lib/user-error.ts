/** Signalbox's own exit codes. An agent's exit status is passed through unchanged. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  fault: 70,
  notRunnable: 126,
  notFound: 127,
} as const;

interface Advice {
  /** The file, flag or variable that contains the mistake. */
  readonly where?: string;
  /** What the person can do about it. */
  readonly fix: string;
  readonly exitCode?: number;
  readonly cause?: unknown;
  /** Set when no model was chosen or its key is missing, for programs that can ask the user for it. */
  readonly isAboutAccess?: true;
}

/** A mistake that the user can fix. Printed only by cli.ts. */
export class UserError extends Error {
  readonly where: string | undefined;
  readonly fix: string;
  readonly exitCode: number;
  readonly isAboutAccess: boolean;

  constructor(message: string, advice: Advice) {
    super(message, { cause: advice.cause });
    this.name = "UserError";
    this.where = advice.where;
    this.fix = advice.fix;
    this.exitCode = advice.exitCode ?? EXIT.usage;
    this.isAboutAccess = advice.isAboutAccess === true;
  }
}

/** Recognized by its shape, because a verb that is loaded later has its own copy of the class. */
export function isUserError(error: unknown): error is UserError {
  return error instanceof Error && error.name === "UserError" && "fix" in error && "exitCode" in error;
}
