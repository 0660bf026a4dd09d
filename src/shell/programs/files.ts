import { isBelow, realPath } from "../../lib/path/real-path.ts";
import { doubt, type Effect, question } from "../model/effect.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";
import { archiveEffects, zipEffects } from "./archives.ts";
import { findEffects } from "./find.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";
import { type Arguments, transferEffects } from "./options.ts";
import { keptAs } from "./second-names.ts";

const HELP = "--help --version";

const withKept = (effects: readonly Effect[], given: Arguments) => [...effects, ...keptAs(effects, given)];

const LINKS = /^(?:-[sld]|-P|--link|--symbolic-link|--no-dereference|--preserve)$/;

const RECURSIVE = /^(?:-[raR]|--recursive|--archive)$/;

const COMMON =
  "-cdfklnNqrtvzV0123456789 --stdout --to-stdout --decompress --uncompress --compress --force --keep --list --recursive --test --quiet --verbose --fast --best --no-name --name --help --version";

const PRINTS = /^(?:-[clt]|--(?:stdout|to-stdout|list|test))$/;

const ENDING = /\.(?:gz|bz2|xz|lzma|zst|lz4|Z)$/;

const SUFFIX = /^(?:-S|--suffix)$/;

const XZ = "-T: -S: -M: --threads: --suffix: --memlimit: --extreme -e --check: --single-stream --no-sparse";

const ZSTD =
  "-o> -D< -T: --threads: --long= --ultra --rm --no-progress --adapt --output-dir-flat> --output-dir-mirror>";

const PACKERS: readonly (readonly [names: string, program: KnownProgram])[] = [
  ["gzip pigz", compressor("-S: --suffix: --rsyncable")],
  ["gunzip unpigz", compressor("-S: --suffix:", true)],
  ["bzip2 bunzip2", compressor("-s --small")],
  ["xz unxz lzma unlzma", compressor(XZ)],
  ["zstd unzstd", compressor(ZSTD)],
  ["lz4 unlz4", compressor("-m --multiple --rm")],
  ["compress uncompress", compressor("-b:")],
];

/** Programs that pack or unpack single files. */
const COMPRESSORS: ProgramTable = {
  ...Object.fromEntries(
    PACKERS.flatMap(([names, program]) => names.split(" ").map((name): [string, KnownProgram] => [name, program])),
  ),
  ...Object.fromEntries(
    ["zcat", "gzcat", "bzcat", "xzcat", "lzcat", "zstdcat", "lz4cat"].map((name) => [
      name,
      { options: "-cfhlnqrtv --force --quiet --verbose --help --version", operands: "<" },
    ]),
  ),
};

