#!/bin/sh
# SPDX-License-Identifier: MIT
# wine.sh PROGRAM ARG...: run a Windows program under Wine, as Windows 10, in a prefix below build/ that is made when it is
# first needed. wine.sh --fresh makes it anew; wine.sh --stop ends its server, which else lives on for some seconds.
# WINE_SECONDS is the most that a program may take.
root=$(cd "$(dirname "$0")/.." && pwd) || exit 2
export WINEPREFIX="$root/build/wineprefix" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
unset DISPLAY WAYLAND_DISPLAY WINEARCH WINESERVER
wine=/usr/lib/wine/wine64
[ -x "$wine" ] || wine=$(command -v wine64) || { echo "wine.sh: package wine64 is missing" >&2 && exit 2; }
server=/usr/lib/wine/wineserver64
[ -x "$server" ] || server=$(command -v wineserver)

stop() {
	[ ! -d "$WINEPREFIX" ] || "$server" -k 2>/dev/null
	return 0
}

# The second of two at once waits for the first one's prefix.
make_prefix() {
	mkdir -p "$root/build"
	(
		flock 9
		[ -e "$WINEPREFIX/made" ] && exit 0
		rm -rf "$WINEPREFIX"
		timeout -k 5 120 "$wine" wineboot -i >/dev/null 2>&1 9>&- &&
			"$wine" reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null 2>&1 9>&- &&
			"$server" -w &&
			: >"$WINEPREFIX/made"
	) 9>"$root/build/wineprefix.lock"
}

case ${1:-} in
--stop) stop ;;
--fresh)
	stop
	rm -rf "$WINEPREFIX"
	make_prefix || { echo "wine.sh: no prefix can be made" >&2 && exit 2; }
	;;
*)
	[ -e "$WINEPREFIX/made" ] || make_prefix || { echo "wine.sh: no prefix can be made" >&2 && exit 2; }
	exec timeout --foreground -k 5 "${WINE_SECONDS:-300}" "$wine" "$@"
	;;
esac
