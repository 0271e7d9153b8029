/* SPDX-License-Identifier: MIT */
/* cli.h: the program around the library: options, one output, and the commands. */
#ifndef WP_CLI_CLI_H
#define WP_CLI_CLI_H

#include "base/str.h"
#include "ext/json_out.h"
#include "wheelpack/bundle.h"
#include "wheelpack/doctor.h"
#include "wheelpack/install.h"
#include "wheelpack/probe.h"

typedef struct cli_list {
	const char **v;
	size_t n, cap;
} cli_list;

/* Every option of every command, as given. Text is NULL, numbers are 0 where not given. */
typedef struct cli_options {
	bool help, version, json, quiet;
	bool pre, deep, no_sync, dry_run, force, require_index_hashes, no_index, offline, refresh, cpu, child, upgrade, no_cache,
		no_suggest, undo, allow_conda, fix, beside, trial, wait;
	bool compile, compile_hashes, with_pip, all_users;
	const char *cuda, *python, *platform, *out, *venv, *lock, *cache_dir, *index_url, *cert, *proxy,
		*variant_index_base, *torch, *driver, *dest, *tools, *exclude_newer, *store;
	const char *jobs_text, *timeout_text, *retries_text, *days_text;
	cli_list update; /* "" stands for all */
	cli_list explain, targets, extra_index_urls, find_links, requirement_files, constraint_files, refetch,
		trusted_hosts, allow_wrong_record;
	cli_list args;
	cli_list trial_words; /* behind -- where --try is given */
} cli_options;

typedef struct cli cli;

typedef struct cli_command {
	const char *name;
	const char *summary; /* one line */
	const char *usage;   /* "[OPTIONS] REQUIREMENT..." */
	const char *about;   /* paragraphs and examples */
	const char *const *options; /* names of those it takes, ends in NULL */
	/* Prints its own text; fills cli->result for --json. Returns 0 or the code of the error. */
	int (*run)(cli *c, wp_error *e);
	bool findings_fail; /* exit 1 where there is a finding of severity error */
} cli_command;

struct cli {
	wp_ctx ctx;
	cli_options o;
	const cli_command *command;
	const char *program; /* as it can be typed again */
	wp_compat compat;
	wp_findings findings; /* what the stages told; printed by cli_findings */
	wp_jnode *result;     /* of --json */
	struct cli_progress *progress;
};

extern const cli_command cmd_lock, cmd_bundle, cmd_verify, cmd_install, cmd_check, cmd_uninstall, cmd_repair, cmd_rollback,
	cmd_store, cmd_doctor, cmd_probe, cmd_target, cmd_matrix;

/* ---- opts.c */
/* Fills c->command and c->o from the words after the program's name. WP_E_USAGE. */
int cli_parse(cli *c, int argc, char **argv, wp_error *e);
int cli_jobs(const cli *c, wp_error *e); /* 0 on a fault */
void cli_list_add(wp_arena *a, cli_list *l, const char *s);

/* ---- help.c */
const cli_command *cli_find_command(const char *name);
const char *cli_near_command(const char *name);
void cli_help(const cli_command *command); /* NULL: the program's */

/* ---- print.c */
/* Prose of the command: stdout, or stderr with --json; nothing with --quiet. */
void cli_say(cli *c, const char *fmt, ...) WP_PRINTF(2, 3);
/* What the command was asked for: with --quiet too, unless JSON has it. */
void cli_answer(cli *c, const char *fmt, ...) WP_PRINTF(2, 3);
/* Add a stage's findings to the command's and print them; of many in a row that are alike the first. */
void cli_findings(cli *c, const wp_findings *f);
void cli_all_findings(cli *c, const wp_findings *f); /* however many faults are among them */
void cli_error(cli *c, const wp_error *e);
void cli_flush(cli *c); /* what was said */
/* The one JSON object of --json. */
void cli_json(cli *c, const wp_error *e, int exit_code);
const char *cli_bytes(wp_arena *a, uint64_t n);	 /* "2.75 GB" */
const char *cli_seconds(wp_arena *a, uint64_t ms); /* "1.4 s" */
const char *cli_count(wp_arena *a, uint64_t n, const char *noun); /* "1 wheel", "2 wheels" */
const char *cli_word(wp_arena *a, const char *path); /* as a shell takes it: quoted where it must be */
/* The words that were given and --venv, each with a stand-in where it lacks: "torch.wpk --venv env". */
const char *cli_example(cli *c, const char *word);
/* A path of the command line as JSON has it: absolute. */
const char *cli_full(cli *c, const char *path);
/* What --target names, as a lock has it, who calls cp312-linux_x86_64 by its manylinux tag; NULL where there is none. */
const char *cli_named_target(cli *c);

