import { expect, test } from "vitest";
import { DANGEROUS_VARIABLES } from "../../lib/process/dangerous-variables.ts";
import { checkOrderEnvironment } from "./read-order.ts";

test("an order may set no variable that loads code into a program or redirects it, in any case of letters", () => {
  const names = DANGEROUS_VARIABLES.map(({ name }) => name.replace("*", "ANYTHING")).flatMap((name) => [
    name,
    name.toLowerCase(),
  ]);
  for (const name of [...names, "PATH", "HOME", "IFS", "SIGNALBOX_HOME"])
    expect(() => checkOrderEnvironment({ KEPT: "1", [name]: "x" })).toThrow(`an order may not set ${name}`);
});

test("an order may set what is left", () => {
  for (const name of ["CI", "NODE_ENV", "LANG", "DATABASE_URL", "ENVIRONMENT", "LDAP_HOST", "GITHUB_ACTIONS"])
    expect(() => checkOrderEnvironment({ [name]: "x" })).not.toThrow();
});
