import { chmodSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemProgram } from "../lib/system-program.ts";
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
