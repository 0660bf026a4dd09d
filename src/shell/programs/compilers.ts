import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import type { Word } from "../model/word.ts";
import {
  argumentFiles,
  type KnownProgram,
  OWN_FOLDER,
  type ProgramTable,
  takesArgumentFiles,
} from "./known-program.ts";

/** `-f` and `-m` switches never name a program or a file, except after `=` or if listed here. */
const C_OPTIONS =
  "-o> -I< -L< -iquote< -isystem< -idirafter< -include< -imacros< -iprefix< -isysroot< -MF> -MT: -MQ: -x: -D: -U: -l: -u: -z: -arch: -target: -framework: -std: -stdlib: " +
  "-B& -T& -specs& -wrapper& -Xlinker& -Xassembler& -Xpreprocessor& -Xclang& -dumpdir> -dumpbase> -aux-info> -save-temps -save-temps= -shared -static -static-libgcc -static-libstdc++ -pthread -pipe -pedantic -pedantic-errors " +
  "-ansi -c -S -E -P -C -v -w -s -r -pie -no-pie -rdynamic -nostdlib -nostdinc -nodefaultlibs -M -MM -MD -MMD -MP -MG -H -dM -p -pg -undef -trigraphs -dumpversion -dumpmachine -print-search-dirs -### --version --help --analyze --coverage --sysroot& --target: --param: " +
  "-D* -U* -I* -L* -l* -O* -g* -W* -f* -m* -std=* -stdlib=* -print-*";

/** Switches that take a path, a plug-in or another program. */
const C_DANGER =
  /^-(?:fplugin|fpass-plugin|fuse-ld=.*[/.]|fprofile[\w-]*=|fdiagnostics-(?:add|set)-output|f[\w-]*(?:path|file|dir|load)[\w-]*=|Wl,(?!-O\d$|--?(?:as-needed|no-as-needed|gc-sections|no-undefined|start-group|end-group|whole-archive|no-whole-archive|strip-all|build-id)$|-z,\w+$|-rpath[,=][^,]*$|-dead_strip$)|Wa,|Wp,|mllvm|fcrash-diagnostics-dir|fmodule)/;

/** Switches that write a report to the file after `=`. */
const C_REPORT =
  /^-f(?:dump|stack-usage|opt-info|callgraph-info|save-optimization-record|time-(?:report|trace)|proc-stat)[\w-]*=([\s\S]+)$/;

const C_COMPILER: KnownProgram = {
  options: C_OPTIONS,
  operands: "~",
  style: "long",
  open: "asks",
  more: (given, words) => [
    ...argumentFiles(words),
    ...(given.operands.some(({ text }) => text === "-")
      ? [doubt("opaque-code", "the source comes from standard input")]
      : []),
    ...words.flatMap((current): readonly Effect[] => {
      const file = C_REPORT.exec(current.text)?.[1];
      return file === undefined ? [] : [{ kind: "write", word: { ...current, text: file } }];
    }),
    ...words
      .filter(({ text }) => C_DANGER.test(text))
      .map(({ text }) => doubt("option-consequences", `the option ${text.slice(0, 40)} can load or start something`)),
  ],
};

const RUST_OPTIONS =
  "-o> --out-dir> -L< -l: -O -g -v --verbose --test --edition: --crate-type: --crate-name: --cfg: --check-cfg: --target: --print: --explain: --emit: -A: -W: -D: -F: --cap-lints: --error-format: --color: --json: --diagnostic-width: -C: --codegen: --extern& -Z& --sysroot& --remap-path-prefix: --version -V --help -h -vV";
const RUST_CODEGEN =
  /^(?:opt-level|debuginfo|debug-assertions|overflow-checks|panic|lto|codegen-units|target-cpu|target-feature|strip|embed-bitcode|force-frame-pointers|metadata|extra-filename|prefer-dynamic|relocation-model|symbol-mangling-version)=[\w.,+-]*$/;

