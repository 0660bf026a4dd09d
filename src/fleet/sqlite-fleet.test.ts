import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { fleetConformance } from "../../test/support/fleet-conformance.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { openSqliteFleet } from "./sqlite-fleet.ts";

const SETTINGS = { leaseMs: 1000, witness: () => "lost" };

describe("the fleet of one machine", () => {
  fleetConformance(async () => {
    const folder = tempFolder();
    return async (settings) => openSqliteFleet({ ...settings, folder });
  });

  test.each([
    [0x6969, "NFS"],
    [0xff534d42 | 0, "CIFS"],
  ])("a folder on a network file system (%i) is refused with its name", (type, name) => {
    expect(() => openSqliteFleet({ ...SETTINGS, folder: tempFolder(), fileSystem: () => type })).toThrow(
      `a fleet's database is not safe on a network file system (${name})`,
    );
  });

  test("a lease from before a reboot is over at once, whatever the clock says", async () => {
    const folder = tempFolder();
    const place = { boot: "one", now: 5_000_000 };
    await using fleet = openSqliteFleet({ ...SETTINGS, folder, clock: () => place });
    const needs = { worker: "w", meets: new Set<string>() };
    await fleet.submit({ id: "1", document: "order", needs: [], notBefore: 0, attempts: 3 });
    expect((await fleet.claim(needs))?.attempt).toBe(1);
    place.now += 1000;
    expect(await fleet.claim(needs)).toBeUndefined();
    Object.assign(place, { boot: "two", now: 3 });
    expect((await fleet.claim(needs))?.attempt).toBe(2);
  });

  test("a database of a newer signalbox is left alone", () => {
    const folder = tempFolder();
    using database = new DatabaseSync(join(folder, "fleet.db"));
    database.exec("PRAGMA user_version = 2");
    expect(() => openSqliteFleet({ ...SETTINGS, folder })).toThrow("this fleet was made by a newer signalbox");
  });

  test("a stored file that was changed is refused", async () => {
    const folder = tempFolder();
    await using fleet = openSqliteFleet({ ...SETTINGS, folder });
    writeFileSync(join(folder, "in"), "good");
    const blob = await fleet.putBlob(join(folder, "in"));
    writeFileSync(join(folder, "blobs", blob.sha256.slice(0, 2), blob.sha256), "evil");
    await expect(fleet.getBlob(blob, join(folder, "out"))).rejects.toThrow("is not what its name says");
  });
});
