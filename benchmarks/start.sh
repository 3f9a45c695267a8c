# Sourced by the commands of this folder, which set PROGRAM: finds a JDK 25, builds what is missing, and
# sets JDK and CLASS_PATH.

ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
LOG=$ROOT/benchmarks/target/build.log
STAMP=$ROOT/benchmarks/target/build.stamp
CACHE=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/kvasir/benchmarks

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

# debian_packages PACKAGE: it and the libraries that it needs and this machine has not installed.
debian_packages() {
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances "$1" | grep -E "^(lib|$1|redis-tools)" | grep -vE '^lib(python|perl|.*-perl$)' | sort -u |
    while read -r package; do
      [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
    done
}

# debian BINARY PACKAGE: adds to PROPERTIES where the program is, unpacked from Debian's packages into the
# user's cache if the machine has none. Without Debian, or a way to its packages, nothing is added: the
# program says that it is missing.
debian() {
  command -v "$1" >/dev/null && return
  root=$CACHE/$2
  if [ ! -x "$root/usr/bin/$1" ] && command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
    printf 'unpacking %s into %s ...' "$2" "$root" >&2
    mkdir -p "$root.new/packages"
    # shellcheck disable=SC2046 # one word for each package
    if (cd "$root.new/packages" && apt-get -q download $(debian_packages "$2")) >"$root.log" 2>&1; then
      for package in "$root.new"/packages/*.deb; do
        dpkg -x "$package" "$root.new"
      done
      rm -rf "$root.new/packages" "$root" && mv "$root.new" "$root"
      printf ' done\n' >&2
    else
      rm -rf "$root.new"
      printf ' failed (log: %s)\n' "$root.log" >&2
    fi
  fi
  if [ -x "$root/usr/bin/$1" ]; then
    libraries=$(find "$root" -name '*.so.*' -exec dirname {} + | sort -u | tr '\n' ':')
    PROPERTIES="$PROPERTIES -Dkvasir.benchmarks.$1=$root/usr/bin/$1"
    PROPERTIES="$PROPERTIES -Dkvasir.benchmarks.$1.libraries=${libraries%:}"
  fi
}

find_jdk
up_to_date || build

PROPERTIES=
CLASS_PATH="$ROOT/benchmarks/target/classes:$ROOT/api/target/classes:$ROOT/plugin-local/target/classes"
CLASS_PATH="$CLASS_PATH:$ROOT/plugins/plugin-memory/target/classes:$ROOT/core/target/classes"
CLASS_PATH="$CLASS_PATH:$ROOT/distribution/cli/target/classes:$ROOT/benchmarks/target/lib/*"
