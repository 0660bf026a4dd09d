/** A rule for one argv, as `guard allow` writes it. */
export interface AddedRule {
  readonly id: string;
  readonly argv: readonly string[];
  /** False for a rule about every command that begins with these words. */
  readonly exact: boolean;
  readonly because: string;
  /** False for a command that has to run outside the sandbox. */
  readonly contained?: false | undefined;
  /** Hosts, `NAME:PORT`, that it may reach. */
  readonly hosts?: readonly string[] | undefined;
}

/** What is added to a policy file. Roots are whole lists, because a file's roots replace those of the preset. */
export interface PolicyAddition {
  readonly rules: readonly AddedRule[];
  readonly hosts: readonly string[];
  readonly readRoots: readonly string[];
  readonly writeRoots: readonly string[];
  readonly variables: readonly string[];
}

export const NOTHING_ADDED: PolicyAddition = { rules: [], hosts: [], readRoots: [], writeRoots: [], variables: [] };
