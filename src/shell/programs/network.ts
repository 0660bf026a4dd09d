import { doubt, type Effect, outside } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { type Word, word } from "../model/word.ts";
import { type KnownProgram, OWN_FOLDER, type ProgramTable, sentWords } from "./known-program.ts";
import { OWN_REPOSITORY } from "./git-repository.ts";

const CURL =
  "-aBfgiIjJklLMnNOpqRsSvVZ0123464#: -A: -b: -c> -C: -d: -D> -e: -E< -F: -h: -H: -K< -m: -o> -P: -Q: -r: -t: -T< -u& -U& -w: -x@ -X: -y: -Y: -z: --data: --data-ascii: --data-binary: --data-raw: --data-urlencode: " +
  "--json: --form: --form-string: --header: --user-agent: --referer: --request: --output> --output-dir> --dump-header> --cookie: --cookie-jar> --config< --upload-file< --cert< --key< --cacert< --capath< " +
  "--url@ --proxy@ --user& --netrc --netrc-file< --unix-socket& --abstract-unix-socket& --resolve& --doh-url@ --socks5@ --preproxy@ --connect-to@ --interface: --max-time: --connect-timeout: --retry: --retry-delay: --write-out: --range: --trace> --trace-ascii> --stderr> --etag-save> --hsts> --libcurl> --engine&";

/** Connects to the hosts in its operands. */
function talks(options = ""): KnownProgram {
  return { options, operands: "@", open: true };
}

