/* SPDX-License-Identifier: MIT
 *
 * error.h: how a failure travels. One wp_error lives on the caller's stack. The function that
 * detects a fault sets code, sys, why and the innermost where; each caller puts its own place in
 * front with wp_err_where(); the stage says what was attempted and what state the disk is in. The
 * first fault wins: filling an error that is already set changes nothing. Printed once, by the CLI.
 */
#ifndef WHEELPACK_ERROR_H
#define WHEELPACK_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#if defined(__GNUC__)
#define WP_MUST_USE __attribute__((warn_unused_result))
#if defined(__MINGW32__) /* where printf means Microsoft's old one */
#define WP_PRINTF(f, a) __attribute__((format(gnu_printf, f, a)))
#else
#define WP_PRINTF(f, a) __attribute__((format(printf, f, a)))
#endif
#else
#define WP_MUST_USE
#define WP_PRINTF(f, a)
#endif

/* Exit classes of the program. 1 means that something was found not to work: findings of severity error, a trial. */
enum wp_exit {
	WP_EXIT_OK = 0,
	WP_EXIT_FINDINGS = 1,
	WP_EXIT_USAGE = 2,
	WP_EXIT_NO_SOLUTION = 3,
	WP_EXIT_NETWORK = 4,
	WP_EXIT_INTEGRITY = 5,
	WP_EXIT_ENVIRONMENT = 6,
	WP_EXIT_INTERNAL = 7,
	WP_EXIT_INTERRUPTED = 130
};

/* The one table: X(code, exit class, what kind of fault, advice). Codes are stable and never reused. */
#define WP_ERRORS(X)                                                                               \
	X(USAGE, USAGE, "wrong command line", "run `wheelpack --help`")                            \
	X(TARGET, USAGE, "not a target",                                                           \
		"write a target as cp312-win_amd64 or cp312-manylinux_2_28_x86_64-cu126")          \
	X(VARIANT, USAGE, "not a CUDA variant", "write a variant as cu126 or cpu; `wheelpack "     \
						"matrix` lists them")                              \
	X(REQUIREMENT, USAGE, "not a requirement",                                                 \
		"write requirements as torch, torch==2.11.0 or \"torch>=2.6,<2.8\"")               \
	X(NO_PROJECT, NO_SOLUTION, "no index has this project", "check the spelling, or add the "  \
								"index with --extra-index-url")    \
	X(NO_WHEEL, NO_SOLUTION, "no wheel fits the target",                                       \
		"choose another --python or --platform, or another version")                       \
	X(CONFLICT, NO_SOLUTION, "no set of versions fits", "loosen one of the requirements "      \
							    "named above")                         \
	X(NETWORK, NETWORK, "the network failed", "check the connection and run the same command " \
						  "again: what was fetched is kept")               \
	X(HTTP, NETWORK, "the server refused", "check the index address and the credentials")      \
	X(TLS, NETWORK, "TLS verification failed",                                                 \
		"check the clock and the CA certificates (--cert)")                                \
	X(PAGE, INTEGRITY, "not a usable index page", "check that the address is that of a "       \
						      "PEP 503 or PEP 691 index")                  \
	X(TOO_LARGE, INTEGRITY, "larger than allowed", "check the source of this file")            \
	X(DIGEST, INTEGRITY, "wrong digest", "fetch the file again")                               \
	X(ZIP, INTEGRITY, "damaged or hostile zip", "fetch or copy the file again")                \
	X(WHEEL, INTEGRITY, "not an installable wheel", "take another version of this "            \
							"distribution and tell its authors")       \
	X(RECORD, INTEGRITY, "contents differ from RECORD", "fetch or copy the wheel again")       \
	X(PATH, INTEGRITY, "path not allowed in a wheel", "do not install this wheel")             \
	X(METADATA, INTEGRITY, "unusable metadata", "take another version of this distribution")   \
	X(DOCUMENT, INTEGRITY, "unusable document", "make the file again with wheelpack")          \
	X(BUNDLE, INTEGRITY, "not the bundle that was written", "copy the bundle again, or "       \
								"rebuild it")                      \
	X(WRONG_TARGET, ENVIRONMENT, "made for another target", "make a bundle for this target, "  \
								"or choose another --python")      \
	X(REQUIRES_PYTHON, ENVIRONMENT, "needs another Python version", "choose another --python") \
	X(NOT_FOUND, ENVIRONMENT, "no such file", "check the path")                                \
	X(EXISTS, ENVIRONMENT, "already exists", "choose another name")                            \
	X(PERMISSION, ENVIRONMENT, "permission denied", "check the owner and mode of the path")    \
	X(DISK_FULL, ENVIRONMENT, "no space left", "free some space and run the command again")    \
	X(IO, ENVIRONMENT, "the system refused", "see the reason above")                           \
	X(NO_INTERPRETER, ENVIRONMENT, "no usable Python interpreter",                             \
		"name one with --python PATH")                                                     \
	X(VENV, ENVIRONMENT, "not a usable virtual environment", "choose a new directory for "     \
								 "--venv")                         \
	X(BUSY, ENVIRONMENT, "in use", "wait until the other process has ended")                   \
	X(COLLISION, ENVIRONMENT, "the file exists and belongs to something else",                 \
		"install into a new venv")                                                         \
	X(TRIAL, FINDINGS, "the new environment did not stand its trial",                           \
		"nothing was put in place: see above why, then make another bundle, or install without --try") \
	X(INTERNAL, INTERNAL, "internal error", "report this with the command that shows it")      \
	X(INTERRUPTED, INTERRUPTED, "interrupted", "run the same command again")

typedef enum wp_code {
	WP_OK = 0,
#define WP_ERROR_ENUM(code, exit, text, advice) WP_E_##code,
	WP_ERRORS(WP_ERROR_ENUM)
#undef WP_ERROR_ENUM
	WP_E_COUNT
} wp_code;

typedef struct wp_error {
	wp_code code;
	int sys;	  /* the system's or library's own number, 0 if none */
	char what[256];	  /* the operation the user asked for: "cannot install 'torch 2.5.1'" */
	char where[1024]; /* outer to inner, comma separated */
	char why[1024];	  /* plain cause, then the system's own words */
	char next[512];	  /* advice; empty means the table's */
	char state[256];  /* what is on disk now; empty means nothing was changed */
} wp_error;

/* "WP_E_DIGEST"; static. */
const char *wp_code_name(wp_code code);
/* Exit class of a code. */
int wp_code_exit(wp_code code);
/* Table text and table advice of a code; static. */
const char *wp_code_text(wp_code code);
const char *wp_code_advice(wp_code code);

/* Set code and why, unless e is already set. Returns e->code, so `return wp_fail(...)` works. */
int wp_fail(wp_error *e, wp_code code, const char *fmt, ...) WP_PRINTF(3, 4);
/* The same with a system error number; its words are appended to why by the os layer. */
int wp_fail_sys(wp_error *e, wp_code code, int sys, const char *fmt, ...) WP_PRINTF(4, 5);
/* Put an outer place in front of where. Returns e->code. */
int wp_err_where(wp_error *e, const char *fmt, ...) WP_PRINTF(2, 3);
/* Fill what, next or state if still empty. Return e->code. */
int wp_err_what(wp_error *e, const char *fmt, ...) WP_PRINTF(2, 3);
int wp_err_next(wp_error *e, const char *fmt, ...) WP_PRINTF(2, 3);
int wp_err_state(wp_error *e, const char *fmt, ...) WP_PRINTF(2, 3);

#endif
