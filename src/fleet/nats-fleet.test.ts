import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fleetConformance } from "../../test/support/fleet-conformance.ts";
import { natsProgram, startNats } from "../../test/support/nats-server.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { openNatsFleet } from "./nats-fleet.ts";
import { openPlace } from "./nats-place.ts";

/** What the server can answer once the connection is there again. */
async function soon<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!/timeout|responders|CONNECTION/i.test(String(error))) throw error;
      await sleep(50);
    }
  }
}

const SETTINGS = { leaseMs: 1000, witness: () => "lost", env: {} };

describe.skipIf(natsProgram === undefined)("the fleet on a NATS server", () => {
  fleetConformance(async () => {
    const { address } = await startNats();
    return async (settings) => await openNatsFleet({ ...settings, address, env: {} });
  });

  test("the server itself refuses a second receipt of an order", async () => {
    const { address } = await startNats();
    const place = await openPlace(address, {});
    const publish = async (text: string) => await place.stream.publish("signalbox.receipts.1", text);
    await publish("one");
    await expect(publish("two")).rejects.toThrow("maximum messages per subject exceeded");
    await place.connection.close();
  });

  test("what was queued and leased outlives a killed server", async () => {
    const server = await startNats();
    await using fleet = await openNatsFleet({ ...SETTINGS, leaseMs: 8000, address: server.address });
    for (const id of ["1", "2"])
      await fleet.submit({ id, document: `order ${id}`, needs: [], notBefore: 0, attempts: 3 });
    const offer = { worker: "w", meets: new Set<string>() };
    const first = await fleet.claim(offer);
    if (first === undefined) throw new Error("there was nothing to claim");
    await server.kill();
    await expect(fleet.heartbeat(first)).rejects.toThrow();
    await server.restart();
    expect(await soon(() => fleet.heartbeat(first))).toEqual({ state: "held", cancel: undefined });
    expect((await soon(() => fleet.claim(offer)))?.id).toBe("2");
    expect(await fleet.complete(first, "receipt")).toBe("accepted");
    expect((await fleet.receipts(0)).map(({ document }) => document)).toEqual(["receipt"]);
  });

  test("a file whose content is not what its name says is refused, and nothing stays of it", async () => {
    const { address } = await startNats();
    await using fleet = await openNatsFleet({ ...SETTINGS, address });
    const file = join(tempFolder(), "file");
    writeFileSync(file, "content");
    const blob = await fleet.putBlob(file);
    const place = await openPlace(address, {});
    await place.files.putBlob({ name: blob.sha256 }, Buffer.from("another"));
    await expect(fleet.getBlob(blob, `${file}.out`)).rejects.toThrow("is not what its name says");
    await place.files.putBlob({ name: blob.sha256 }, Buffer.alloc(100_000));
    await expect(fleet.getBlob(blob, `${file}.out`)).rejects.toThrow("not what its name says");
    await place.connection.close();
  });

  test("a token in the address or the environment opens a server, and a wrong one is a user error", async () => {
    const { address } = await startNats("--auth", "s3cret");
    await using fleet = await openNatsFleet({ ...SETTINGS, address: address.replace("//", "//s3cret@") });
    expect(await fleet.workers()).toEqual([]);
    const env = { SIGNALBOX_FLEET_TOKEN: "s3cret" };
    await using other = await openNatsFleet({ ...SETTINGS, address, env });
    expect(await other.workers()).toEqual([]);
    const wrong = openNatsFleet({ ...SETTINGS, address: address.replace("//", "//other@") });
    await expect(wrong).rejects.toMatchObject({ name: "UserError", where: expect.stringContaining("//…@127.0.0.1") });
  });

  test("a server that is not there is a user error", async () => {
    const server = await startNats();
    await server.kill();
    await expect(openNatsFleet({ ...SETTINGS, address: server.address })).rejects.toThrow("cannot be reached");
  });
});
