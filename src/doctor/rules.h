/* SPDX-License-Identifier: MIT */
/* rules.h: the one table of findings, and the groups of rules that fill it in. A rule gets the facts, adds findings
 * and never fails. To add a rule: a line in WP_RULES (its place is its rank: root causes first) and the code that
 * sees it. */
#ifndef WP_DOCTOR_RULES_H
#define WP_DOCTOR_RULES_H

#include "doctor/facts.h"
#include "doctor/graph.h"

/* X(id, code, severity, title, remedy) */
#define WP_RULES(X)                                                                                \
	X(STOPPED_RUN, "I112", WP_SEVERE, "an install was stopped while it moved files",           \
		"`wheelpack repair --venv DIR` finishes it, with --undo it is taken back")         \
	X(CPU_BUILD, "C801", WP_SEVERE, "this torch is a CPU build",                               \
		"bundle again with `--cuda` and a variant that has this torch; `wheelpack matrix` " \
		"lists them")                                                                      \
	X(CPU_BUILD_NOTE, "C801", WP_NOTE, "this torch is a CPU build",                            \
		"where a GPU is to be used, bundle again with `--cuda` and a variant that has this " \
		"torch; `wheelpack matrix` lists them")                                            \
	X(NOT_TOGETHER, "C802", WP_SEVERE, "these distributions don't belong together",            \
		"bundle torch, torchvision and torchaudio in one request, with one `--cuda`")      \
	X(PE_MACHINE, "W312", WP_SEVERE, "a DLL is for another kind of machine",                   \
		"install the wheel for this machine")                                              \
	X(PE_DAMAGED, "W313", WP_SEVERE, "a DLL is damaged",                                       \
		"install the wheel again from a verified bundle (`wheelpack verify`)")             \
	X(ELF_UNUSABLE, "L410", WP_SEVERE, "a shared library can't be loaded",                     \
		"install the wheel again from a verified bundle (`wheelpack verify`)")             \
	X(NO_DRIVER, "D501", WP_SEVERE, "no NVIDIA driver",                                        \
		"install the NVIDIA driver from its vendor")                                       \
	X(NO_DRIVER_NOTE, "D501", WP_NOTE, "no NVIDIA driver", "a CPU build needs none")           \
	X(OLD_DRIVER, "D503", WP_SEVERE, "the NVIDIA driver is too old", "update the driver")      \
	X(VC_RUNTIME, "W302", WP_WARNING, "the VC++ runtime is needed and not carried",            \
		"install the Visual C++ redistributable for this machine (vc_redist.x64.exe) on "  \
		"the PC: carry its installer on the stick")                                        \
	X(NO_DLL, "W301", WP_SEVERE, "a DLL is found nowhere",                                     \
		"install the set again from a complete bundle")                                    \
	X(UNKNOWN_DLL, "W301", WP_WARNING, "a DLL is neither in the set nor known in Windows",     \
		"nothing, if the PC's System32 has it; else the package that needs it wants a "    \
		"program installed first: see its manual")                                         \
	X(NO_SO, "L401", WP_SEVERE, "a shared library is found nowhere",                           \
		"install the set again from a complete bundle")                                    \
	X(UNKNOWN_SO, "L401", WP_WARNING, "a shared library is found nowhere",                     \
		"install the system's package that has it on the PC")

typedef enum wp_rule {
#define WP_RULE_ENUM(id, code, severity, title, remedy) WP_RULE_##id,
	WP_RULES(WP_RULE_ENUM)
#undef WP_RULE_ENUM
	WP_RULE_COUNT
} wp_rule;

typedef struct wp_exam {
	wp_ctx *ctx;
	const wp_doctor_request *in;
	const wp_facts *facts;
	const wp_graph *graph;
	wp_doctor_result *out;
} wp_exam;

/* Add a finding with the table's severity. subject goes behind the title, NULL for none; why is formatted. */
wp_finding *wp_rule_add(wp_exam *x, wp_rule rule, const char *subject, const char *why, ...) WP_PRINTF(4, 5);
/* Root causes first: by severity, then by the table, then as found. */
void wp_rules_sort(wp_exam *x);
/* A line for the good list. */
void wp_rule_good(wp_exam *x, const char *fmt, ...) WP_PRINTF(2, 3);

void wp_rules_set(wp_exam *x);	  /* rules_set.c: I112, C801, C802 */
void wp_rules_driver(wp_exam *x); /* rules_driver.c: D501, D503 */
void wp_rules_libs(wp_exam *x);	  /* rules_libs.c: W3xx, L4xx */

#endif
