/* SPDX-License-Identifier: MIT */
/* internal.h: what the files of this room share. A wheel is opened in steps, each of which judges one concern:
 * layout (names, places), collide (what would be written twice), match (RECORD), texts (dist-info). */
#ifndef WP_WHEEL_INTERNAL_H
#define WP_WHEEL_INTERNAL_H

#include "base/vec.h"
#include "ext/hash.h"
#include "wheel/wheel.h"

/* What is taken but worth telling. One finding a kind and wheel, however many members it has. */
typedef enum wheel_note {
	NOTE_TIDIED,	 /* a name that was tidied, or that Windows can't hold */
	NOTE_UTF8_FLAG,	 /* UTF-8 names without the flag */
	NOTE_TWICE,	 /* the same member twice */
	NOTE_CASE,	 /* names that one file system takes for the same */
	NOTE_PYCACHE,	 /* compiled files */
	NOTE_SCRIPT_SUB, /* a script in a sub folder */
	NOTE_SHADOWED,	 /* a script beside an entry point of the same name */
	NOTE_RECORD,	 /* oddities of RECORD */
	NOTE_WHEEL,	 /* oddities of WHEEL */
	NOTE_METADATA,	 /* oddities of METADATA */
	NOTE_ENTRY,	 /* oddities of entry_points.txt */
	NOTE_INSTALLER,	 /* files that the installer writes */
	NOTE_KINDS
} wheel_note;

enum { NOTE_SHOWN = 5 };

typedef struct wheel_folder {
	const wp_zip_entry *entry;
	const char *path; /* tidied, without the final '/' */
} wheel_folder;

typedef struct wheel_opening {
	wp_arena *a;	   /* of the wheel */
	wp_arena *scratch; /* until it is open */
	wp_wheel *w;
	wp_names names;
	bool windows; /* names are those of Windows */
	const wp_ctx *excepting; /* what is not as RECORD has it becomes an exception; NULL: it is refused */
	WP_VEC(wp_exception) found;
	wp_unpacker *unpacker;
	wheel_folder *folders; /* folder entries */
	size_t nfolders;
	struct {
		size_t n;
		const char *shown[NOTE_SHOWN];
	} notes[NOTE_KINDS];
	wp_error *e;
} wheel_opening;

void wheel_noted(wheel_opening *o, wheel_note kind, const char *fmt, ...) WP_PRINTF(3, 4);
void wheel_notes_out(const wheel_opening *o, wp_findings *out);

/* Folder name "torch-2.11.0" against the file name, both normalised. */
bool wheel_stem_fits(wp_arena *scratch, wp_str stem, const wp_wheel_name *name);
/* Members, dist_info, data_dir, places. */
int wheel_layout(wheel_opening *o);
/* Scripts or data that would replace a part of the venv itself. file: below its folder. */
bool wheel_script_is_reserved(const char *file);
/* Drops members that stand twice; refuses what would be written to one place. */
int wheel_collide(wheel_opening *o);
/* Read RECORD and match rows and members both ways. */
int wheel_match(wheel_opening *o, const char *expect_record);
/* except.c: the exception that was promised for a member, NULL; the member taken by it. row is RECORD's, or NULL. */
const wp_exception *wheel_pinned(const wheel_opening *o, const char *name);
int wheel_take_pinned(wheel_opening *o, wp_member *m, const wp_record_row *row, const wp_exception *x);
/* The member read, and taken with an exception if it is not as row, which may be NULL; then all those made so. */
int wheel_take_found(wheel_opening *o, wp_member *m, const wp_record_row *row);
void wheel_keep_found(wheel_opening *o);
/* WHEEL, METADATA, entry_points.txt. */
int wheel_texts(wheel_opening *o);
/* A member of dist-info by its file name, NULL if absent. */
wp_member *wheel_info_member(const wp_wheel *w, const char *file);

/* wp_member_read, where the caller names the wheel: all of it is as the directory and its row say. */
int wheel_member_read(wp_unpacker *u, const wp_blob *blob, const wp_member *m, wp_sink sink, void *user,
	unsigned char *sha256, wp_error *e);
/* wp_member_text, where the caller names the wheel. */
int wheel_member_text(wp_unpacker *u, wp_arena *a, const wp_blob *blob, const wp_member *m, size_t max, wp_str *out,
	wp_error *e);
/* Whole text of one entry, held to the directory; RECORD is not asked. */
int wheel_stream_text(wp_unpacker *u, wp_arena *a, const wp_blob *blob, const wp_zip_entry *en, size_t max, wp_str *out,
	wp_error *e);

#endif
