# Sourced by the scripts of this repository that run programs from outside of it.

# debian_packages PACKAGE: it and the libraries that it needs and this machine has not installed.
debian_packages() {
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances "$1" | grep -E "^(lib|$1|redis-tools)" | grep -vE '^lib(python|perl|.*-perl$)' | sort -u |
    while read -r package; do
      [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
    done
}

# download PACKAGE: it and what it needs, into the current directory; asks for Debian's lists if there are none.
download() {
  [ -n "$(apt-cache show "$1" 2>/dev/null)" ] || apt-get -q update || return 1
  # shellcheck disable=SC2046 # one word for each package
  apt-get -q download $(debian_packages "$1")
}

# debian BINARY PACKAGE: sets FOUND to the program on the PATH, or to one that is unpacked from Debian's
# packages into the user's cache; to nothing without Debian or a way to its packages. Needs no root.
debian() {
  FOUND=$(command -v "$1") && return
  root=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/kvasir/debian/$2
  if [ ! -x "$root/$1" ] && command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
    printf 'unpacking %s into %s ...' "$2" "$root" >&2
    rm -rf "$root.new"
    mkdir -p "$root.new/packages"
    if (cd "$root.new/packages" && download "$2") >"$root.log" 2>&1; then
      for package in "$root.new"/packages/*.deb; do
        dpkg -x "$package" "$root.new"
      done
      libraries=$(find "$root.new" -name '*.so.*' -exec dirname {} + | sort -u | sed "s|^$root.new|$root|" | tr '\n' ':')
      printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s/usr/bin/%s" "$@"\n' "${libraries%:}" "$root" "$1" >"$root.new/$1"
      chmod +x "$root.new/$1"
      rm -rf "$root.new/packages" "$root" && mv "$root.new" "$root"
      printf ' done\n' >&2
    else
      rm -rf "$root.new"
      printf ' failed (log: %s)\n' "$root.log" >&2
    fi
  fi
  [ ! -x "$root/$1" ] || FOUND=$root/$1
}
