import { doubt, type Effect } from "../model/effect.ts";
import { effectsOf, readArguments } from "./options.ts";
import { type Word, word } from "../model/word.ts";

const TAR =
  "-AcdrtuxpPvwWzjJZaBhiklmnoOsSU -C/ -f: -T< -X< -I! -F! -b: -g> -H: -K: -L: -N: -V: --create --extract --get --list --append --update --diff --compare --delete --concatenate " +
  "--file: --listed-incremental> --index-file> --directory/ --gzip --gunzip --bzip2 --xz --zstd --lzma --compress --auto-compress --verbose --exclude: --exclude-from< --exclude-vcs --strip-components: --transform: --xform: " +
  "--checkpoint= --checkpoint-action! --use-compress-program! --to-command! --info-script! --new-volume-script! --rsh-command! --rmt-command! --files-from< --null --wildcards --no-wildcards " +
  "--overwrite --keep-old-files --skip-old-files --absolute-names? --dereference --same-owner --no-same-owner --no-same-permissions --preserve-permissions --to-stdout --remove-files? " +
  "--numeric-owner --owner: --group: --mode: --mtime: --sort: --format: --one-top-level= --recursive-unlink? --unlink-first --totals --help --version --show-transformed-names --no-recursion --anchored";
const GRAMMAR = { options: TAR, operands: ":" };

/** tar: reads what it packs. What it unpacks is not known in advance. */
export function archiveEffects(words: readonly Word[]): readonly Effect[] {
  const [first, ...rest] = words;
  const dashed =
    first !== undefined && /^[A-Za-z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : words;
  const given = readArguments(GRAMMAR, oldStyle(dashed));
  const has = (...names: readonly string[]) => given.options.some(({ name }) => names.includes(name));
  const archive = given.options.find(({ name }) => name === "-f" || name === "--file")?.value ?? word("-");
  const remote = /^[\w.@-]+:/.test(archive.text) ? [doubt("network-archive", "tar would contact another machine")] : [];
  const listing = has("-t", "--list", "-d", "--diff", "--compare");
  const packing = has("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--concatenate");
  const base = [...effectsOf(GRAMMAR, given), ...remote];
  if (listing) return [...base, ...readOf(archive)];
  if (packing)
    return [
      ...base,
      ...writeOf(archive),
      ...given.operands.map((operand): Effect => ({ kind: "read", word: operand })),
    ];
  return [
    ...base,
    ...readOf(archive),
    doubt("opaque-content", "an archive can unpack any file, and its content is not checked"),
  ];
}

/** `tar cf a.tar x`: the values of a leading cluster follow in order, so `f` moves to its end. */
function oldStyle(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words;
  if (first === undefined || !/^-[A-Za-z]*f[A-Za-z]+$/.test(first.text)) return words;
  return [{ ...first, text: `${first.text.replace("f", "")}f` }, ...rest];
}

function readOf(file: Word): readonly Effect[] {
  return file.text === "-" ? [] : [{ kind: "read", word: file }];
}

function writeOf(file: Word): readonly Effect[] {
  return file.text === "-" ? [] : [{ kind: "write", word: file }];
}

const ZIP = { options: "-aAbBcCDfjKlLMnopqtTuUvVWXzZ -d> -x: -P:", operands: "<" };

/** unzip: listing and testing only read. What it unpacks is not known in advance. */
export function zipEffects(words: readonly Word[]): readonly Effect[] {
  const given = readArguments(ZIP, words);
  const [archive] = given.operands;
  const looks = given.options.some(({ name }) => ["-l", "-t", "-v", "-z", "-Z", "-p", "-c"].includes(name));
  const base = effectsOf({ ...ZIP, operands: ":" }, given);
  const reads: readonly Effect[] = archive === undefined ? [] : [{ kind: "read", word: archive }];
  return looks
    ? [...base, ...reads]
    : [...base, ...reads, doubt("opaque-content", "an archive can unpack any file, and its content is not checked")];
}
