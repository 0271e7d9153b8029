#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh: holds the #include lines of src/ to the order of the layers, and keeps system and vendor headers in
# their rooms. Prints each line that breaks a rule; exits 1 if there is one.
cd "$(dirname "$0")/.." || exit 2
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT

# allow ROOM WORD...: what files below src/ROOM may include from src/.
allow() {
	room=$1
	shift
	words=$(echo "wheelpack $room $*" | tr ' ' '|')
	grep -rnE '^#include "' --include='*.[ch]' "src/$room" 2>/dev/null |
		grep -vE "#include \"($words)/" >>"$bad"
}

stage="base os ext py model bin wheel"
allow base
allow os base
allow ext base os
allow py base
allow bin base
allow model base py ext
allow wheel base os ext py
for room in resolve fetch bundle install doctor probe; do
	# shellcheck disable=SC2086
	allow $room $stage
done
grep -rnE '^#include "' --include='*.[ch]' src/cli | grep -vE '#include "(wheelpack|cli)/|"os/os\.h"|"base/|"py/|"ext/json_out\.h"|"model/' >>"$bad"
grep -rnE '^#include "(os|ext|py|model)/' --include='*.[ch]' include >>"$bad"

# Vendor and system headers.
only() {
	pattern=$1
	shift
	grep -rnE "^#include <$pattern" --include='*.[ch]' src include | grep -vE "^($*):" >>"$bad"
}
only 'curl/' 'src/ext/[a-z_]*curl\.[ch]'
only 'zip\.h' 'src/ext/zipwrite_libzip\.c'
only 'openssl/' 'src/ext/hash_openssl\.c'
only 'cjson/' 'src/ext/json_cjson\.c'
only 'utf8proc' 'src/ext/unicode_utf8proc\.c'
only 'zlib\.h' 'src/ext/inflate_zlib\.c'
only '(unistd|windows|fcntl|pthread|dlfcn|signal|spawn|poll|sys/)' 'src/os/[a-z0-9_]*\.[ch]'

if [ -s "$bad" ]; then
	cat "$bad"
	echo "layers: $(wc -l <"$bad") includes break the order of the layers"
	exit 1
fi
echo "layers: ok"