/** Programs whose operands are files and folders. */
export const FILE_PROGRAMS: ProgramTable = {
  ls: {
    options:
      "-aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1 -I: -T: -w: --all --almost-all --author --escape --block-size: --ignore-backups --color= --directory --dired --classify= --file-type " +
      `--format: --full-time --group-directories-first --no-group --human-readable --si --dereference --dereference-command-line --hide: --hyperlink= --indicator-style: --inode --ignore: --kibibytes --numeric-uid-gid --literal --quote-name --quoting-style: --reverse --recursive --size --sort: --time: --time-style: --tabsize: --width: --zero ${HELP}`,
    operands: "<",
  },
  stat: {
    options: `-LftxsF -c: -f: -t: --dereference --file-system --cached: --format: --printf: --terse ${HELP}`,
    operands: "<",
  },
  file: {
    options: `-bcdDEhikklLnNprsSvzZ0 -e: -f< -F: -m< -P: -C? --brief --mime --mime-type --mime-encoding --dereference --no-dereference --files-from< --magic-file< --separator: --exclude: --extension --keep-going --uncompress --raw --print0 --compile? ${HELP}`,
    operands: "<",
  },
  du: {
    options: `-abcDhHklLmPsSx0 -B: -d: -t: -X< --all --apparent-size --block-size: --bytes --total --dereference --max-depth: --files0-from< --human-readable --inodes --count-links --separate-dirs --si --summarize --threshold: --time= --time-style: --exclude: --exclude-from< --one-file-system ${HELP}`,
    operands: "<",
  },
  df: {
    options: `-aBhHiklPTv -B: -t: -x: --all --block-size: --human-readable --si --inodes --local --portability --print-type --total --type: --exclude-type: --output= --sync ${HELP}`,
    operands: ":",
  },
  find: { options: "", operands: "", whole: findEffects },
  fd: { options: "", operands: "", whole: fdEffects },
  basename: { options: `-az -s: --multiple --suffix: --zero ${HELP}`, operands: ":" },
  dirname: { options: `-z --zero ${HELP}`, operands: ":" },
  realpath: {
    options: `-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to: --relative-base: --strip --no-symlinks --zero ${HELP}`,
    operands: "<",
  },
  readlink: {
    options: `-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero ${HELP}`,
    operands: "<",
  },
  cp: {
    options: `-abdfHilLnpPrRsuvxXTZ -t> -S: --archive --backup= --force --interactive --link --dereference --no-clobber --no-dereference --preserve= --no-preserve: --parents --recursive --reflink= --remove-destination --sparse: --strip-trailing-slashes --symbolic-link --suffix: --target-directory> --no-target-directory --update= --verbose --one-file-system ${HELP}`,
    operands: ":",
    more: (given) => transfer("C", given),
  },
  mv: {
    options: `-bfinuvTZ -t> -S: --backup= --force --interactive --no-clobber --strip-trailing-slashes --suffix: --target-directory> --no-target-directory --update= --verbose ${HELP}`,
    operands: ":",
    more: (given) => transfer("M", given),
  },
  install: {
    options:
      "-bcCdDpsTv -g: -m: -o: -S: -t> --mode: --owner: --group: --target-directory> --directory --compare --strip-program!",
    operands: ":",
    more: installEffects,
  },
  rm: {
    options: `-dfiIrRvx --dir --force --interactive= --one-file-system --no-preserve-root? --preserve-root= --recursive --verbose ${HELP}`,
    operands: "x",
  },
  rmdir: { options: `-pv --ignore-fail-on-non-empty --parents --verbose ${HELP}`, operands: "e" },
  unlink: { options: HELP, operands: "x" },
  shred: { options: "-fuvxz -n: -s: --force --iterations: --remove= --zero --exact --verbose", operands: "x" },
  mkdir: { options: `-pvZ -m: --mode: --parents --verbose ${HELP}`, operands: ">" },
  touch: {
    options: `-acfhm -d: -r< -t: --no-create --date: --no-dereference --reference< --time: ${HELP}`,
    operands: ">",
  },
  tee: { options: `-aip --append --ignore-interrupts --output-error= ${HELP}`, operands: ">" },
  truncate: { options: "-co -r< -s: --no-create --reference< --size:", operands: "o" },
  sponge: { options: "-a", operands: ">" },
  mkfifo: { options: "-m: --mode:", operands: ">" },
  mknod: { options: "-m: --mode:", operands: ">::" },
  mktemp: {
    options: "-dqut -p> --directory --dry-run --quiet --suffix: --tmpdir=",
    operands: ">",
    more: temporaryFolder,
  },
  split: {
    options:
      "-dexu -a: -b: -C: -l: -n: -t: --filter! --suffix-length: --bytes: --lines: --numeric-suffixes= --additional-suffix: --number: --verbose",
    operands: "<>",
    more: splitEffects,
  },
  csplit: { options: "-ksz -f> -n: -b: --prefix> --quiet", operands: "<:" },
  script: { options: "-aefq -c! --command! -B> -I> -O> -T> -m: -o: -t=", operands: ">" },
  ln: {
    options: `-bdfFinLPrsTv -t> -S: --backup= --force --interactive --logical --no-dereference --physical --relative --symbolic --suffix: --target-directory> --no-target-directory --verbose ${HELP}`,
    operands: ":",
    more: (given) => withKept(linkEffects(given), given),
  },
  chmod: { options: "-cfRvX --changes --recursive --reference< --verbose --silent", operands: ":>", more: modeEffects },
  chown: { options: "-cfhRvHLP --changes --recursive --reference< --from: --dereference", operands: ":>" },
  chgrp: { options: "-cfhRv --recursive --reference<", operands: ":>" },
  chattr: { options: "-RVf", operands: "~" },
  setfacl: { options: "-bkR -m: -M< -x:", operands: ":>" },
  dd: { options: "", operands: "", whole: ddEffects },
  tar: { options: "", operands: "", whole: archiveEffects },
  unzip: { options: "", operands: "", whole: zipEffects },
  zip: { options: "-qrujm0123456789DXyv9T -x: -i: -b> -O> -P: -t: -n: -TT! -@", operands: "><" },
  ...COMPRESSORS,
  patch: {
    options: "",
    operands: "",
    whole: () => [doubt("opaque-content", "a patch can change any file, and its content is not checked")],
  },
  less: {
    options: `-cCdeEfFgGiIJKmMnNqQrRsSuUwWX -p: -j: -x: -h: -b: -z: -P: --quit-if-one-screen --no-init --raw-control-chars --chop-long-lines --line-numbers --pattern: ${HELP}`,
    operands: "<",
    more: (given) =>
      given.operands.some(({ text }) => text.startsWith("+")) ? [doubt("pager", "a pager can start a shell")] : [],
  },
  more: { options: "", operands: "<", open: true, more: () => [doubt("pager", "a pager can start a shell")] },
};

