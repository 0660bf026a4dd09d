import type { Effect } from "../shell/effect.ts";
import type { Arguments } from "../shell/options.ts";
import type { Program, ProgramTable } from "./program.ts";

const COMMON =
  "-cdfklnNqrtvzV0123456789 --stdout --to-stdout --decompress --uncompress --compress --force --keep --list --recursive --test --quiet --verbose --fast --best --no-name --name --help --version";

/** Reads each file. Unless it prints or tests, a file with another ending takes the place of the first. */
function compressor(options = ""): Program {
  return { options: `${COMMON} ${options}`, operands: "<", more: replacedFiles };
}

const PRINTS = /^(?:-[clt]|--(?:stdout|to-stdout|list|test))$/;
const ENDING = /\.(?:gz|bz2|xz|lzma|zst|lz4|Z)$/;

function replacedFiles({ operands, options }: Arguments): readonly Effect[] {
  if (options.some(({ name }) => PRINTS.test(name))) return [];
  return operands
    .filter(({ text }) => text !== "-")
    .flatMap((operand): readonly Effect[] => [
      { kind: "write", word: operand },
      { kind: "write", word: { ...operand, text: operand.text.replace(ENDING, "") } },
    ]);
}

const XZ = "-T: -S: -M: --threads: --suffix: --memlimit: --extreme -e --check: --single-stream --no-sparse";
const ZSTD =
  "-o> -D< -T: --threads: --long= --ultra --rm --no-progress --adapt --output-dir-flat> --output-dir-mirror>";

const PACKERS: readonly (readonly [names: string, program: Program])[] = [
  ["gzip gunzip pigz unpigz", compressor("-S: --suffix: --rsyncable")],
  ["bzip2 bunzip2", compressor("-s --small")],
  ["xz unxz lzma unlzma", compressor(XZ)],
  ["zstd unzstd", compressor(ZSTD)],
  ["lz4 unlz4", compressor("-m --multiple --rm")],
  ["compress uncompress", compressor("-b:")],
];

/** Programs that pack or unpack single files. */
export const COMPRESSORS: ProgramTable = {
  ...Object.fromEntries(
    PACKERS.flatMap(([names, program]) => names.split(" ").map((name): [string, Program] => [name, program])),
  ),
  ...Object.fromEntries(
    ["zcat", "gzcat", "bzcat", "xzcat", "lzcat", "zstdcat", "lz4cat"].map((name) => [
      name,
      { options: "-cfhlnqrtv --force --quiet --verbose --help --version", operands: "<" },
    ]),
  ),
};
