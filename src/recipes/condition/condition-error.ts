/** A condition that cannot be parsed or evaluated. Positions count from 1. */
export class ConditionError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at position ${position})`);
    this.name = "ConditionError";
    this.position = position;
  }
}
