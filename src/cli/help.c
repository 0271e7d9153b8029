/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"

static const cli_command *const commands[] = {
	&cmd_bundle, &cmd_verify, &cmd_install, &cmd_check, &cmd_uninstall, &cmd_repair, &cmd_rollback, &cmd_store,
	&cmd_doctor, &cmd_probe, &cmd_lock,
	&cmd_target, &cmd_matrix};

enum { NCOMMANDS = sizeof commands / sizeof commands[0] };

/* What each option means, once for all commands but those that mean less by it. */
static const struct {
	const char *name, *left, *text, *only; /* only: for this command */
} option_help[] = {
	{"venv", "--venv DIR", "the virtual environment"},
	{"cuda", "--cuda VARIANT", "cu118 ... cu132 (also 12.6), or cpu; takes torch from that PyTorch index"},
	{"cpu", "--cpu", "the same as --cuda cpu"},
	{"python", "-p, --python WHAT", "3.12, 3.12.7, cp313t, or an interpreter that is asked"},
	{"python", "-p, --python WHAT", "of a new venv: a path, python3.12, 3.12; default: the first that the bundle is for", "install"},
	{"python", "-p, --python V", "only what has wheels for this Python", "matrix"},
	{"platform", "--platform TAG", "win_amd64, manylinux_2_28_x86_64, linux, windows"},
	{"target", "-t, --target T", "cp312-win_amd64[-cu126] in one word; may repeat"},
	{"target", "-t, --target T", "which of the targets of the bundle; needed where more than one fits", "install"},
	{"target", "-t, --target T", "which of the targets of the bundle; needed where more than one fits", "check"},
	{"requirement", "-r, --requirement F", "take requirements from a file; may repeat"},
	{"constraint", "-c, --constraint F", "a file of versions that hold if the project comes in; may repeat"},
	{"lock", "--lock FILE", "bundle exactly what this lock names"},
	{"out", "-o, --out PATH", "what to write; a bundle is one file where this ends in .wpk, else a directory"},
	{"force", "--force", "replace the bundle of that name"},
	{"tools", "--tools DIR", "the wheelpack and wheelpack.exe that travel; default: beside this program"},
	{"explain", "--explain PROJECT", "who asks for it, and why nothing newer was taken; may repeat"},
	{"no-suggest", "--no-suggest", "don't look for a request near this one that can be locked"},
	{"update", "--update [PROJECT]", "newest versions instead of those of the lock that -o names; of one, or of all"},
	{"exclude-newer", "--exclude-newer DATE", "only what was uploaded before; 2025-06-30 takes that day (UTC)"},
	{"pre", "--pre", "pre-releases are as good as releases"},
	{"index-url", "-i, --index-url URL", "instead of pip's index; a PyTorch address means --cuda"},
	{"extra-index-url", "--extra-index-url URL", "asked first; may repeat"},
	{"find-links", "-f, --find-links DIR", "a folder of wheels, asked first; may repeat"},
	{"no-index", "--no-index", "only folders, and wheels named by path or address"},
	{"variant-index-base", "--variant-index-base URL", "a mirror of https://download.pytorch.org/whl/"},
	{"require-index-hashes", "--require-index-hashes", "refuse wheels for which the index gives no sha256"},
	{"refetch", "--refetch PROJECT", "fetch its wheel again, whatever the cache holds; may repeat"},
	{"dry-run", "--dry-run", "say what would be done, or what stands against it, and change nothing"},
	{"beside", "--beside", "build the venv anew beside the one that is there, then switch; that one is kept"},
	{"try", "--try [-- WORDS]", "before the switch run doctor and probe in the new venv, or its python with WORDS"},
	{"store", "--store DIR", "take unpacked wheels from there, and keep there what it hasn't; made if absent"},
	{"compile", "--compile", "make bytecode of what is installed, on all cores"},
	{"compile-hashes", "--compile-hashes", "the same, checked by the hash of its source, not the time: the same bytes each time"},
	{"with-pip", "--with-pip", "install pip too, the one that the Python brings"},
	{"all-users", "--all-users", "others can use the venv: all may read it, and a Python that they can't run is refused"},
	{"fix", "--fix", "install from the bundle what differs, then check again"},
	{"undo", "--undo", "take back what the stopped run began, instead of finishing it"},
	{"wait", "--wait", "where another run is at work in that venv, wait for its end"},
	{"allow-conda", "--allow-conda", "install into a conda environment too; a system's Python stays refused"},
	{"wait", "--wait", "of --fix: where another run is at work in that venv, wait for its end", "check"},
	{"allow-conda", "--allow-conda", "of --fix: install into a conda environment too", "check"},
	{"allow-wrong-record", "--allow-wrong-record P", "take its wheel as it is where RECORD is wrong about it; may repeat"},
	{"cache-dir", "--cache-dir DIR", "where downloads are kept"},
	{"refresh", "--refresh", "ask the indexes anew, however young the cache's answers are"},
	{"offline", "--offline", "ask no server, use the cache"},
	{"cert", "--cert FILE", "CA certificates (PEM) instead of the system's"},
	{"proxy", "--proxy URL", "HTTP proxy"},
	{"trusted-host", "--trusted-host HOST", "plain http and unchecked certificates are fine there; may repeat"},
	{"timeout", "--timeout SECONDS", "give up on a connection that is silent for so long; default: 60"},
	{"retries", "--retries N", "how often a file is tried again; default: 5; a partial download is resumed"},
	{"deep", "--deep", "check every member of every wheel against its RECORD too"},
	{"days", "--days N", "prune what was not used for so long; default: 90; 0: all"},
	{"no-sync", "--no-sync", "don't wait for the disk (CI)"},
	{"no-sync", "--no-sync", "of --fix: don't wait for the disk (CI)", "check"},
	{"torch", "--torch VERSION", "only what has this torch"},
	{"driver", "--driver VERSION", "only what runs with this NVIDIA driver"},
	{"jobs", "-j, --jobs N", "threads; default: one for each core"},
	{"json", "--json", "one JSON object on stdout, everything else on stderr"},
	{"quiet", "-q, --quiet", "only errors, and what was asked for"},
	{"help", "-h, --help", "this text"},
	{"version", "-V, --version", "which wheelpack this is"},
};

