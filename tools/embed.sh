#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh FILE...: C source on stdout with each file's bytes as wp_data_NAME[] (NUL behind the end) and
# wp_data_NAME_size, where NAME is the file's name with every other character turned into _.
set -eu
echo '#include "cli/embed.h"'
for file in "$@"; do
	name=wp_data_$(basename "$file" | tr -c 'A-Za-z0-9\n' '_')
	echo "const unsigned char $name[] = {"
	od -An -v -tu1 "$file" | sed 's/  */,/g; s/^,//; s/$/,/'
	echo "0};"
	echo "const size_t ${name}_size = sizeof $name - 1;"
done
