import { expandPattern } from "../../lib/text/wildcard.ts";
import type { Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import type { Word } from "../model/word.ts";
import { awkEffects, jqEffects, sedEffects } from "./awk-sed-jq.ts";
import { argumentFiles, type ProgramTable } from "./known-program.ts";

const HELP = "--help --version";
const GREP =
  "-EFGPivwxcLloqsbHhnTUzZaIrRuy -#  -e: -f< -m: -A: -B: -C: -d: -D: --extended-regexp --fixed-strings --basic-regexp --perl-regexp " +
  "--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color= --colour= --files-without-match " +
  "--files-with-matches --max-count: --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label: " +
  "--line-number --initial-tab --null --after-context: --before-context: --context: --text --binary-files: --devices: --directories: " +
  "--exclude: --exclude-from< --exclude-dir: --include: --recursive --dereference-recursive --line-buffered --null-data --binary --regexp: --file<";

/** Programs that read text and write to the terminal, with their options that do more. */
export const TEXT_PROGRAMS: ProgramTable = {
  cat: {
    options: `-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting ${HELP}`,
    operands: "<",
  },
  tac: { options: `-br -s: --before --regex --separator: ${HELP}`, operands: "<" },
  head: {
    options: `-qvz -# -c: -n: --bytes: --lines: --quiet --silent --verbose --zero-terminated ${HELP}`,
    operands: "<",
  },
  tail: {
    options: `-fFqrvz -# -c: -n: -s: --bytes: --follow= --lines: --pid: --quiet --silent --retry --sleep-interval: --verbose --max-unchanged-stats: ${HELP}`,
    operands: "<",
  },
  wc: {
    options: `-clmLw --bytes --chars --lines --files0-from< --max-line-length --words --total: ${HELP}`,
    operands: "<",
  },
  nl: { options: `-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: ${HELP}`, operands: "<" },
  cut: {
    options: `-nsz -b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter: --zero-terminated ${HELP}`,
    operands: "<",
  },
  paste: { options: `-sz -d: --delimiters: --serial --zero-terminated ${HELP}`, operands: "<" },
  tr: { options: `-cCdst --complement --delete --squeeze-repeats --truncate-set1 ${HELP}`, operands: ":" },
  uniq: {
    options: `-cdDiuz -f: -s: -w: --count --repeated --all-repeated= --skip-fields: --group= --ignore-case --skip-chars: --unique --zero-terminated --check-chars: ${HELP}`,
    operands: "<>" + "?",
  },
  sort: {
    options:
      "-bdfghiMnRrVcCmsuz -k: -t: -S: -o> -T> --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting " +
      "--month-sort --human-numeric-sort --numeric-sort --random-sort --random-source< --reverse --sort: --version-sort --batch-size: --check= " +
      `--compress-program! --debug --files0-from< --key: --merge --output> --stable --buffer-size: --field-separator: --temporary-directory> --parallel: --unique --zero-terminated ${HELP}`,
    operands: "<",
  },
  comm: {
    options: `-123z --check-order --nocheck-order --output-delimiter: --total --zero-terminated ${HELP}`,
    operands: "<",
  },
  cmp: {
    options: `-bls -i: -n: --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent ${HELP}`,
    operands: "<",
  },
  diff: {
    options:
      "-abBcdeEfiHlnNpPqrsStTuwyZ -# -C: -U: -F: -I: -L: -W: -x: -X< --normal --brief --report-identical-files --context= --unified= --ed --rcs --side-by-side --width: " +
      "--left-column --suppress-common-lines --show-c-function --show-function-line: --label: --expand-tabs --initial-tab --recursive --no-dereference --new-file " +
      "--exclude: --exclude-from< --starting-file: --from-file< --to-file< --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change " +
      `--ignore-all-space --ignore-blank-lines --ignore-matching-lines: --text --strip-trailing-cr --minimal --speed-large-files --color= --palette: ${HELP}`,
    operands: "<",
  },
  column: {
    options: `-exteLJd -c: -s: -N: -o: -O: -H: -R: -T: -W: -E: -n: -l: -r: -i: -p: --table --separator: --output-separator: --table-columns: --table-right: --json --columns: --fillrows --keep-empty-lines --table-name: --tree: ${HELP}`,
    operands: "<",
  },
  fold: { options: `-bs -w: --bytes --spaces --width: ${HELP}`, operands: "<" },
  fmt: { options: `-cstu -w: -p: -g: --width: --split-only ${HELP}`, operands: "<" },
  rev: { options: HELP, operands: "<" },
  expand: { options: `-i -t: --tabs: --initial ${HELP}`, operands: "<" },
  unexpand: { options: `-a -t: --tabs: --all ${HELP}`, operands: "<" },
  join: {
    options: `-iz -a: -e: -j: -o: -t: -v: -1: -2: --header --check-order --nocheck-order ${HELP}`,
    operands: "<",
  },
  od: {
    options: `-abcdfilosvx -A: -j: -N: -S: -t: -w= --address-radix: --skip-bytes: --read-bytes: --format: --output-duplicates ${HELP}`,
    operands: "<",
  },
  xxd: { options: "-abcCdeEhipruv -c: -g: -l: -n: -o: -s: -R:", operands: "<>" },
  hexdump: { options: "-bcCdovx -e: -f< -n: -s:", operands: "<" },
  strings: {
    options: `-afwo -n: -t: -e: -s: --all --bytes: --radix: ${HELP}`,
    operands: "<",
    more: (_, words) => argumentFiles(words),
  },
  base64: { options: `-diw -w: -D --decode --ignore-garbage --wrap: ${HELP}`, operands: "<" },
  base32: { options: `-di -w: --decode --ignore-garbage --wrap: ${HELP}`, operands: "<" },
  sha256sum: {
    options: `-bctwz --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn ${HELP}`,
    operands: "<",
  },
  grep: { options: `${GREP} ${HELP} -V`, operands: ":<", more: (given) => patternOperands(given) },
  rg: {
    options:
      "-abcFhHiIlLnNoPpqsSuUvVwx0. -#  -e: -f< -m: -A: -B: -C: -d: -E: -g: -M: -r: -t: -T: -j: -z? --pre! --pre-glob: --hostname-bin! --hyperlink-format: --search-zip? " +
      "--regexp: --file< --after-context: --before-context: --context: --color: --colors: --context-separator: --count --count-matches --crlf --debug --dfa-size-limit: " +
      "--encoding: --engine: --field-context-separator: --field-match-separator: --files --files-with-matches --files-without-match --fixed-strings --follow --glob: --iglob: " +
      "--glob-case-insensitive --heading --no-heading --hidden --no-hidden --ignore-case --ignore-file< --ignore-file-case-insensitive --include-zero --invert-match --json " +
      "--line-buffered --line-number --no-line-number --line-regexp --max-columns: --max-columns-preview --max-count: --max-depth: --max-filesize: --mmap --multiline " +
      "--multiline-dotall --no-config --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent " +
      "--no-ignore-vcs --no-messages --no-unicode --null --null-data --one-file-system --only-matching --passthru --path-separator: --pcre2 --pretty --quiet --regex-size-limit: " +
      "--replace: --smart-case --case-sensitive --sort: --sortr: --stats --stop-on-nonmatch --text --threads: --trace --trim --type: --type-add: --type-clear: --type-list --type-not: " +
      `--unrestricted --vimgrep --with-filename --no-filename --word-regexp --column --byte-offset --binary --auto-hybrid-regex ${HELP}`,
    operands: ":<",
    more: (given) => patternOperands(given),
  },
  sed: {
    options:
      "-Ernsuz -e: -f< -l: -i= -b --expression: --file< --in-place= --line-length: --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --follow-symlinks " +
      HELP,
    operands: ":",
    more: sedEffects,
  },
  awk: {
    options: `-F: -v: -f< -bcCnNrsStV -i& -l& -e: -E& -o> -p> -D> -d> --field-separator: --assign: --file< --load& --include& --source: --exec& --sandbox --posix --csv -k ${HELP}`,
    operands: ":",
    more: awkEffects,
  },
  jq: {
    options:
      "-acCeghjMnrRsSV -f< -L& --slurp --raw-input --null-input --compact-output --tab --indent: --color-output --monochrome-output --ascii-output --unbuffered --sort-keys " +
      `--raw-output --raw-output0 --join-output --exit-status --stream --stream-errors --seq --arg --argjson --slurpfile --rawfile --args --jsonargs --from-file< --library-path& ${HELP}`,
    operands: ":",
    more: jqEffects,
  },
  yq: {
    options:
      "-i -s& --inplace --in-place --split-exp& --from-file< --split-exp-file& -nNrjCMePHyYtxvVSca0 -I: -o: -p: -f: -L& --null-input --no-doc --unwrapScalar= --raw-output --tojson --colors --no-colors --exit-status --prettyPrint --indent: --output-format: --input-format: --header-preprocess= --front-matter: --expression: --no-filename --nul-output --string-interpolation= --verbose --version --help --yaml-output --yaml-roundtrip --yml-output --width: --indentless-lists --explicit-start --explicit-end --xml-* --csv-* --tsv-* --lua-* --properties-* --shell-* --arg --argjson --slurpfile --rawfile --slurp --compact-output --sort-keys --join-output --tab --ascii-output --raw-input --seq --stream --color-output --monochrome-output",
    operands: ":<",
    open: "asks",
    more: yqEffects,
  },
  tree: {
    options: `-adfxlqNQpugshDFvtcUrijACSnXJR -# -L: -P: -I: -H: -T: -o> --noreport --charset: --filelimit: --timefmt: --sort= --dirsfirst --filesfirst --prune --gitignore --gitfile< --matchdirs --metafirst --du --inodes --device --si --fromfile --hintro< --houtro< ${HELP}`,
    operands: "<",
  },
};

/** yq is like jq, but can write its files and has more options. */
function yqEffects(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const writes = given.options.some(({ name }) => /^(?:-i|--inplace|--in-place)$/.test(name));
  return [
    ...jqEffects(given, words),
    ...(writes ? given.operands.map((operand): Effect => ({ kind: "guess", word: operand, writes: true })) : []),
    ...(writes ? given.operands.slice(1).map((operand): Effect => ({ kind: "write", word: operand })) : []),
  ];
}

/**
 * If an option gives the pattern, the first operand is also a file; `rg --files` takes no pattern either. If the search
 * is limited to certain names, those are what it reads.
 */
function patternOperands(given: Arguments): readonly Effect[] {
  const elsewhere = given.options.some(({ name }) =>
    ["-e", "-f", "--regexp", "--file", "--files", "--type-list"].includes(name),
  );
  const narrowed = given.options
    .filter(({ name }) => ["--include", "-g", "--glob", "--iglob"].includes(name))
    .flatMap(({ value }) => (value === undefined || value.text.startsWith("!") ? [] : value))
    .flatMap((value) => expandPattern(value.text))
    .map((text): Effect => ({ kind: "read", word: { text: `./${text}`, glob: /[*?[]/.test(text), dots: true } }));
  const [first] = given.operands;
  return [...narrowed, ...(elsewhere && first !== undefined ? [{ kind: "read", word: first } as const] : [])];
}
