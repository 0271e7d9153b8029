/* SPDX-License-Identifier: MIT */
/* notes.h: the one table of what an install may have to tell although it went well. Codes are stable and never
 * reused. */
#ifndef WP_INSTALL_NOTES_H
#define WP_INSTALL_NOTES_H

#include "install/parts.h"

/* X(name, code, severity, title) */
#define WP_INSTALL_NOTES(X)                                                                        \
	X(SHARED_FILE, "N501", NOTE, "two wheels bring the same file, written once") \
	X(PTH, "N502", NOTE, "a .pth file has a say at every start of Python") \
	X(BOM_SCRIPT, "N503", WARNING, "a script begins with a byte order mark and cannot be run") \
	X(KEPT, "N504", NOTE, "already installed, kept") \
	X(THERE_ALREADY, "N505", WARNING, "files of a wheel were there already, with the same contents") \
	X(NOT_FLUSHED, "N506", WARNING, "the file system could not be flushed to the disk") \
	X(NO_PYTHONW, "N507", WARNING, "a program with windows opens a console too: this Python has no pythonw.exe") \
	X(REPLACED, "N508", NOTE, "distributions of the venv are replaced") \
	X(WAS_CHANGED, "N509", WARNING, "files that were changed since they were installed are replaced") \
	X(FINISHED, "N510", WARNING, "an earlier run had been stopped while it moved files; this was finished first") \
	X(STAYS, "N511", WARNING, "files that were changed since they were installed stay") \
	X(NOT_ALONE, "N512", NOTE, "files stay because another distribution has them too") \
	X(OUTSIDE, "N513", WARNING, "RECORD lists files that are not the distribution's; they stay") \
	X(DUE, "N514", WARNING, "an earlier run was stopped while it moved files; an install finishes that first") \
	X(LONG_PATHS, "N515", WARNING, "paths will be too long for programs of this Windows") \
	X(PASSED_OVER, "N520", NOTE, "wheels of the folder were passed over") \
	X(NONE_FITS, "N521", WARNING, "no wheel of a project fits") \
	X(NO_WHEEL_NAME, "N522", WARNING, "a file of the folder is not named as wheels are") \
	X(MISSING, "N523", WARNING, "a requirement is not met") \
	X(LEFT_OUT, "N530", WARNING, "distributions of the venv are not in the one that takes its place") \
	X(UNDONE, "N531", WARNING, "an earlier run had been stopped while it switched; this was taken back first") \
	X(SEES_SYSTEM, "N532", WARNING, "the venv sees the packages of its base interpreter, the one that takes its place won't") \
	X(STORE_DAMAGED, "N540", WARNING, "an unpacked wheel of the store was not as it was put there; it is unpacked anew") \
	X(STORE_NO_SYNC, "N541", NOTE, "unpacked wheels of the store were put there with --no-sync; they are unpacked anew") \
	X(STORE_CHANGED, "N542", SEVERE, "an unpacked wheel of the store is not as it was put there") \
	X(STORE_UNREADABLE, "N543", WARNING, "an unpacked wheel of the store is of no use") \
	X(EXCEPTED, "N550", WARNING, "files of a wheel are not as its RECORD has them; taken as they are") \
	X(RIGHT, "N551", NOTE, "--allow-wrong-record was not needed") \
	X(CONDAS, "N552", WARNING, "distributions that conda installed are replaced, and conda doesn't know of it") \
	X(NOT_COMPILED, "N560", NOTE, "files that can't be compiled have no bytecode") \
	X(PIP_OF_LOCK, "N561", NOTE, "the pip of the lock is installed, not that of the interpreter") \
	X(HAS_PIP, "N562", NOTE, "the venv has a pip, which stays") \
	X(OWN_PYTHON, "N563", WARNING, "other users can't run the Python of this venv") \
	X(NOT_SHARED, "N564", WARNING, "a directory of the venv isn't open to other users")

typedef enum wp_install_note {
#define WP_INSTALL_NOTE_ENUM(name, code, severity, title) WP_INSTALL_##name,
	WP_INSTALL_NOTES(WP_INSTALL_NOTE_ENUM)
#undef WP_INSTALL_NOTE_ENUM
} wp_install_note;

/* One of these as a finding; why is copied. */
wp_finding *wp_install_note_add(wp_findings *f, wp_arena *a, wp_install_note note, const char *why);
/* One finding for all these files; nothing where n is 0. */
void wp_tell_files(wp_findings *f, wp_arena *a, wp_install_note note, const char *const *v, size_t n);
/* Among the receipt's findings; why is copied. Fill files and next yourself. */
wp_finding *wp_plan_note(const wp_plan *p, wp_install_note note, const char *why);

#endif
