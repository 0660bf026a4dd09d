import { createReadStream, createWriteStream, readFileSync, rmSync } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
} from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { Objm, type ObjectStore } from "@nats-io/obj";
import {
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from "@nats-io/transport-node";
import { EXIT, messageOf, UserError } from "../lib/text/user-error.ts";
import { measureBlob, missingBlob, verifyBlob } from "./blobs.ts";
import type { Fleet } from "./port.ts";

export const QUEUE = "signalbox_queue";
export const RECEIPTS = "signalbox_receipts";

/** The streams and buckets of a fleet on a server. */
export interface NatsPlace {
  readonly connection: NatsConnection;
  readonly stream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** The orders by their id, with what became of them. */
  readonly orders: KV;
  /** The sets of needs that orders have, by their hash. */
  readonly needs: KV;
  /** Those that this process knows to be there. */
  readonly queued: Set<string>;
  readonly workers: KV;
  readonly files: ObjectStore;
}

/** Connects, and makes what is not there yet. Nothing newer than nats-server 2.9 is used. */
export async function openPlace(address: string, env: NodeJS.ProcessEnv): Promise<NatsPlace> {
  const connection = await connect(connectionOptions(address, env)).catch((cause: unknown) => {
    throw new UserError(`the fleet's server cannot be reached: ${messageOf(cause)}`, {
      where: `SIGNALBOX_FLEET=${withoutPassword(address)}`,
      fix: "start nats-server with JetStream (nats-server -js), or correct the address and the credentials",
      exitCode: EXIT.failed,
      cause,
    });
  });
  try {
    const stream = jetstream(connection, { timeout: TIMEOUT_MS });
    const manager = await jetstreamManager(connection, { timeout: TIMEOUT_MS });
    for (const [name, subject, retention] of [
      [QUEUE, "signalbox.queue.*.*", "workqueue"],
      [RECEIPTS, "signalbox.receipts.*", "limits"],
    ] as const)
      await manager.streams.add({
        name,
        subjects: [subject],
        retention,
        storage: "file",
        discard: "new",
        discard_new_per_subject: true,
        // The server itself refuses a second receipt of an order, and to queue one twice.
        max_msgs_per_subject: 1,
      });
    // A copy of the state that is behind would let a worker go on that has lost its lease.
    const bucket = async (name: string) =>
      await new Kvm(stream).create(`signalbox_${name}`, { history: 1, allow_direct: false });
    const [orders, needs, workers] = [await bucket("orders"), await bucket("needs"), await bucket("workers")];
    const files = await new Objm(stream).create("signalbox_files");
    return { connection, stream, manager, orders, needs, queued: new Set(), workers, files };
  } catch (cause) {
    await connection.close();
    throw new UserError(`the fleet's server has no JetStream for us: ${messageOf(cause)}`, {
      where: `SIGNALBOX_FLEET=${withoutPassword(address)}`,
      fix: "start it with JetStream (nats-server -js), and let this user create streams",
      exitCode: EXIT.failed,
      cause,
    });
  }
}

const TIMEOUT_MS = 5000;

const withoutPassword = (address: string) => address.replace(/\/\/[^@/]*@/, "//…@");

/** `nats://` or `tls://`, several with commas; a name and password, or a token, in front of the host. */
function connectionOptions(address: string, env: NodeJS.ProcessEnv): NodeConnectionOptions {
  const urls = address.split(",").map((part) => new URL(part.trim()));
  const [first] = urls;
  const user = decodeURIComponent(first?.username ?? "");
  const pass = decodeURIComponent(first?.password ?? "");
  const { SIGNALBOX_FLEET_CREDS: creds, SIGNALBOX_FLEET_NKEY: nkey, SIGNALBOX_FLEET_CA: caFile } = env;
  const isSecure = urls.some(({ protocol }) => protocol === "tls:");
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === "" ? "4222" : port}`),
    name: "signalbox",
    maxReconnectAttempts: -1,
    timeout: TIMEOUT_MS,
    ...(pass === "" ? (user === "" ? {} : { token: user }) : { user, pass }),
    ...(env["SIGNALBOX_FLEET_TOKEN"] === undefined ? {} : { token: env["SIGNALBOX_FLEET_TOKEN"] }),
    ...(creds === undefined ? {} : { authenticator: credsAuthenticator(readFileSync(creds)) }),
    ...(nkey === undefined ? {} : { authenticator: nkeyAuthenticator(Buffer.from(readFileSync(nkey, "utf8").trim())) }),
    ...(isSecure ? { tls: caFile === undefined ? {} : { caFile } } : {}),
  };
}

const WRONG_SEQUENCE = 10071;
const SUBJECT_TAKEN = 10077;

/** Somebody else changed the entry in between, or made it. */
export const isConflict = (error: unknown) => error instanceof JetStreamApiError && error.code === WRONG_SEQUENCE;

/** The stream has a message for this subject already. */
export const isTaken = (error: unknown) => error instanceof JetStreamApiError && error.code === SUBJECT_TAKEN;

/** Files in the object store, named by their content. */
export const filesIn = (files: ObjectStore): Pick<Fleet, "putBlob" | "getBlob"> => ({
  async putBlob(file) {
    const blob = measureBlob(file);
    const known = await files.info(blob.sha256);
    if (known === null || known.deleted || known.size !== blob.size) {
      // The library wants the stream of the web; ours is one at run time.
      const content = Readable.toWeb(createReadStream(file));
      await files.put({ name: blob.sha256 }, toBytes(content));
    }
    return blob;
  },
  async getBlob(blob, file) {
    const stored = await files.get(blob.sha256);
    if (stored === null) throw missingBlob(blob);
    try {
      await pipeline(Readable.from(readAll(stored.data)), atMost(blob.size), createWriteStream(file, { flags: "wx" }));
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    verifyBlob(file, blob);
  },
});

async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

const toBytes = (stream: AsyncIterable<unknown>): ReadableStream<Uint8Array> =>
  ReadableStream.from(
    (async function* () {
      for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
    })(),
  );

/** Nobody fills our disk with more than was announced. */
function atMost(size: number): Transform {
  let left = size;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? new Error("the content is larger, and not what its name says") : null, chunk);
    },
  });
}
