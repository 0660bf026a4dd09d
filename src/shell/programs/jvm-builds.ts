import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import { type KnownProgram, OWN_FOLDER, type ProgramTable } from "./known-program.ts";

const MAVEN_GOALS =
  /^(?:clean|site|validate|compile|test|package|verify|install|(?:generate|process|prepare|test|pre|post|integration)-[\w-]+|dependency:(?:tree|analyze|list)|(?:spotless|checkstyle|fmt|surefire):(?:check|apply|format|test))$/;
const GRADLE_TASKS =
  /^(?:[\w.-]*:)*(?:build|run|jar|tasks|projects|help|javadoc|dependencies|\w*(?:[tT]ests?|[cC]lasses|Jar|Run)|(?:clean|assemble|check|test|compile|lint|ktlint|detekt|spotless|jacoco|format|generate|process)\w*)$/;
const SBT_TASKS =
  /^(?:[\w-]+\s*\/\s*)?(?:clean|compile|test|testOnly [\w.* -]+|testQuick|package|doc|update|scalafmt\w*|run)$/;

/** Every goal counts, not only the first: `test deploy` deploys. */
export function goalEffects(given: Arguments, ordinary: RegExp, words: readonly Word[] = []): readonly Effect[] {
  const strange = given.operands.find(
    (operand) =>
      !ordinary.test(operand.text) && !/^-(?:pl|rf|gs|gt|am|amd)$/.test(words[words.indexOf(operand) - 1]?.text ?? ""),
  );
  return [
    OWN_FOLDER,
    ...(strange === undefined
      ? []
      : [doubt("goal", `${strange.text.replaceAll(UNKNOWN, "…")} is not a common build goal`)]),
  ];
}

const MAVEN: KnownProgram = {
  options:
    "-q -B -X -e -o -U -N -V -v -h -am -amd -fae -fn -ff -nsu -ntp -C -c -rf: -pl: -P: -P* -T: -T* -l> -D: -D* -f^ -s& -gs& -t^ -gt^ -it -b: --quiet --batch-mode --debug --errors --offline --update-snapshots --non-recursive --show-version --version --help --also-make --also-make-dependents --fail-at-end --fail-never --fail-fast --no-snapshot-updates --no-transfer-progress --strict-checksums --lax-checksums --resume-from: --projects: --activate-profiles: --threads: --log-file> --define: --file^ --settings& --global-settings& --toolchains^ --color: --raw-streams --builder& --encrypt-password? --encrypt-master-password?",
  operands: ":",
  style: "long",
  open: "asks",
  more: (given, words) => [
    ...goalEffects(given, MAVEN_GOALS, words),
    ...(given.options.some(
      ({ name, value }) => /^(?:-D|--define)$/.test(name) && RUNS_BY_PROPERTY.test(value?.text.split("=", 1)[0] ?? ""),
    )
      ? [doubt("option-consequences", "this property can run a program")]
      : []),
  ],
};
const RUNS_BY_PROPERTY =
  /exec|argLine|jvm|maven\.ext|agent|classpath|classworlds|compilerArg|^java\.|java\.home|installations|distributionUrl/i;
const GRADLE: KnownProgram = {
  options:
    "-I& --init-script& -b^ --build-file^ -c^ --settings-file^ -p/ --project-dir/ -g> --gradle-user-home> --include-build^ -P: -P* -D: -D* --tests: -x: --exclude-task: --project-cache-dir> " +
    "-a -d -i -q -w -s -S -m -t -v -h -? --no-rebuild --debug --info --quiet --warn --stacktrace --full-stacktrace --dry-run --continuous --version --help --offline --continue --no-continue --parallel --no-parallel --daemon --no-daemon --foreground --stop --status --build-cache --no-build-cache --configuration-cache --no-configuration-cache --configuration-cache-problems: --configure-on-demand --no-configure-on-demand --console: --max-workers: --priority: --profile --refresh-dependencies --refresh-keys --rerun-tasks --rerun --scan? --no-scan --warning-mode: --watch-fs --no-watch-fs --write-locks --write-verification-metadata: --update-locks: --dependency-verification: --fail-fast --configuration: --dependency: --all --group: --task: --args: --debug-jvm? --test-dry-run --non-interactive --export-keys --problems-report --no-problems-report --property:",
  operands: ":",
  style: "long",
  open: "asks",
  more: (given) => [
    ...goalEffects(given, GRADLE_TASKS),
    ...(given.options.some(
      ({ name, value }) => /^-[DP]$/.test(name) && RUNS_BY_PROPERTY.test(value?.text.split("=", 1)[0] ?? ""),
    )
      ? [doubt("option-consequences", "this property can run a program")]
      : []),
  ],
};

/** Maven, Gradle and sbt: build goals are ordinary; those that publish or run anything else need approval. */
export const JVM_BUILDS: ProgramTable = {
  mvn: MAVEN,
  "./mvnw": MAVEN,
  gradle: GRADLE,
  "./gradlew": GRADLE,
  sbt: {
    options:
      "-D* -J& -J*& -v -d -h -V --version -version --help -help --client -client --batch -batch --no-colors -no-colors --color= --error --warn --info --debug -error -warn -info -debug --supershell= --timings --no-server --server --mem: -mem: --no-share -no-share --no-global -no-global --sbt-dir& --sbt-boot& --ivy& --java-home& -java-home& --jvm-debug& --sbt-jar& --sbt-version: --sbt-create",
    operands: ":",
    style: "long",
    open: "asks",
    more: (given, words) => [
      ...goalEffects(given, SBT_TASKS),
      ...(words.some(({ text }) => text.startsWith("-J"))
        ? [doubt("option-consequences", "-J passes an option to the virtual machine")]
        : []),
    ],
  },
};
