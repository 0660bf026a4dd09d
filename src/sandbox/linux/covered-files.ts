import { chmodSync, closeSync, openSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { systemProgram } from "../../lib/path/find-program.ts";
import type { CoveredFile } from "./session-argv.ts";

const REACH_INSIDE = "/run/signalbox/reach";

/**
 * ssh knows no proxy variables, and nobody inside looks up names. So its settings for the whole system name a program
 * that asks the network door, which connects it or says why not. Everything that starts ssh gets this: git, scp, make.
 */
export function sshThroughDoor(folder: string, settings = "/etc/ssh/ssh_config"): readonly CoveredFile[] {
  const own = readSettings(settings);
  const bash = systemProgram("bash");
  if (own === undefined || bash === undefined) return [];
  const reach = join(folder, "reach");
  const config = join(folder, "ssh_config");
  writeFileSync(reach, `#!${bash}\n${REACH}`);
  chmodSync(reach, 0o755);
  writeFileSync(config, `${PROXY}${own.text}`);
  chmodSync(config, 0o644);
  return [
    { source: reach, path: REACH_INSIDE },
    { source: config, path: own.path },
  ];
}

/** The sandbox's own loopback needs no door. The first value that ssh finds counts. */
const PROXY = `Host * !localhost !127.* !::1\n  ProxyCommand ${REACH_INSIDE} %h %p\nHost *\n`;

const MAX_SETTINGS = 256 * 1024;

function readSettings(path: string) {
  try {
    const { size } = statSync(path);
    return size > MAX_SETTINGS ? undefined : { path: realpathSync(path), text: readFileSync(path, "utf8") };
  } catch {
    // ssh is not installed, or has no such file to cover.
    return undefined;
  }
}

/** bash reads a socket byte by byte, so nothing of what follows the answer is lost. */
const REACH = `# Connects ssh to a host through the network door of a signalbox session.
host=$1 port=$2
case $host in *:*) host="[$host]" ;; esac
refuse() { printf '%s\\n' "$1" >&2; exit 1; }
[[ \${http_proxy-} =~ ^http://([^@]*)@([^:/]*):([0-9]+)$ ]] ||
  refuse "blocked by the sandbox: $host:$port, because network.mode is none. To run it outside: signalbox outside -- CMD"
login=$(printf %s "\${BASH_REMATCH[1]}" | base64)
exec 3<>"/dev/tcp/\${BASH_REMATCH[2]}/\${BASH_REMATCH[3]}" || exit 1
printf 'CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\nProxy-Authorization: Basic %s\\r\\n\\r\\n' "$host:$port" "$host:$port" "\${login//$'\\n'/}" >&3
IFS= read -r status <&3
said="the network door does not answer"
while IFS= read -r line <&3; do
  line=\${line%$'\\r'}
  case $line in X-Signalbox:*) said=\${line#*: } ;; '') break ;; esac
done
case $status in 'HTTP/1.1 200 '*) ;; *) refuse "$said" ;; esac
cat <&3 &
exec cat >&3
`;

const SOCKET = "engine";

const MAX_CONNECTIONS = 32;

/** In the place of the container engine's socket: answers every request with the reason why there is none inside. */
interface RefusedEngine extends Disposable {
  readonly covered: readonly CoveredFile[];
}

const REFUSAL =
  "blocked by the sandbox: the container engine, which could reach everything on this machine. To run it outside: signalbox outside -- CMD";

/** Starts to listen in a session's folder, if this machine has a client that would ask. */
export async function openRefusedEngine(
  folder: string,
  onRefused: (text: string) => void,
  client = systemProgram("docker"),
): Promise<RefusedEngine> {
  if (client === undefined) return { covered: [], [Symbol.dispose]: () => undefined };
  const server = createServer((request, response) => {
    request.resume();
    // Clients ask for the version first, and do not show what that answers.
    if (request.url?.endsWith("/_ping") !== true) onRefused(REFUSAL);
    response.writeHead(403, { "Content-Type": "application/json", Connection: "close" });
    response.end(JSON.stringify({ message: REFUSAL }));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("clientError", (_, socket) => socket.destroy());
  // Through a descriptor, because a socket's path may be at most 107 bytes long.
  const descriptor = openSync(folder, "r");
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(`/proc/self/fd/${descriptor}/${SOCKET}`, resolve);
    });
  } finally {
    closeSync(descriptor);
  }
  server.unref();
  return {
    covered: [{ source: join(folder, SOCKET), path: "/run/docker.sock" }],
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