/** Programs that connect to other machines. */
export const NETWORK_PROGRAMS: ProgramTable = {
  curl: { options: CURL.replace("#: ", "# "), operands: "@", open: true, more: uploads },
  wget: {
    options:
      "-i< -o> -a> -O> -P> -e& --input-file< --output-file> --append-output> --output-document> --directory-prefix> --execute& --post-data: --post-file< --body-file< --body-data: --header: -U: --user-agent: -t: -T: --tries: --timeout: --method: --use-askpass! --config< --load-cookies< --save-cookies> --ca-certificate<",
    operands: "@",
    open: true,
  },
  nc: talks("-e! -c! -p: -s: -w: -x: -X:"),
  ncat: talks("-e! -c! --exec! --sh-exec! --lua-exec& -p: -s: -w:"),
  netcat: talks("-e! -c! -p: -s: -w:"),
  socat: talks(),
  telnet: talks(),
  ftp: talks(),
  sftp: { ...talks("-o& -b< -i< -F< -P: -S!"), operands: ":", more: (given) => connectsBySsh(given, "-P") },
  ssh: {
    options: "-o& -F< -i< -l: -p: -L& -R& -D& -J@ -W@ -b: -c: -e: -E> -m: -O: -Q: -S> -w:",
    operands: ":",
    style: "first",
    open: true,
    more: (given) => connectsBySsh(given, "-p"),
  },
  scp: { options: "-o& -F< -i< -P: -S! -J@ -c: -l:", operands: ":", open: true, more: (given) => copies(given, "-P") },
  rsync: {
    options:
      "-e! --rsh! --rsync-path! --files-from< --exclude: --exclude-from< --include: --include-from< --log-file> --password-file< --temp-dir> -T> --backup-dir> --partial-dir> --link-dest< --compare-dest< -f:",
    operands: ":",
    open: true,
    more: (given) => copies(given),
  },
  ping: talks("-c: -i: -s: -t: -W: -w: -I: -p:"),
  ping6: talks("-c: -i:"),
  traceroute: talks(),
  dig: talks("-f< -k< -t: -p: -b:"),
  nslookup: talks(),
  host: talks("-t:"),
  whois: talks("-h@ -p:"),
  getent: {
    options: "-s: --service:",
    operands: ":",
    more: (given) =>
      /^(?:a?hosts|ahostsv[46]|networks)/.test(given.operands[0]?.text ?? "")
        ? [{ kind: "network", word: given.operands[1] ?? word("") }]
        : [],
  },
  logger: { options: "-n@ -f< -p: -t: -P: --server@ --file< --priority: --tag: --port: -s -i", operands: ":" },
  mail: talks("-s: -a< -A<"),
  sendmail: talks(),
  aria2c: talks("-i< -d> -o>"),
  http: talks(),
  https: talks(),
  xh: talks(),
  lftp: talks("-e! -c! -f<"),
  openssl: {
    options: "",
    operands: "~",
    open: true,
    more: (given) =>
      /^s_(?:client|server)$/.test(given.operands[0]?.text ?? "")
        ? [{ kind: "network", word: connectTarget(given) }]
        : [doubt("crypto", "handles keys or files that are not checked")],
  },
  gh: {
    options:
      "-R: --repo: --json: -q: --jq: -t: --template: -L: --limit: -s: --state: -b: --body: -F: -f: -X: -H: --title: -B: --base: -A: --author: -l: --label: --body-file< --hostname@ --web? -w? -a: -c -d -e: -h: -j: -m: -p -r: -S: -u: --assignee: --app: --branch: --commit: --created: --user: --workflow: --event: --head: --search: --milestone: --mention: --comments --draft --patch --name-only --color: --required --watch --interval: -i: --fail-fast --log --log-failed --job: --attempt: --exit-status --verbose -v --all --exclude-drafts --exclude-pre-releases --order: -O: --sort: --conflict-status -c --yaml --ref: --visibility: --language: --topic: --source --fork --archived --no-archived --help --version",
    operands: "~",
    open: "asks",
    // It asks git about the repository.
    more: (given) => [OWN_REPOSITORY, ...sends(given), ...otherHost(given), ...sentWords(given, "part of the query")],
  },
  aws: {
    options: "--endpoint-url@ --profile: --region: --output: --query: --cli-input-json<",
    operands: "~",
    open: true,
    more: sends,
  },
  gcloud: { options: "--project: --format: --account:", operands: "~", open: true, more: sends },
  az: { options: "", operands: "~", open: true, more: sends },
  kubectl: {
    options:
      "-n: --namespace: -o: --output: -l: --selector: --context& --field-selector: --sort-by: -f~ --filename~ -k& --kustomize& --kubeconfig& --cluster& --user& -s& --server& --token& --as& --raw& --template: -L: -Aavrp -c: -w -f~ --all-namespaces --watch --watch-only --show-labels --show-kind --show-managed-fields --no-headers --ignore-not-found --chunk-size: --subresource: --output-watch-events --label-columns: --server-print= --recursive -R --show-events= --containers --sum --use-protocol-buffers --no-headers= --client --short --api-version: --request-timeout: --field-manager: -v:",
    operands: ":",
    open: "asks",
    more: clusterEffects,
  },
  helm: { options: "-f< --values< --kubeconfig< --post-renderer!", operands: "~", open: true, more: sends },
  docker: {
    options:
      "-H& --host& --config& -c: --context& -f: --filter: --format: -v& --volume& --mount& --privileged? --pid& --net& --network& -alnqsdtf --all --last: -n: --no-trunc --quiet --size --latest --digests --tree --follow --tail: --since: --until: --timestamps --details --type: --services --volumes --images --hash: --no-interpolate --no-normalize --no-path-resolution --no-consistency --resolve-image-digests --profiles --environment --variables --output> -o> --no-color --no-log-prefix --index: --orphans= --status: --project-name: --profile: --file< --env-file< --project-directory/ --version --help --dry-run",
    operands: ":",
    open: "asks",
  },
  "docker exec": {
    options: "-dit -u: -w: -e: --env: --env-file< --user: --workdir: --privileged?",
    operands: ":",
    style: "first",
    open: true,
    more: (given) => insideEffects(given.operands.slice(1)),
  },
  "kubectl logs": {
    options:
      "-fp -n: -c: -l: --namespace: --container: --selector: --context& --kubeconfig& --cluster& -s& --server& --follow --previous --tail: --since: --since-time: --timestamps --prefix --all-containers= --all-pods= --max-log-requests: --limit-bytes: --ignore-errors --pod-running-timeout: --insecure-skip-tls-verify-backend?",
    operands: ":",
    open: "asks",
    more: clusterEffects,
  },
  "kubectl exec": {
    options: "-it -n: -c: --namespace: --container: --context& --kubeconfig&",
    operands: ":",
    open: true,
    more: (given, words) => [
      ...clusterEffects(given),
      ...insideEffects(words.slice(words.findIndex(({ text }) => text === "--") + 1)),
    ],
  },
  terraform: {
    options:
      "-chdir/ -out> -var-file< -var: -state> -target: -backend-config: -plugin-dir< -lock-timeout: -parallelism: -from-module@ -json -no-color -input=* -lock=* -refresh=* -refresh-only -detailed-exitcode -compact-warnings -destroy -replace: -generate-config-out> -check -diff -list=* -write=* -recursive -raw -state< -no-tests -test-directory< -query: -concise -exclude: -show-sensitive -consolidate-warnings=* -consolidate-errors=* -version --version -help --help",
    operands: "~",
    style: "long",
    open: "asks",
    more: () => [OWN_FOLDER],
  },
};

