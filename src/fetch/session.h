/* SPDX-License-Identifier: MIT */
/* session.h: what the files of this room share: the session, its indexes, its cache, and GETs that are tried again. All
 * of it belongs to the thread that calls the stage. */
#ifndef WP_FETCH_SESSION_H
#define WP_FETCH_SESSION_H

#include "ext/http.h"
#include "wheelpack/fetch.h"

/* ---- GETs that are tried again ------------------------------------------------------------ */

typedef struct wp_get wp_get;

typedef enum wp_get_go {
	WP_GET_ASK,  /* go on and ask the server */
	WP_GET_WAIT, /* not now; prepare is called again soon */
	WP_GET_END   /* nothing needs to be asked: done is called, with get->http.error if it was set */
} wp_get_go;

/* Zeroed and filled by its owner; lives until done was called. Transient faults (network, TLS, 429, 5xx) are tried
 * again after a pause, for the PyTorch index at its other host. */
struct wp_get {
	const char *url;
	const char *index;    /* id of the index it belongs to: its credentials are used on its origin */
	wp_http_request http; /* the owner fills what is to be asked; the answer and error are found here */
	wp_get_go (*prepare)(void *user, wp_get *g); /* before each try; may be NULL */
	int (*sink)(void *user, const wp_http_response *r, const void *p, size_t n, wp_error *e);
	void (*done)(void *user, wp_get *g);
	void *user;
	bool urgent; /* somebody waits for it */
	/* private */
	wp_session *s;
	wp_arena *a; /* of the answers, from the first try on */
	int tries;
	uint64_t due, moved; /* moved: bytes since the last fault */
	bool queued, active;
	wp_get *next;
};

void wp_get_start(wp_session *s, wp_get *g);
/* Ask again from the start, from within done. */
void wp_get_again(wp_get *g);
/* Give up without done, or free what a finished one holds; nothing where it was never started. */
void wp_get_drop(wp_get *g);
/* Somebody waits for it: to the head of the queue. */
void wp_get_hurry(wp_get *g);
/* WP_E_HTTP for a status that is no answer to what was asked: all but 200, 206 to a range, 304 to a condition. */
int wp_get_status(wp_get *g);
/* The same path on the other host of the PyTorch index; NULL for other hosts. */
const char *wp_sibling(wp_arena *a, const char *url);
/* Move everything on, wait up to ms. WP_E_INTERRUPTED when the user asked to stop. */
int wp_pump(wp_session *s, int ms, wp_error *e);

/* ---- session ------------------------------------------------------------------------------ */

typedef struct wp_source_index {
	const char *id, *url; /* without credentials; ends in '/' unless it is a folder */
	const char *origin, *userpwd;
	bool variant;
	const char *folder;   /* find-links: a directory */
	struct wp_folder_name *names; /* its wheels and sdists by project, NULL until it was listed */
	size_t nnames;
} wp_source_index;

typedef struct wp_catalog_state wp_catalog_state;

struct wp_session {
	wp_ctx *ctx;
	wp_arena *a;
	wp_net net;
	const char *cache; /* directory */
	struct wp_cache_writer *writer; /* opened with the first entry */
	wp_source_index *indexes;
	size_t nindexes;
	const wp_compat *compat;
	wp_http *http; /* opened with the first request */
	bool no_ca;    /* there are no CA certificates on this machine */
	wp_get *queue;
	size_t active;
	wp_catalog catalog;
	wp_catalog_state *state;
	wp_findings notes;
};

/* "user:password" for this address: of the index of that id, else of any on the same origin; NULL if none. */
const char *wp_session_userpwd(const wp_session *s, const char *index, const char *url);
/* X(name, code, title): what a session may note. Codes are stable and never reused. */
#define WP_FETCH_NOTES(X)                                                                          \
	X(CONTRADICTED, "N201", "a metadata file contradicts its digest and was not used")            \
	X(NO_FOLDER, "N202", "a folder of wheels is not there")                                       \
	X(NO_CACHE, "N203", "the cache could not be written; what it lacks is asked for again next time") \
	X(DAMAGED, "N204", "a wheel in the cache is damaged and is fetched again")                    \
	X(EXCEPTED, "N205", "files of a wheel are not as its RECORD has them; taken as they are, and recorded") \
	X(RIGHT, "N206", "--allow-wrong-record was not needed")

typedef enum wp_fetch_note {
#define WP_FETCH_NOTE_ENUM(name, code, title) WP_FETCH_##name,
	WP_FETCH_NOTES(WP_FETCH_NOTE_ENUM)
#undef WP_FETCH_NOTE_ENUM
} wp_fetch_note;
wp_finding *wp_fetch_note_add(wp_findings *to, wp_arena *a, wp_fetch_note note, const char *why);
void wp_session_note(wp_session *s, wp_fetch_note note, const char *why);

/* What is given to it must be there until the session is closed. */
struct wp_cache_writer *wp_session_writer(wp_session *s);

/* The catalogue's state; made and freed by the session. */
void wp_catalog_init(wp_session *s);
void wp_catalog_free(wp_session *s);

/* ---- folders of wheels -------------------------------------------------------------------- */

/* Path of a file:// address in arena a; NULL where it is none, or names another machine. */
const char *wp_file_url_path(wp_arena *a, const char *url);
/* Files of the project in the folder; *out is NULL where there are none. */
int wp_folder_project(wp_session *s, wp_source_index *x, const char *project, const wp_project **out, wp_error *e);

/* ---- pages -------------------------------------------------------------------------------- */

/* One project page of one index: from the cache, or asked for. */
typedef struct wp_page_job {
	wp_session *s;
	const wp_source_index *index;
	const char *project;
	void (*done)(void *user);
	void *user;
	const wp_project *answer; /* NULL: the index has no such project */
	wp_error error;
	/* private */
	wp_get get;
	char key[WP_SHA256_HEX + 1]; /* in the cache */
	struct wp_page_reader *reader;
	wp_buf packed;		     /* what the answer's texts lie in: as it came, or as the cache has it */
	struct wp_page_entry *old;   /* what the cache had, where it has to be asked about */
} wp_page_job;

/* True where the answer is there at once; false where done will be called. */
bool wp_page_start(wp_page_job *j);
void wp_page_urgent(wp_page_job *j);
/* The answer goes with it. */
void wp_page_drop(wp_page_job *j);

/* ---- metadata ----------------------------------------------------------------------------- */

typedef struct wp_metadata_job wp_metadata_job;

/* Start on the METADATA of a file that the catalogue gave out. key: wp_metadata_key of it. */
wp_metadata_job *wp_metadata_start(wp_session *s, const wp_file *file, const char *key);
bool wp_metadata_done(const wp_metadata_job *j);
void wp_metadata_urgent(wp_metadata_job *j);
/* What came out, once it is done. */
int wp_metadata_result(const wp_metadata_job *j, wp_str *out, wp_error *e);
void wp_metadata_drop(wp_metadata_job *j);
/* Key of a file's METADATA in the cache. */
void wp_metadata_key(const wp_file *file, char out[WP_SHA256_HEX + 1]);

#endif
