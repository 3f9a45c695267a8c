# Sourced by the commands of this folder, which set PROGRAM: finds a JDK 25, builds what is missing, and
# sets JDK and CLASS_PATH.

ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
LOG=$ROOT/benchmarks/target/build.log
STAMP=$ROOT/benchmarks/target/build.stamp

fail() {
  printf '%s: %s\n' "$PROGRAM" "$1" >&2
  exit 2
}

. "$ROOT/dev/jdk.sh"

# Whether everything is built and no source is younger.
up_to_date() {
  [ -f "$STAMP" ] && [ -d "$ROOT/benchmarks/target/lib" ] || return 1
  younger=$(find "$ROOT/pom.xml" "$ROOT/api" "$ROOT/core" "$ROOT/plugins" "$ROOT/plugin-local" \
    "$ROOT/distribution/cli" "$ROOT/benchmarks" \
    -name target -prune -o -type f -newer "$STAMP" -print | head -n 1)
  [ -z "$younger" ]
}

build() {
  command -v mvn >/dev/null ||
    fail "no mvn on the PATH: install Maven 3.8 or newer (apt install maven, sdk install maven)"
  mkdir -p "$ROOT/benchmarks/target"
  touch "$STAMP.new" # a source that changes while it builds is younger
  printf 'building with %s (log: %s) ...' "$JDK" "$LOG" >&2
  # sources and warnings are checked by "mvn verify"; a measurement needs neither, nor tests
  if ! (cd "$ROOT" && JAVA_HOME=$JDK mvn -B -q -Dstyle.color=never -DskipTests -Dexec.skip=true \
    -Dwarnings.fail=false -pl benchmarks -am package) >"$LOG" 2>&1; then
    printf ' failed\n' >&2
    tail -n 25 "$LOG" >&2
    fail "the build failed; the whole log is $LOG"
  fi
  mv "$STAMP.new" "$STAMP"
  printf ' done\n' >&2
}

. "$ROOT/dev/debian.sh"

# program BINARY PACKAGE: adds to PROPERTIES where the program is; without one the program says so.
program() {
  debian "$1" "$2"
  [ -z "$FOUND" ] || PROPERTIES="$PROPERTIES -Dkvasir.benchmarks.$1=$FOUND"
}

find_jdk
up_to_date || build

PROPERTIES=
CLASS_PATH="$ROOT/benchmarks/target/classes:$ROOT/api/target/classes:$ROOT/plugin-local/target/classes"
CLASS_PATH="$CLASS_PATH:$ROOT/plugins/plugin-memory/target/classes:$ROOT/core/target/classes"
CLASS_PATH="$CLASS_PATH:$ROOT/distribution/cli/target/classes:$ROOT/plugins/conformance/target/classes:$ROOT/benchmarks/target/lib/*"
