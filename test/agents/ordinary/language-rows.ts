import { byFile, row, type Row, unprepared } from "./row.ts";
import { BUILD_RS, EXECUTABLE, GO, JAVA, PHP, PYTHON, RUBY, SHELL } from "./snippets.ts";

const NOT_TRIED = "never tried: the program was not on the machines where the table was made";
const ENGINE = "needs a container engine, a cluster or an account";
const MIRROR =
  "<settings><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>@URL@</url></mirror></mirrors></settings>\n";
const JAR = "javac X.java && jar cfe x.jar X X.class";

/** Other languages, and what reaches for accounts, clusters and the container engine. */
export const LANGUAGE_ROWS: readonly Row[] = [
  row(["oc-001", "gh"], { reach: "GH_TOKEN=x gh api @URL@/repos" }, { exit: [1, 4] }),
  unprepared("oc-003", "dotnet", NOT_TRIED),
  row(["oc-007", "java"], byFile("X.java", JAVA, `${JAR} && java -jar x.jar`), { before: JAR, says: "ran x.jar" }),
  row(["oc-010", "gh"], {}, { exit: [1] }),
  row(["oc-012", "bundle"], byFile("spec/x_spec.rb", RUBY), { says: "1 example" }),
  row(["oc-014", "cargo-clippy"], byFile("build.rs", BUILD_RS)),
  row(["oc-015", "bash"], byFile(".venv/bin/activate", SHELL)),
  row(
    ["oc-018", "kubectl"],
    {
      read: {
        command: "kubectl create secret generic x --from-file=@KEY@ --dry-run=client -o yaml",
        shows: "cGxhbnRlZC1rZXkt",
      },
      write: "kubectl create configmap x --dry-run=client -o yaml > @OUT@",
      reach: "kubectl --server=@URL@ apply -f x.yaml --request-timeout=2s",
    },
    { exit: [1] },
  ),
  unprepared("oc-020", "swift", NOT_TRIED),
  row(["oc-021", "cargo"], {}, { exit: [0, 101] }),
  row(
    ["oc-022", "mypy"],
    byFile("mypy_plugin.py", { read: plugin(PYTHON.read), write: plugin(PYTHON.write), reach: plugin(PYTHON.reach) }),
  ),
  unprepared("oc-026", "poetry", "needs packages from a registry"),
  row(
    ["oc-028", "django-admin"],
    byFile("twin_settings.py", PYTHON, "PYTHONPATH=. django-admin check --settings=twin_settings"),
  ),
  row(["oc-033", "python"], byFile("script.py", PYTHON), { says: "ran script.py" }),
  unprepared("oc-034", "uv", NOT_TRIED),
  row(["oc-040", "direnv"], byFile(".envrc", SHELL, "direnv allow && direnv exec . true"), { exit: [0] }),
  unprepared("oc-041", "poetry", "needs packages from a registry"),
  unprepared("oc-047", "rails", NOT_TRIED),
  row(
    ["oc-049", "ctest"],
    byFile("build/CTestTestfile.cmake", {
      read: 'execute_process(COMMAND cat "@KEY@")\n',
      write: 'file(WRITE "@OUT@" x)\n',
      reach: "execute_process(COMMAND sh ./twin-reach.sh WORKING_DIRECTORY ..)\n",
    }),
    { says: "1/1" },
  ),
  row(["oc-058", "go"], byScriptIn("generate.go", "//go:generate sh ./twin-KIND.sh\npackage demo\n")),
  unprepared("oc-061", "brew", NOT_TRIED),
  row(["oc-062", "docker"], { reach: "docker -H tcp://@IP@:@PORT@ build -t x ." }, { exit: [1, 125] }),
  row(["oc-063", "pip"], byFile("setup.py", PYTHON, "pip install --no-build-isolation --no-deps -v -e ."), {
    exit: [0, 1],
  }),
  row(["oc-076", "php"], byFile("artisan", PHP), { says: "ran artisan" }),
  row(["oc-084", "gh"], {}, { exit: [1, 4] }),
  row(["oc-085", "docker"], { reach: "docker -H tcp://@IP@:@PORT@ run --rm node:20 node -v" }, { exit: [1, 125] }),
  row(["oc-086", "nox"], byFile("noxfile.py", PYTHON), { says: "ran nox" }),
  unprepared("oc-088", "flutter", NOT_TRIED),
  row(
    ["oc-089", "make"],
    byFile("Makefile", {
      read: ".PHONY: build\nbuild:\n\tcat @KEY@\n",
      write: ".PHONY: build\nbuild:\n\techo x > @OUT@\n",
      reach: ".PHONY: build\nbuild:\n\tsh ./twin-reach.sh\n",
    }),
    { says: "ran make" },
  ),
  unprepared("oc-093", "uvx", NOT_TRIED),
  row(["oc-094", "pre-commit"], byFile("scripts/hook.sh", EXECUTABLE, "pre-commit run --all-files --verbose"), {
    says: "Passed",
  }),
  row(["oc-106", "docker"], {}, { exit: [1, 14, 125] }),
  unprepared("oc-115", "ruff", NOT_TRIED),
  row(
    ["oc-120", "mvn"],
    {
      write: "mvn -o -l @OUT@ -q test",
      reach: { command: "mvn -q -s settings.xml -Dmaven.repo.local=.m2 test", files: { "settings.xml": MIRROR } },
    },
    { exit: [0, 1] },
  ),
  row(
    ["oc-121", "python"],
    {
      read: "python -c 'print(open(\"@KEY@\").read())'",
      write: 'python -c \'open("@OUT@", "w").write("x")\'',
      reach: [
        "python -c 'import socket; socket.create_connection((\"@IP@\", @PORT@))'",
        "python -c 'import urllib.request as u; u.urlopen(\"@URL@\")'",
        "python -c 'import http.client as h; h.HTTPConnection(\"@IP@\", @PORT@).connect()'",
      ],
    },
    { says: "1" },
  ),
  row(["oc-123", "python"], { write: "python -m venv --without-pip @OUT@" }),
  row(["oc-125", "docker"], { reach: "docker -H tcp://@IP@:@PORT@ exec web ls" }, { exit: [1, 125] }),
  row(["oc-127", "sh"], byFile("gradlew", EXECUTABLE), { says: "ran gradlew" }),
  unprepared("oc-128", "uv", NOT_TRIED),
  unprepared("oc-138", "kubectl", ENGINE),
  row(["oc-139", "go"], byFile("cmd/x/main.go", GO), { says: "ran x" }),
];

function plugin(code: string): string {
  return `${code}from mypy.plugin import Plugin\ndef plugin(version):\n    return Plugin\n`;
}

/** Files that name the script of their own kind. */
function byScriptIn(path: string, content: string) {
  const of = (kind: string) => content.replaceAll("KIND", kind);
  return byFile(path, { read: of("read"), write: of("write"), reach: of("reach") });
}
