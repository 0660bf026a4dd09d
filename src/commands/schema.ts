import * as z from "zod";
import { AgentEvent } from "../contract/agent-event.ts";
import { HostEnvelope, RuntimeEnvelope } from "../contract/envelope.ts";
import { PolicyFile } from "../contract/policy.ts";
import { Receipt } from "../contract/receipt.ts";
import { Statement } from "../contract/seal.ts";
import { WorkOrder } from "../contract/work-order.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import type { CommandModule } from "./command-module.ts";

/** The schemas of files and lines that others write, by the name that `signalbox schema` takes. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "work-order": WorkOrder,
  event: AgentEvent,
  receipt: Receipt,
  envelope: z.union([HostEnvelope, RuntimeEnvelope]),
  seal: Statement,
  policy: PolicyFile,
};

export const command: CommandModule = {
  firstWords: () => Object.keys(SCHEMAS),

  configure(schema) {
    schema
      .argument("[name]", `one of ${Object.keys(SCHEMAS).join(", ")}`)
      .addHelpText("after", "\nExamples:\n  signalbox schema work-order > work-order.schema.json");
  },
  async run({ words }) {
    const [name = ""] = words;
    const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
    if (schema === undefined)
      throw new UserError(name === "" ? "which schema?" : `unknown schema ${JSON.stringify(name)}`, {
        fix: `use one of: ${Object.keys(SCHEMAS).join(", ")}`,
      });
    const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    process.stdout.write(`${JSON.stringify({ title: name, ...json }, undefined, 2)}\n`);
    return EXIT.ok;
  },
};
