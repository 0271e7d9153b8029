/* SPDX-License-Identifier: MIT */
/* notes.h: the one table of what the lock stage may have to tell although it went well. Codes are stable and never
 * reused. */
#ifndef WP_RESOLVE_NOTES_H
#define WP_RESOLVE_NOTES_H

/* X(name, code, severity, title) */
#define WP_LOCK_NOTES(X)                                                                           \
	X(CPU_BUILD, "C801", NOTE, "torch is a CPU build")                                         \
	X(TORCH_UNKNOWN, "N101", NOTE, "this torch is newer than wheelpack's facts")               \
	X(SOURCE_ONLY, "N102", NOTE, "a newer version has no wheel and was passed over")           \
	X(YANKED, "N103", WARNING, "a yanked version was taken")                                   \
	X(HOST_MARKER, "N104", NOTE, "a marker asks what only the machine itself knows")           \
	X(NO_DIGEST, "N105", NOTE, "the index gives no digest")                                    \
	X(CLOSED_VARIANT, "N106", NOTE, "this variant gets no newer torch")                        \
	X(HELD_BACK, "N107", NOTE, "a newer version was held back")                                \
	X(VARIANT_UNKNOWN, "N108", NOTE, "wheelpack's facts do not have this variant")             \
	X(REPAIRED, "N109", NOTE, "a requirement is not as the standard wants it and was repaired") \
	X(PRERELEASE, "N110", NOTE, "a pre-release was taken")                                     \
	X(NO_EXTRA, "N111", WARNING, "there is no such extra")                                     \
	X(UNDATED, "N112", WARNING, "an index does not say when files were uploaded")              \
	X(DIFFERS, "N113", NOTE, "the targets have different versions")                            \
	X(NOT_KEPT, "N114", NOTE, "a version of the earlier lock cannot be had any more")          \
	X(REPLACED, "N115", WARNING, "a file is not the one of the earlier lock")                 \
	X(NEWER_THAN_DATE, "N116", NOTE, "versions of the earlier lock are newer than the date")

#endif
