/* SPDX-License-Identifier: MIT */
/* names.h: what is known about a library by its name alone. */
#ifndef WP_DOCTOR_NAMES_H
#define WP_DOCTOR_NAMES_H

#include "base/str.h"

typedef struct wp_name_fact {
	const char *stem;    /* the name begins so, in lower case */
	const char *carrier; /* the distribution that carries it; NULL: none of a torch set does */
	bool optional;	     /* what needs it works without it until a feature is used */
	const char *next;    /* advice where the general one would mislead; may be NULL */
} wp_name_fact;

/* NULL where nothing is known: the system may have it. */
const wp_name_fact *wp_name_known(const char *name);
/* A file of the Visual C++ redistributable. */
bool wp_name_is_vc_runtime(const char *name);

#endif