function transfer(letter: "C" | "M", given: Arguments): readonly Effect[] {
  const folder = given.options.find(({ name }) => name === "-t" || name === "--target-directory")?.value;
  const operands = folder === undefined ? given.operands : [...given.operands, folder];
  const trees = letter === "M" || given.options.some(({ name }) => RECURSIVE.test(name));
  const itself = given.options.some(({ name }) => name === "-T" || name === "--no-target-directory");
  const away = letter === "M" ? leavesWorkspace(operands) : [];
  const whole = given.options.some(({ name }) => name === "--parents") ? underTarget(operands) : [];
  return [
    ...withKept([...transferEffects(letter, operands), ...whole], given),
    ...away,
    ...(trees || given.options.some(({ name }) => LINKS.test(name)) ? broughtBy(operands, itself) : []),
    ...(trees ? treeEffects(operands, itself) : dotEffects(operands)),
  ];
}

/** With `-d` every operand is a folder to create. */
function installEffects(given: Arguments): readonly Effect[] {
  return given.options.some(({ name }) => name === "-d" || name === "--directory")
    ? given.operands.map((folder): Effect => ({ kind: "write", word: folder }))
    : transfer("C", given);
}

/** With `--parents` the whole path of a source is recreated below the target. */
function underTarget(operands: readonly Word[]): readonly Effect[] {
  const target = operands.at(-1) ?? word(".");
  return operands.slice(0, -1).map((source): Effect => ({
    kind: "write",
    word: { ...target, text: `${target.text}/${source.text}`, glob: target.glob || source.glob },
  }));
}

/** Files moved out of the workspace are lost to it, and git has no record of the move. */
function leavesWorkspace(operands: readonly Word[]): readonly Effect[] {
  const target = operands.at(-1);
  if (target === undefined || operands.length < 2) return [];
  return operands.slice(0, -1).map((source): Effect => ({
    kind: "check",
    objection: ({ cwd, workspaceRoot, home, machine }) => {
      const place = ({ text }: Word) =>
        realPath(
          text.replaceAll(UNKNOWN, "unknown").replace(/^~(?=\/|$)/, () => home),
          cwd,
          machine.readLink,
        );
      const root = realPath(workspaceRoot, "/", machine.readLink);
      return isBelow(place(source), root) && !isBelow(place(target), root)
        ? question("moves-out", "moves files out of the workspace")
        : undefined;
    },
  }));
}

