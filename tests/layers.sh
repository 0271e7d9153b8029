#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh: holds the #include lines of src/ to the order of the layers, and keeps system and vendor headers in
# their rooms. Prints each line that breaks a rule; exits 1 if there is one.
cd "$(dirname "$0")/.." || exit 2
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT
checked=" "

# includes DIR PATTERN: the #include lines below DIR that match.
includes() {
	grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2" --include='*.[ch]' "$1" 2>/dev/null
}

# allow ROOM WORD...: what files below src/ROOM may include from src/: a room, or one file.
allow() {
	room=$1
	checked="$checked$room "
	shift
	words=
	for word in wheelpack "$room" "$@"; do
		case $word in
		*.h) words="$words|\"$word\"" ;;
		*) words="$words|\"$word/" ;;
		esac
	done
	includes "src/$room" '"' | grep -vE "(${words#|})" >>"$bad"
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
allow launcher
allow cli base os/os.h py model ext/json_out.h
includes include '"' | grep -v '"wheelpack/' >>"$bad"
for dir in src/*/; do
	room=$(basename "$dir")
	case $checked in
	*" $room "*) ;;
	*) echo "src/$room: no rule says what it may include" >>"$bad" ;;
	esac
done

# Angle brackets: the headers of C11 that bring no system with them; the rest only where it is named.
standard='ctype|errno|float|inttypes|limits|math|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time'
vendor='
src/base/arena\.c:[0-9]*:#include <sanitizer/
src/ext/http_curl[a-z_]*\.[ch]:[0-9]*:#include <curl/
src/ext/url_curl\.c:[0-9]*:#include <curl/
src/ext/zipwrite_libzip\.c:[0-9]*:#include <zip\.h>
src/ext/(hash|ca)_openssl\.c:[0-9]*:#include <openssl/
src/ext/json_cjson\.c:[0-9]*:#include <cjson/
src/ext/unicode_utf8proc\.c:[0-9]*:#include <utf8proc\.h>
src/ext/inflate_zlib\.c:[0-9]*:#include <zlib\.h>
src/launcher/launcher\.c:[0-9]*:#include <windows\.h>
src/os/'
for dir in src include; do
	includes $dir '<' | grep -vE "<($standard)\.h>" | grep -vE "^($(echo $vendor | sed 's/ src/|src/g'))" >>"$bad"
done

if [ -s "$bad" ]; then
	cat "$bad"
	echo "layers: $(wc -l <"$bad") includes break the order of the layers"
	exit 1
fi
echo "layers: ok"