/* ---- progress.c */
void cli_progress_start(cli *c);
void cli_progress_stop(cli *c); /* clears the line */

/* ---- sources.c: indexes and network */
typedef struct cli_sources {
	wp_index *indexes;
	size_t nindexes;
	wp_net net;
	const char *cache_dir;
} cli_sources;
/* From the options, else from pip's configuration, else what pip has built in. With --no-index there may be none. */
int cli_sources_read(cli *c, const char *variant, cli_sources *out, wp_error *e);
wp_session_options cli_session_options(const cli *c, const cli_sources *s);
/* For the lock document. */
const wp_lock_index *cli_lock_indexes(wp_arena *a, const wp_index *v, size_t n);
/* The variant of a PyTorch index address ("cu121"), or NULL. */
const char *cli_variant_of_url(wp_arena *a, const char *url);

/* ---- pip_index.c */
/* As Python's os.devnull has it, which pip compares with. */
#ifdef _WIN32
#define CLI_NULL_DEVICE "nul"
#else
#define CLI_NULL_DEVICE "/dev/null"
#endif
/* The index that pip has built in; where it has to be asked, its answer is kept below cache. */
int cli_pip_index(cli *c, const char *cache, const char **out, wp_error *e);

/* ---- request.c: what is asked for */
typedef struct cli_request {
	cli_list requirements, constraints;
	wp_target *targets;
	size_t ntargets;
	const char *variant; /* NULL: none asked */
	bool pre;
	bool as_before; /* the targets are those of the earlier lock */
} cli_request;
/* earlier: the lock whose targets are meant where none are named; may be NULL. */
int cli_request_read(cli *c, const wp_lock_doc *earlier, cli_request *out, wp_error *e);
/* The same target with this variant. */
int cli_target_with(wp_arena *a, const wp_target *t, const char *variant, wp_target *out, wp_error *e);
/* This machine's Python, or the one that --python names. */
int cli_interpreter(cli *c, const char *spec, wp_interpreter *out, wp_error *e);

/* ---- wheel_word.c */
#define CLI_NOT_BUILT "nothing is built here: build a wheel elsewhere (`pip wheel`), and name that"
/* The requirement that a wheel's path or bare address stands for, with its extras and marker; *out is NULL where the word
 * is neither. WP_E_REQUIREMENT, WP_E_NOT_FOUND for a folder, a source repository, a path to something else. */
int cli_wheel_word(cli *c, const char *word, const char **out, wp_error *e);

/* ---- cmd_install.c, shared with check */
/* As the options say; of a bundle (NULL: none) what it has to give. The time is the caller's to set. */
wp_install_request cli_install_request(cli *c, const wp_bundle *b);
/* The refusals among the findings of an install that failed: one is what the error says, several are listed. */
void cli_refusals(cli *c, const wp_findings *f);

/* ---- cmd_repair.c, shared with rollback */
/* WP_E_USAGE unless there is --venv, and no other word. */
int cli_only_venv(cli *c, wp_error *e);
const char *cli_repaired(wp_repaired r); /* as JSON has it */

/* ---- cmd_doctor.c, shared with the others that take a bundle */
/* After WP_E_BUNDLE: if it is a lock that was given for a bundle, say what is made of it. */
void cli_advise_bundle(cli *c, const char *path, wp_error *e);
/* WP_E_BUNDLE for a folder of wheels or one wheel, with how to make a bundle of it. */
int cli_no_bundle(cli *c, const char *path, wp_error *e);

/* Examine a venv, which may lie elsewhere than it says of itself, and say what was found. softly: that there is no driver
 * is a warning. */
int cli_doctor_venv(cli *c, const char *venv, bool softly, wp_doctor_result *out, wp_pc *pc, wp_error *e);

/* ---- cmd_probe.c */
/* Probe the GPU in a process of its own, and say what was found. */
int cli_probe(cli *c, wp_probe_report *out, wp_error *e);

/* ---- trial.c */
/* What install --try does with the new environment, as the fn of a wp_trial; user is the cli. */
int cli_trial(void *user, const char *dir, const char *python, wp_error *e);

/* ---- cmd_lock.c, shared with bundle */
/* Solve; says the first line and the notes. earlier: the lock that is made again; may be NULL. */
int cli_lock(cli *c, const wp_lock_doc *earlier, wp_session **session, wp_lock_result *out, wp_error *e);

#endif
