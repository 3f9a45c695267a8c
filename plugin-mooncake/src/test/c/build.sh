#!/bin/sh
# build.sh FOLDER: builds the stand-in for Mooncake's library, its two programs and its test into FOLDER.
set -eu
cd "$(dirname "$0")"
out=$1
mkdir -p "$out"
flags="-std=gnu11 -O2 -g -Wall -Wextra -Werror -fPIC -fvisibility=hidden -pthread"
${CC:-gcc} $flags -shared -o "$out/libmooncake_store.so" master.c store.c controls.c
# the programs work on the master's file themselves, which the library does not export
${CC:-gcc} $flags -o "$out/standin_master" standin_node.c master.c store.c controls.c
ln -f "$out/standin_master" "$out/standin_client"
${CC:-gcc} $flags -o "$out/standin_test" standin_test.c test_calls.c test_life.c test_crash.c test_controls.c -ldl
