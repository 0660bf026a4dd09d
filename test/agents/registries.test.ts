import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { isOnPath } from "../support/is-on-path.ts";
import { REGISTRY_CLIENTS, type RegistryClient } from "../support/registries/clients.ts";
import { serveRegistry } from "../support/registries/serve-registry.ts";
import { SIGNALBOX } from "../support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";

const hasSandbox = isOnPath("bwrap");

const isMissing = ({ check: [program, args, output] }: RegistryClient) =>
  !output.test(spawnSync(program, args, { encoding: "utf8" }).stdout ?? "");

/** A throw-away home whose policy opens the given ports of this machine to commands in the sandbox. */
function scene({ files }: RegistryClient, ports: readonly number[]) {
  const cwd = tempRepository();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const home = tempFolder();
  mkdirSync(join(home, ".signalbox"), { mode: 0o700 });
  const allow = ports.map((port) => `host:${port}`);
  writeFileSync(
    join(home, ".signalbox/policy.yaml"),
    `version: 1\nextends: default\nnetwork: { allow: ${JSON.stringify(allow)} }\n`,
  );
  // The compilers that rustup manages lie in the person's own home.
  const rustup = process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup");
  return { cwd, env: { PATH: process.env["PATH"], HOME: home, RUSTUP_HOME: rustup } };
}

async function run(words: readonly string[], place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
  const [program = "", ...args] = words;
  const child = spawn(program, args, { ...place, stdio: ["ignore", "pipe", "pipe"] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

for (const client of REGISTRY_CLIENTS) {
  describe.skipIf(isMissing(client))(client.name, () => {
    test("installs a package from a registry on loopback", async () => {
      const { port, requests } = await serveRegistry(client.registry);
      const outcome = await run(["bash", "-c", client.command("127.0.0.1", port)], scene(client, []));
      expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining(client.greeting) });
      expect(requests.length).toBeGreaterThan(1);
    });

    test.skipIf(!hasSandbox)("does so from inside the sandbox, through the door", async () => {
      const { port, requests } = await serveRegistry(client.registry);
      const words = [SIGNALBOX, "sandbox", "--", "bash", "-c", client.command("host", port)];
      const outcome = await run(words, scene(client, [port]));
      expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining(client.greeting) });
      expect(requests.length).toBeGreaterThan(1);
    });

    test.skipIf(!hasSandbox)("cannot reach a port that the policy does not list", async () => {
      const { port, requests } = await serveRegistry(client.registry);
      const words = [SIGNALBOX, "sandbox", "--", "bash", "-c", client.command("host", port)];
      const { code, stderr } = await run(words, scene(client, []));
      expect([code === 0, requests]).toEqual([false, []]);
      expect(stderr).toContain(`blocked by the sandbox: host:${port}`);
    });
  });
}