/** Trees and links that appear in the last operand. */
export function broughtBy(operands: readonly Word[], spread = false): readonly Effect[] {
  const target = operands.at(-1);
  if (target === undefined) return [];
  return operands.slice(0, -1).map((source): Effect => ({ kind: "brings", source, target, spread }));
}

/** A copied tree contains unknown file names, so it may not go over a folder with protected files. */
function treeEffects(operands: readonly Word[], itself: boolean): readonly Effect[] {
  const target = operands.at(-1)?.text ?? "";
  const overwrittenPaths = operands.slice(0, -1).flatMap(({ text }) => {
    const name = text.split("/").findLast((part) => part !== "") ?? "";
    const spread = itself || name === "." || name === "..";
    const keepsTarget = /(?:^|\/)\.{0,2}\/?$/.test(target) && !spread;
    return [...(keepsTarget ? [] : [target]), ...(spread ? [] : [`${target}/${name}`])];
  });
  const far =
    /^[/~\u0000]|(?:^|\/)\.\./.test(target) &&
    (itself || operands.slice(0, -1).some(({ text }) => /(?:^|\/)\.\/?$/.test(text)));
  const effects = [doubt("copies-tree", "copies an unchecked tree over a folder with protected files")];
  return far ? effects : [{ kind: "if-protected", paths: overwrittenPaths, effects, otherwise: dotEffects(operands) }];
}

