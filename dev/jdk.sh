# Sourced by the scripts that start programs of this repository; they define "fail MESSAGE".

# The feature version of the JDK in a folder, or 0.
jdk_version() {
  version=0
  if [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  fi
  printf '%s' "${version:-0}"
}

# Sets JDK to JAVA_HOME if it will do, else to the first JDK of at least 25 where JDKs usually lie.
find_jdk() {
  on_path=$(command -v javac || true)
  if [ -n "$on_path" ]; then
    on_path=$(dirname -- "$(dirname -- "$(readlink -f -- "$on_path" 2>/dev/null || printf '%s' "$on_path")")")
  fi
  for home in "${JAVA_HOME:-}" "$on_path" \
    /usr/lib/jvm/* /usr/java/* /usr/local/java/* /opt/java/* /opt/jdk* /opt/*jdk* \
    "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
    "${HOME:-/nonexistent}"/.local/share/mise/installs/java/* "${HOME:-/nonexistent}"/.asdf/installs/java/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    if [ -n "$home" ] && [ "$(jdk_version "$home")" -ge 25 ]; then
      JDK=$home
      return
    fi
  done
  fail "no JDK 25 found: JAVA_HOME is \"${JAVA_HOME:-}\", and there is none in /usr/lib/jvm, /opt, ~/.sdkman or ~/.jdks.
      Install one (sdk install java 25-tem, or https://adoptium.net), or name it: JAVA_HOME=/path/to/jdk-25 $0"
}
