#!/bin/sh
# build.sh FOLDER: builds the stand-in for Mooncake's library, its two programs and its test into FOLDER.
set -eu
cd "$(dirname "$0")"
out=$1
if [ -x "$out/standin_test" ] && [ -z "$(find . -newer "$out/standin_test" -name '*.*')" ]; then
  exit 0
fi
mkdir -p "$out"
compile="${CC:-gcc} -std=gnu11 -O2 -g -Wall -Wextra -Werror -fPIC -fvisibility=hidden -pthread"
objects=
for source in process master objects master_controls transfer store calls controls; do
  $compile -c -o "$out/$source.o" $source.c
  objects="$objects $out/$source.o"
done
# nodelete: a thread of the library may run while a JVM lets go of it
$compile -shared -Wl,-z,nodelete -o "$out/libmooncake_store.so" $objects
# the programs work on the master's file themselves, which the library does not export
$compile -o "$out/standin_master" standin_node.c $objects
ln -f "$out/standin_master" "$out/standin_client"
$compile -o "$out/standin_test" standin_test.c test_calls.c test_life.c test_crash.c test_controls.c -ldl