function dotEffects(operands: readonly Word[]): readonly Effect[] {
  return operands.slice(0, -1).some(({ text, glob }) => glob && /(?:^|\/)(?:\.[^/]*[*?[]|[?[])[^/]*$/.test(text))
    ? [doubt("copies-tree", "the pattern matches hidden files, which may be settings")]
    : [];
}

/**
 * A link gives access to its target, which counts as read and written. A symbolic link's target is relative to its own
 * folder. Inside a folder, the link gets the name of its target.
 */
function linkEffects(given: Arguments): readonly Effect[] {
  const folder = given.options.find(({ name }) => name === "-t" || name === "--target-directory")?.value;
  const implied = folder ?? (given.operands.length === 1 ? word(".") : undefined);
  const operands = implied === undefined ? given.operands : [...given.operands, implied];
  const place = operands.at(-1) ?? word(".");
  const symbolic = given.options.some(({ name }) => name === "-s" || name === "--symbolic");
  const parent = place.text.includes("/") ? place.text.slice(0, place.text.lastIndexOf("/") + 1) : "";
  return operands.slice(0, -1).flatMap((target): Effect[] => {
    const linkTarget = symbolic && !/^[/~]/.test(target.text) ? { ...target, text: parent + target.text } : target;
    const name = target.text.split("/").findLast((part) => part !== "") ?? "";
    const named = { ...place, text: `${place.text}/${name}` };
    const over = [place.text, named.text].filter((text) => !/^(?:\.{0,2}\/?)+$/.test(text));
    return [
      { kind: "read", word: linkTarget },
      { kind: "write", word: linkTarget },
      { kind: "write", word: place },
      { kind: "write", word: named },
      { kind: "brings", source: linkTarget, target: place, spread: false },
      {
        kind: "if-protected",
        paths: over,
        effects: [doubt("copies-tree", "the link replaces a folder with protected files")],
        otherwise: [],
      },
    ];
  });
}

/** `mktemp --tmpdir=folder` accepts the folder only after `=`. */
function temporaryFolder({ options }: Arguments): readonly Effect[] {
  return options.flatMap(({ name, value }): readonly Effect[] =>
    name === "--tmpdir" && value !== undefined ? [{ kind: "write", word: value }] : [],
  );
}

/** split appends letters or digits to the given name. */
function splitEffects({ operands, options }: Arguments): readonly Effect[] {
  const valueOf = (...names: readonly string[]) => options.find(({ name }) => names.includes(name))?.value?.text;
  const length = Math.min(Number(valueOf("-a", "--suffix-length") ?? 2) || 2, 8);
  const text = `${operands[1]?.text ?? "x"}${"[a-z0-9]".repeat(length)}${valueOf("--additional-suffix") ?? ""}`;
  return [{ kind: "write", word: { text, glob: true } }];
}

function modeEffects(given: Arguments): readonly Effect[] {
  const mode = given.operands[0]?.text ?? "";
  return /[+=][rwxX]*[st]|^[1-7]\d{3}$/.test(mode) ? [doubt("escalates", "sets a set-user-id or sticky bit")] : [];
}

function ddEffects(words: readonly Word[]): readonly Effect[] {
  return words.flatMap((operand): readonly Effect[] => {
    const [, key, value = ""] = /^(\w+)=([\s\S]*)$/.exec(operand.text) ?? [];
    if (key === "if") return [{ kind: "read", word: { ...operand, text: value } }];
    if (key === "of") return [{ kind: "write", word: { ...operand, text: value } }];
    return key === undefined ? [doubt("operand-unknown", "dd only takes key=value arguments")] : [];
  });
}

function fdEffects(words: readonly Word[]): readonly Effect[] {
  const at = words.findIndex(({ text }) => /^(?:-[a-zA-Z]*[xX]|--exec-batch(?:=.*)?|--exec=.*|--exec)$/.test(text));
  const before = at === -1 ? words : words.slice(0, at);
  const operands = before.filter(
    ({ text }, index) =>
      !text.startsWith("-") &&
      !/^(?:-[edEtSjc]|--(?:extension|max-depth|exclude|type|size|threads|color))$/.test(before[index - 1]?.text ?? ""),
  );
  const reads = operands.slice(1).map((operand): Effect => ({ kind: "read", word: operand }));
  const strange = before.some(({ text }) => /^--(?:base-directory|search-path|ignore-file|path-separator)/.test(text))
    ? [doubt("option-consequences", "fd searches another folder")]
    : [];
  if (at === -1) return [...reads, ...strange];
  return [
    ...reads,
    ...strange,
    doubt("runs-program", "fd runs a command for each result"),
    { kind: "run", words: words.slice(at + 1), sure: false },
  ];
}

/** Reads each file. Unless it prints or tests, it replaces the file with one with another extension. */
function compressor(options = "", unpacks = false): KnownProgram {
  return { options: `${COMMON} ${options}`, operands: "<", more: (given) => replacedFiles(given, unpacks) };
}

function replacedFiles({ operands, options }: Arguments, unpacks: boolean): readonly Effect[] {
  const has = (pattern: RegExp) => options.some(({ name }) => pattern.test(name));
  if (has(PRINTS)) return [];
  const suffixes = options.flatMap(({ name, value }) => (SUFFIX.test(name) ? [value?.text ?? ""] : []));
  const unpacking = unpacks || has(/^(?:-d|--decompress|--uncompress)$/);
  const hidden = has(/^(?:-r|--recursive)$/) && (unpacking || suffixes.length > 0);
  return [
    ...operands
      .filter(({ text }) => text !== "-")
      .flatMap((operand) =>
        secondNames(operand.text, suffixes).map((text): Effect => ({ kind: "write", word: { ...operand, text } })),
      ),
    ...(hidden || (unpacking && has(/^(?:-N|--name)$/))
      ? [doubt("opaque-content", "the names of its output files are unknown")]
      : []),
  ];
}

/** The file itself, and its possible names when packed or unpacked. */
function secondNames(file: string, suffixes: readonly string[]): readonly string[] {
  const made = suffixes.flatMap((suffix) => [
    file + suffix,
    ...(suffix !== "" && file.endsWith(suffix) ? [file.slice(0, -suffix.length)] : []),
  ]);
  return [
    ...new Set([
      file,
      file.replace(ENDING, ""),
      file.replace(/\.t[ag]z$/i, ".tar"),
      file.replace(/[-_.]g?z$/i, ""),
      ...made,
    ]),
  ];
}