/** Compilers, and the Java virtual machine. */
export const COMPILER_PROGRAMS: ProgramTable = {
  ...Object.fromEntries(["gcc", "g++", "cc", "c++", "clang", "clang++"].map((name) => [name, C_COMPILER])),
  ...Object.fromEntries(
    ["ld", "as"].map((name) => [
      name,
      takesArgumentFiles({ options: "-o> -I< -L< -l: -Map>", operands: "~", open: "asks" }),
    ]),
  ),
  rustc: {
    options: RUST_OPTIONS,
    operands: "~",
    open: "asks",
    more: (given, words) => [
      ...argumentFiles(words),
      ...(given.operands.some(({ text }) => text === "-")
        ? [doubt("opaque-code", "the source comes from standard input")]
        : []),
      ...rustFiles(given),
      ...given.options
        .filter(({ name, value }) => /^(?:-C|--codegen)$/.test(name) && !RUST_CODEGEN.test(value?.text ?? ""))
        .map(({ value }) => doubt("option-consequences", `-C ${value?.text ?? ""} can start another program`)),
    ],
  },
  javac: {
    options:
      "-d> -s> -h> -sourcepath< --source-path< -cp: -classpath: --class-path: -p: --module-path: -processorpath: --processor-path: -processor& -source: -target: --source: --target: --release: -encoding: -Xlint -Xlint:* -Xdoclint:* -Werror -nowarn -g -g:* -parameters -verbose -deprecation -proc:none -proc:only -A* --add-modules: --enable-preview -m: --module: --module-source-path< -implicit:* -Xmaxerrs: -Xmaxwarns: -Xdiags:* -version --version -help --help",
    operands: "~",
    style: "long",
    open: "asks",
    more: (given, words) => [...argumentFiles(words), ...javaOptions(words), ...classPaths(given)],
  },
  java: { options: "", operands: "", whole: javaEffects },
  kotlinc: {
    options:
      "-d> -cp: -classpath: -include-runtime -no-jdk -no-reflect -no-stdlib -jvm-target: -language-version: -api-version: -progressive -nowarn -Werror -verbose -version -help -module-name: -java-parameters -script& -e& -expression& -Xplugin& -P& -kotlin-home& -jdk-home& -Xlint* -opt-in:",
    operands: "~",
    style: "long",
    open: "asks",
    more: (given, words) => [...argumentFiles(words), ...javaOptions(words), ...classPaths(given)],
  },
  swiftc: {
    options:
      "-o> -I< -L< -F< -l* -D* -D: -O -Onone -Osize -Ounchecked -g -gnone -emit-executable -emit-library -emit-module -emit-object -emit-module-path> -module-name: -parse-as-library -parse -typecheck -dump-ast -target: -sdk: -swift-version: -warnings-as-errors -suppress-warnings -whole-module-optimization -wmo -enable-testing -framework: -static -static-stdlib -v -version --version -help --help -j: -Xcc& -Xlinker& -Xfrontend& -Xllvm& -use-ld& -tools-directory& -load-plugin-library& -load-plugin-executable& -plugin-path& -external-plugin-path& -e& -c -enable-upcoming-feature: -enable-experimental-feature:",
    operands: "~",
    style: "long",
    open: "asks",
    more: (_, words) => argumentFiles(words),
  },
};

/** `--emit asm,link=file` and `--print kind=file`: each kind may name an output file. */
function rustFiles({ options }: Arguments): readonly Effect[] {
  return options.flatMap(({ name, value }): readonly Effect[] =>
    value === undefined || !/^--(?:emit|print)$/.test(name)
      ? []
      : value.text
          .split(",")
          .filter((item) => item.includes("="))
          .map((item): Effect => ({ kind: "write", word: { ...value, text: item.slice(item.indexOf("=") + 1) } })),
  );
}

