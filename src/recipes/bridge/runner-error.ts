import { EXIT, UserError } from "../../lib/user-error.ts";
import { RECIPE_NOT_FOUND } from "../places/find-recipe.ts";

/** How the external runner is installed by hand. */
export const INSTALL_RUNNER = "cargo install --git https://github.com/rysweet/amplihack-recipe-runner";

interface RunnerAdvice {
  readonly where: string;
  readonly fix: string;
  readonly exitCode?: number;
  readonly cause?: unknown;
}

/** Scripts of the ancestor look for the names of its error classes, so they are part of the message. */
const named = (name: string, message: string) => `${name}: ${message}`;

/** The external runner is not installed, or the place that was named has no usable program. */
export class RustRunnerNotFoundError extends UserError {
  constructor(message: string, advice: RunnerAdvice) {
    super(named("RustRunnerNotFoundError", message), { exitCode: RECIPE_NOT_FOUND, ...advice });
  }
}

/** Somebody else could replace the runner. */
export class RustRunnerPermissionError extends UserError {
  constructor(message: string, advice: RunnerAdvice) {
    super(named("RustRunnerPermissionError", message), { exitCode: EXIT.failed, ...advice });
  }
}

/** The version of the runner is unknown, unparseable or too old. */
export class RustRunnerVersionError extends UserError {
  constructor(message: string, where: string) {
    super(named("RustRunnerVersionError", message), {
      where,
      fix: `update it: ${INSTALL_RUNNER} --force; or use --engine native`,
      exitCode: EXIT.failed,
    });
  }
}

/** The runner was started and did not give a result. */
export class RustRunnerRuntimeError extends UserError {
  constructor(message: string, advice: RunnerAdvice) {
    super(named("RustRunnerRuntimeError", message), { exitCode: EXIT.failed, ...advice });
  }
}
