import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";

/** Prints information about the machine and does nothing else. */
const SAYS: KnownProgram = { options: "", operands: ":", open: true };

function asks(code: string, because: string): KnownProgram {
  return { options: "", operands: "~", open: true, more: () => [doubt(code, because)] };
}

const PERSISTS = asks("persists", "starts something that keeps running after the call");
const ESCALATES = asks("escalates", "runs with different privileges");
const DESTROYS = asks("destroys", "destroys data or shuts the machine down");

/** Programs for the machine, its services, its users, and printing to the terminal. */
export const SYSTEM_PROGRAMS: ProgramTable = {
  ...each(
    "whoami id uname nproc arch uptime pwd true false sleep seq yes tty logname groups locale sw_vers lsb_release free expr factor numfmt cal wait",
    SAYS,
  ),
  ...each("shasum md5sum sha1sum sha512sum cksum sum", {
    options:
      "-bctwzrs -a: --algorithm: --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --untagged --raw --base64 --length: -l: --debug --help --version",
    operands: "<",
  }),
  hostname: {
    options:
      "-aAdfiIsy -F? --all-fqdns --all-ip-addresses --alias --domain --fqdn --long --ip-address --short --yp --nis --file? --help --version -V -h",
    operands: "?",
  },
  top: { options: "-bcHiSs1 -n: -d: -p: -u: -U: -o: -w= -l: -E: -e: -stats: -h -v --help --version", operands: ":" },
  lsof: { options: "-abCGhlnNOPRtUvVwXx -c: -d: -F= -g= -i= -o= -p: -r= -s= -S= -T= -u: -f= -K= -Q -q", operands: "<" },
  netstat: {
    options:
      "-46abcdeFghiLlmMnNoprRsStTuUvVwWxzZ -A: -f: -I: --numeric --listening --tcp --udp --all --program --route --interfaces --statistics --wide --extend --continuous --help --version",
    operands: ":",
  },
  ss: {
    options:
      "-046abehHilmMnoOpQrsStTuVwxzZ -A: -f: -D> -F< -K? -N& --numeric --resolve --all --listening --options --extended --memory --processes --info --summary --tcp --udp --raw --unix --ipv4 --ipv6 --no-header --oneline --family: --query: --socket: --diag> --filter< --kill? --net& --help --version",
    operands: ":",
  },
  pgrep: {
    options:
      "-acfilnovwxALq -d: -F< -g: -G: -O: -P: -r: -s: -t: -u: -U: --full --list-name --list-full --exact --newest --oldest --inverse --count --delimiter: --parent: --euid: --uid: --group: --pgroup: --session: --terminal: --older: --pidfile< --ignore-case --runstates: --ns: --nslist: --lightweight --help --version -V -h",
    operands: ":",
  },
  echo: { options: "", operands: ":", open: true, more: () => [] },
  printf: {
    options: "-v:",
    operands: ":",
    open: true,
    more: (given) =>
      given.options.some(({ value }) => /\[/.test(value?.text ?? ""))
        ? [doubt("subscript", "a subscript is evaluated as code")]
        : [],
  },
  date: {
    options:
      "-uR -d: -f< -r< -I= -s? -v: -j -n --date: --file< --iso-8601= --reference< --rfc-3339: --rfc-email --set? --utc --universal --debug --help --version",
    operands: ":",
  },
  which: { options: "-as --all --help --version", operands: ":" },
  whereis: { options: "-bmsu", operands: ":" },
  man: {
    options:
      "-afkwWK7 -s: -S: -k: -f: -P! -H! -C& -M& -T& -X& -p& -E: -L: --pager! --html! --config-file& --manpath& --troff-device& --preprocessor& --where --path --help --version --no-hyphenation --sections:",
    operands: "~",
  },
  help: { options: "-dms", operands: ":" },
  info: asks("pager", "a pager can start a shell"),
  ps: { ...SAYS, more: (_, words) => processEffects(words) },
  kill: { options: "", operands: ":", open: true },
  env: asks("secret-environment", "shows environment variables, which may hold secrets"),
  printenv: asks("secret-environment", "shows environment variables, which may hold secrets"),
  ...each("crontab at batch systemctl service launchctl systemd-run initctl update-rc.d chkconfig loginctl", PERSISTS),
  ...each(
    "su sudo doas pkexec runuser chroot unshare nsenter setpriv capsh newgrp sg passwd useradd usermod visudo gpasswd chsh chfn setcap",
    ESCALATES,
  ),
  ...each(
    "mkfs shutdown reboot halt poweroff init fdisk parted wipefs mount umount swapoff sysctl insmod modprobe rmmod iptables nft ufw",
    DESTROYS,
  ),
  mkfs: DESTROYS,
  gpg: asks("crypto", "handles encryption keys"),
  ...each("open xdg-open start", asks("opens", "opens a file or page in another program")),
  osascript: asks("opaque-code", "controls other programs"),
  security: asks("secret-store", "reads the keychain"),
  "secret-tool": asks("secret-store", "reads the keyring"),
  pass: asks("secret-store", "reads the password store"),
  history: {
    options: "",
    operands: "",
    whole: () => [doubt("history", "the history may contain secrets and can be written anywhere")],
  },
  test: { options: "", operands: "", whole: testEffects },
  "[": {
    options: "",
    operands: "",
    whole: (words) =>
      words.at(-1)?.text === "]" ? testEffects(words) : [doubt("syntax", "the test has no closing ]")],
  },
  "[[": { options: "", operands: "", whole: () => [] },
};

function each(names: string, program: KnownProgram): Record<string, KnownProgram> {
  return Object.fromEntries(names.split(" ").map((name) => [name, program]));
}

/** `ps e` and `ps -E` show the environments of other processes. */
function processEffects(words: Arguments["operands"]): readonly Effect[] {
  const shows = words.some(({ text }, index) => {
    if (/^-\w*E/.test(text)) return true;
    const value = /^-\w*[oOpuUCgGtqsN]$|^--\w+$/.test(words[index - 1]?.text ?? "");
    return !value && /^[a-zA-Z]*e[a-zA-Z]*$/.test(text);
  });
  return shows || words.some(({ text }) => /\benviron\b/.test(text))
    ? [doubt("secret-environment", "shows the environment of processes")]
    : [];
}

/** Tests inspect files; `-v` evaluates a subscript as code. */
function testEffects(words: Arguments["operands"]): readonly Effect[] {
  return words.flatMap((current, index): readonly Effect[] => {
    if (current.text === "-v" || current.text === "-R") return [doubt("subscript", "a subscript is evaluated as code")];
    return /^-[abcdefghknprstuwxGLNOSo]$|^-[no]t$|^-ef$/.test(words[index - 1]?.text ?? "") &&
      !/^-[nz]$/.test(words[index - 1]?.text ?? "")
      ? [{ kind: "read", word: current }]
      : [];
  });
}