const cli_command *cli_find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NCOMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

const char *cli_near_command(const char *name)
{
	static const char *const other[][2] = {{"download", "bundle"}, {"pack", "bundle"}, {"pip", "bundle"},
		{"pip3", "bundle"}, {"drift", "check"}, {"list", "check"}, {"freeze", "check"}, {"fix", "check"},
		{"resolve", "lock"}, {"compile", "lock"}, {"update", "lock"}, {"sync", "install"}, {"upgrade", "install"},
		{"remove", "uninstall"}, {"undo", "rollback"}, {"revert", "rollback"}, {"prune", "store"}, {"cache", "store"},
		{"diagnose", "doctor"}};
	const char *names[NCOMMANDS];
	size_t i;

	for (i = 0; i < sizeof other / sizeof other[0]; i++)
		if (strcmp(other[i][0], name) == 0)
			return other[i][1];
	for (i = 0; i < NCOMMANDS; i++)
		names[i] = commands[i]->name;
	return wp_near(name, names, NCOMMANDS);
}

static void help_program(void)
{
	size_t i;

	puts("wheelpack takes PyTorch to PCs that have no internet, in one trip, and proves there that the GPU\n"
	     "works.\n\n"
	     "usage: wheelpack COMMAND [OPTIONS] ...\n");
	for (i = 0; i < NCOMMANDS; i++)
		printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
	puts("\nThe trip, for a Windows lab with NVIDIA GPUs:\n"
	     "  wheelpack bundle torch torchvision torchaudio --cuda cu126 --python 3.12 \\\n"
	     "            --platform win_amd64 -o torch-cu126.wpk\n"
	     "  wheelpack verify torch-cu126.wpk\n"
	     "and on the PC without internet:\n"
	     "  wheelpack install torch-cu126.wpk --venv C:\\envs\\torch\n"
	     "  wheelpack doctor --venv C:\\envs\\torch\n"
	     "  wheelpack probe\n\n"
	     "`wheelpack COMMAND --help` shows examples and options, `wheelpack --version` the version. Exit codes:\n"
	     "  0 ok    1 findings of severity error, a failed trial    2 wrong command line    3 no solution    4 network\n"
	     "  5 integrity    6 environment (file, disk, interpreter, busy)    7 internal    130 interrupted");
}

static bool command_takes(const cli_command *cmd, const char *name)
{
	static const char *const all[] = {"jobs", "json", "quiet", "help", "version"};
	const char *const *p;
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i], name) == 0)
			return true;
	for (p = cmd->options; *p; p++)
		if (strcmp(*p, name) == 0)
			return true;
	return false;
}

/* What is said for this command alone goes before what is said for all. */
static bool row_of(const cli_command *cmd, size_t row)
{
	const char *name = option_help[row].name;
	size_t i;

	if (option_help[row].only || !command_takes(cmd, name))
		return option_help[row].only && wp_streq(option_help[row].only, cmd->name);
	for (i = 0; i < sizeof option_help / sizeof *option_help; i++)
		if (wp_streq(option_help[i].only, cmd->name) && wp_streq(option_help[i].name, name))
			return false;
	return true;
}

void cli_help(const cli_command *cmd)
{
	size_t i;

	if (!cmd) {
		help_program();
		return;
	}
	printf("wheelpack %s: %s\n\nusage: wheelpack %s %s\n\n%s\noptions:\n", cmd->name, cmd->summary, cmd->name,
		cmd->usage, cmd->about);
	for (i = 0; i < sizeof option_help / sizeof option_help[0]; i++)
		if (row_of(cmd, i))
			printf("  %-25s %s\n", option_help[i].left, option_help[i].text);
}
