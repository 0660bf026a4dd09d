import { UserError } from "../../lib/user-error.ts";

/** Variables that decide what runs, where rules are found, or whose processes are whose. */
const REFUSED =
  /^(?:SIGNALBOX_.*|AMPLIHACK_.*|ABP_.*|PATH|HOME|TMPDIR|SHELL|ENV|BASH_ENV|BASH_FUNC_.*|PROMPT_COMMAND|IFS|NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|NODE_PATH|LD_.*|DYLD_.*|PERL5OPT|RUBYOPT|PYTHONSTARTUP|PYTHONPATH|SHELLOPTS|BASHOPTS|PS4|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|GIT_.*)$/i;

/** An order may set variables for its work, but none that would take it out of the rules. */
export function checkOrderEnvironment(env: Readonly<Record<string, string>>): void {
  const refused = Object.keys(env).filter((name) => REFUSED.test(name));
  if (refused.length === 0) return;
  throw new UserError(`an order may not set ${refused.join(", ")}`, {
    where: "config.env",
    fix: "set it in the environment of signalbox itself, if it is meant to hold",
  });
}