/** A command in a container is judged like a local one. */
function insideEffects(words: readonly Word[]): readonly Effect[] {
  return words.length === 0 ? [] : [{ kind: "run", words, sure: false }];
}

/** Data given as `@file` or `name=@file` is read and sent. */
function uploads(given: Arguments): readonly Effect[] {
  return given.options.flatMap(({ name, value }): readonly Effect[] => {
    if (value === undefined || !/^(?:-d|-F|--data.*|--json|--form|-H|--header|-b|--cookie|-w|--write-out)$/.test(name))
      return [];
    const file = /^(?:[^=@]*[=@])?[@<]?([^;]+)/.exec(value.text)?.[1];
    return /(?:^|=)[@<]|^[^=@]+@/.test(value.text) && file !== undefined && file !== "-"
      ? [{ kind: "read", word: { ...value, text: file.replace(/^[@<]/, "") } }]
      : [];
  });
}

const SSH_PORT = 22;

/** The port of ssh and its relatives, by the option that names it. */
function sshPort(
  { options }: Arguments,
  option: string,
): { readonly port: number; readonly doubts: readonly Effect[] } {
  const text = options.findLast(({ name }) => name === option)?.value?.text ?? String(SSH_PORT);
  return /^\d{1,5}$/.test(text)
    ? { port: Number(text), doubts: [] }
    : { port: SSH_PORT, doubts: [doubt("option-value", `the value of ${option} is not a port`)] };
}

function connectsBySsh(given: Arguments, option: string): readonly Effect[] {
  const { port, doubts } = sshPort(given, option);
  return [...given.operands.slice(0, 1).map((word): Effect => ({ kind: "network", word, port })), ...doubts];
}

/** `host:path` is on another machine; anything else is a local path. */
function copies(given: Arguments, option = ""): readonly Effect[] {
  const { port, doubts } = sshPort(given, option);
  const remote = (operand: Word) => /^[^/]*:/.test(operand.text);
  const effects = given.operands.flatMap((operand, index): readonly Effect[] => {
    if (remote(operand))
      return /^[^/]*::|:\/\//.test(operand.text)
        ? [{ kind: "network", word: operand }]
        : [{ kind: "network", word: operand, port }, outside("your ssh keys", "needs your ssh keys")];
    return [{ kind: index === given.operands.length - 1 ? "write" : "read", word: operand }];
  });
  return [...effects, ...doubts];
}

function connectTarget(given: Arguments): Word {
  const at = given.strange.findIndex(({ text }) => text === "-connect");
  return given.operands[at === -1 ? 0 : 1] ?? word("");
}

/** Arguments that send a file to a service: `body=@file`, `fileb://file`. */
function sends(given: Arguments): readonly Effect[] {
  const values = [...given.operands, ...given.options.flatMap(({ value }) => value ?? [])];
  return [
    { kind: "network", word: undefined },
    ...values.flatMap((value): readonly Effect[] => {
      const file = /^(?:[\w.[\]-]+=)?@(.+)$|^fileb?:\/\/(.+)$/.exec(value.text);
      return file === null ? [] : [{ kind: "read", word: { ...value, text: file[1] ?? file[2] ?? "" } }];
    }),
  ];
}

/** `--repo HOST/owner/name` sends the authenticated request to another host. */
function otherHost(given: Arguments): readonly Effect[] {
  const named = given.options.flatMap(({ name, value }) => (/^(?:-R|--repo)$/.test(name) ? [value?.text ?? ""] : []));
  const operand = given.operands[0]?.text === "repo" ? given.operands.slice(2).map(({ text }) => text) : [];
  const other =
    named.some((text) => /^[^/]+\/[^/]+\/|:/.test(text)) ||
    operand.some((text) => /^[^/:]+\/[^/]+\/|^[^/]*@/.test(text));
  return other ? [doubt("other-host", "the repository is on another host")] : [];
}

function clusterEffects(given: Arguments): readonly Effect[] {
  if (given.operands[0]?.text === "version" && given.options.some(({ name }) => name === "--client")) return [];
  const secret = given.operands.some(({ text }) => /^secrets?(?:\/|$|,)|,secrets?\b/i.test(text));
  return [{ kind: "network", word: undefined }, ...(secret ? [doubt("secret-cluster", "shows cluster secrets")] : [])];
}
