/* SPDX-License-Identifier: MIT */
/* verify.h: the plan of a verification, shared by its two passes. */
#ifndef WP_BUNDLE_VERIFY_H
#define WP_BUNDLE_VERIFY_H

#include <stdatomic.h>

#include "bundle/source.h"
#include "wheel/wheel.h"

typedef struct wp_fault {
	wp_code code;
	const char *where, *why;
} wp_fault;

typedef struct wp_faults {
	wp_fault *v;
	size_t n, cap;
} wp_faults;

/* One file to check, in plan order. */
typedef struct wp_check {
	const char *path;	   /* in the bundle */
	uint64_t size;
	const char *sha256;	   /* NULL: nobody promised one */
	const char *wheel;	   /* file name; NULL where it is no wheel */
	wp_record_pin record;	   /* of a wheel; nothing in it: nobody promised anything */
	bool unlisted;		   /* there, but not in bundle.json */
	bool by_member;		   /* hold the members against RECORD */
	bool wrong_digest;	   /* the one fault is the file's own digest: its members tell where */
	wp_faults faults;
} wp_check;

typedef struct wp_verifying {
	wp_ctx *ctx;
	wp_bundle *b;
	wp_check *checks; size_t n;
	atomic_ullong bytes, items;
	uint64_t bytes_total;
} wp_verifying;

/* Texts are copied into arena a. */
void wp_faults_add(wp_faults *f, wp_arena *a, wp_code code, const char *where, const char *why);
/* How the wheel's names are judged. */
wp_names wp_check_names(const wp_verifying *v, const wp_check *c);
void wp_verify_report(const wp_verifying *v);
/* verify_members.c: the second pass, over the checks with by_member. */
int wp_verify_members(wp_verifying *v, wp_error *e);

#endif