/** `-J` passes an option to the virtual machine; `-Xplugin` loads code. */
function javaOptions(words: readonly Word[]): readonly Effect[] {
  return words
    .filter(({ text }) => /^-(?:J|Xplugin|Xbootclasspath)/.test(text))
    .map(({ text }) => doubt("option-consequences", `the option ${text} loads code`));
}

const CLASS_PATH = /^(?:-cp|-classpath|--class-path|-p|--module-path|-processorpath|--processor-path)$/;

/** Everything on a class path can run, so every entry is code. */
function classPaths(given: Arguments): readonly Effect[] {
  return [
    OWN_FOLDER,
    ...given.options.flatMap(({ name, value }) =>
      CLASS_PATH.test(name) && value !== undefined ? entriesOf(value) : [],
    ),
  ];
}

function entriesOf(list: Word): readonly Effect[] {
  return list.text
    .split(":")
    .filter((entry) => entry !== "")
    .map((entry): Effect => ({ kind: "code", word: { ...list, text: entry.replace(/\/?\*$/, "") || "." } }));
}

const JAVA_FLAGS =
  /^-(?:version|showversion|help|h|\?|ea|esa|da|server|client|enableassertions\S*|ea:\S+|X(?:mx|ms|ss|mn)\d+[kmgKMG]?|XX:[+-](?!.*(?:Unlock|OnError|Flags))\w+|XX:(?:MaxRAMPercentage|MaxMetaspaceSize|MaxHeapSize|ActiveProcessorCount|ReservedCodeCacheSize|TieredStopAtLevel)=[\w.]+|Xlog:\w+|Xint|Xcomp|Xshare:\w+)$|^--(?:version|help|show-version|enable-preview|dry-run|list-modules|validate-modules|enable-native-access=\S+)$/;
const JAVA_PROPERTY =
  /^-D(?!java\.(?!awt\.headless=|net\.preferIPv[46]Stack=|util\.concurrent)|jdk\.|sun\.|com\.sun\.)(?![^=]*(?:agent|exec|command|configuration|classpath|library|class\.path|loader))[\w.-]+(?:=[\w.,:@%+-]*)?$/i;
const JAVA_VALUES = /^(?:--add-opens|--add-exports|--add-reads|--add-modules)$/;

/** java: options up to the class, jar or source file. The rest belongs to the started program. */
function javaEffects(words: readonly Word[]): readonly Effect[] {
  const effects: Effect[] = [];
  for (let at = 0; at < words.length; at++) {
    const current = words[at];
    const value = words[at + 1];
    if (current === undefined) break;
    const started = startedBy(current, value);
    if (started !== undefined) return [...effects, started];
    const takesValue = CLASS_PATH.test(current.text) || JAVA_VALUES.test(current.text);
    if (takesValue) at++;
    effects.push(...(takesValue ? pathValue(current, value) : javaOption(current)));
  }
  return effects;
}

/** The code that java starts, if this word names it. */
function startedBy(current: Word, value: Word | undefined): Effect | undefined {
  const { text } = current;
  if (text === "-jar" && value !== undefined) return { kind: "code", word: value };
  if (/^(?:-jar|-m|--module|-d|--describe-module)$/.test(text)) return OWN_FOLDER;
  if (/^[-@]/.test(text)) return undefined;
  return text.endsWith(".java") ? { kind: "code", word: current } : OWN_FOLDER;
}

function pathValue({ text }: Word, value: Word | undefined): readonly Effect[] {
  return value !== undefined && CLASS_PATH.test(text) ? entriesOf(value) : [];
}

function javaOption(current: Word): readonly Effect[] {
  const { text } = current;
  if (/^--(?:class-path|module-path)=/.test(text))
    return entriesOf({ ...current, text: text.slice(text.indexOf("=") + 1) });
  if (text.startsWith("@")) return argumentFiles([current]);
  return JAVA_FLAGS.test(text) || JAVA_PROPERTY.test(text)
    ? []
    : [doubt("option-consequences", `the option ${text.slice(0, 40)} can load or start something`)];
}
