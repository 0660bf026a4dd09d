import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";

const COMMON =
  "-cdfklnNqrtvzV0123456789 --stdout --to-stdout --decompress --uncompress --compress --force --keep --list --recursive --test --quiet --verbose --fast --best --no-name --name --help --version";

/** Reads each file. Unless it prints or tests, it replaces the file with one with another extension. */
function compressor(options = "", unpacks = false): KnownProgram {
  return { options: `${COMMON} ${options}`, operands: "<", more: (given) => replacedFiles(given, unpacks) };
}

const PRINTS = /^(?:-[clt]|--(?:stdout|to-stdout|list|test))$/;
const ENDING = /\.(?:gz|bz2|xz|lzma|zst|lz4|Z)$/;
const SUFFIX = /^(?:-S|--suffix)$/;

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
export const COMPRESSORS: ProgramTable = {
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
