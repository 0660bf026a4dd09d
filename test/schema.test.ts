import { expect, test } from "vitest";
import * as z from "zod";
import { signalbox } from "./support/run-signalbox.ts";

test.each(["work-order", "event", "receipt", "envelope", "seal", "policy"])(
  "schema %s is a JSON Schema",
  async (name) => {
    const { code, stdout, stderr } = await signalbox(["schema", name]);
    expect([code, stderr]).toEqual([0, ""]);
    const schema = z.looseObject({ title: z.string(), $schema: z.string() }).parse(JSON.parse(stdout));
    expect(schema.title).toBe(name);
    // The way back is the test of its form.
    z.fromJSONSchema(z.record(z.string(), z.json()).parse(schema));
  },
);

test("a schema that is not there is a usage error that names those that are", async () => {
  const { code, stderr } = await signalbox(["schema", "nothing"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("work-order, event, receipt")]);
});
