/* SPDX-License-Identifier: MIT */
#include "os/os.h"
#include "unit/binaries.h"
#include "wheelpack/doctor.h"

/* ---- a tree in memory and a request over it ------------------------------------------------ */

typedef struct leaf {
	const char *path;
	bytes data;
} leaf;

typedef struct world {
	wp_ctx ctx;
	WP_VEC(leaf) leaves;
	wp_tree tree;
	wp_pc pc;
	wp_compat compat;
	wp_lock_target target;
	wp_doctor_request in;
	wp_doctor_result out;
	wp_code refuse; /* what open() fails with */
} world;

static int cmp_leaf(const void *a, const void *b)
{
	return strcmp(((const leaf *)a)->path, ((const leaf *)b)->path);
}

static int list(void *self, const wp_tree_entry **out, size_t *n, wp_error *e)
{
	world *w = self;
	wp_tree_entry *v = WP_NEW_ARRAY(w->ctx.arena, w->leaves.n + 1, wp_tree_entry);
	size_t i;

	(void)e;
	if (w->leaves.n)
		qsort(w->leaves.v, w->leaves.n, sizeof *w->leaves.v, cmp_leaf);
	for (i = 0; i < w->leaves.n; i++)
		v[i] = (wp_tree_entry){w->leaves.v[i].path, w->leaves.v[i].data.n};
	*out = v;
	*n = w->leaves.n;
	return 0;
}

static int open_leaf(void *self, const char *path, wp_blob *out, wp_error *e)
{
	world *w = self;
	size_t i;

	if (w->refuse)
		return wp_fail(e, w->refuse, "refused");
	for (i = 0; i < w->leaves.n; i++)
		if (wp_streq(w->leaves.v[i].path, path)) {
			*out = bytes_blob(&w->leaves.v[i].data);
			return 0;
		}
	return wp_fail(e, WP_E_NOT_FOUND, "no such member");
}

static const char baseline[] = "{\"schema\": \"wheelpack.windows-baseline/1\", \"about\": \"test\","
			       " \"dlls\": [\"kernel32.dll\"]}";

static const wp_variant_fact variants[] = {
	{.name = "cpu"},
	{.name = "cu118", .cuda = "11.8", .driver_runs_linux = "450.80.02", .driver_runs_windows = "452.39"},
	{.name = "cu126", .cuda = "12.6", .driver_runs_linux = "525.60.13", .driver_runs_windows = "528.33"},
	{.name = "cu130", .cuda = "13.0", .driver_runs_linux = "580.65.06", .driver_runs_windows = "580.88"},
};
static const wp_partner partners[] = {{"torchaudio", ">=2.11", ">=2.11"}};

static int fresh(void **state)
{
	world *w = calloc(1, sizeof *w);

	wp_ctx_init(&w->ctx, 1);
	w->tree = (wp_tree){w, list, open_leaf};
	w->compat = (wp_compat){.variants = variants, .nvariants = 4, .partners = partners, .npartners = 1};
	w->in = (wp_doctor_request){.tree = &w->tree, .pc = &w->pc, .compat = &w->compat,
		.windows_baseline = wp_str_of(baseline)};
	*state = w;
	return 0;
}

static int done(void **state)
{
	world *w = *state;

	WP_VEC_FREE(&w->leaves);
	wp_ctx_done(&w->ctx);
	free(w);
	return 0;
}

static void add(world *w, const char *path, bytes data)
{
	WP_PUSH(&w->leaves, ((leaf){path, data}));
}

static void add_text(world *w, const char *path, const char *text)
{
	bytes b = {wp_alloc(w->ctx.arena, strlen(text) + 1), strlen(text)};

	memcpy(b.p, text, b.n);
	add(w, path, b);
}

/* names: comma separated */
static const char *const *split(world *w, const char *names)
{
	WP_VEC(const char *) v = {0};
	wp_str rest = wp_str_of(names), part;
	const char **out;

	while (names && wp_str_split(&rest, ',', &part))
		WP_PUSH(&v, wp_str_dup(w->ctx.arena, part));
	out = WP_NEW_ARRAY(w->ctx.arena, v.n + 1, const char *);
	if (v.n)
		memcpy(out, v.v, v.n * sizeof *out);
	WP_VEC_FREE(&v);
	return out;
}

static void add_pe(world *w, const char *path, const char *imports)
{
	add(w, path, pe_build(w->ctx.arena, 0x8664, split(w, imports)));
}

static void add_so(world *w, const char *path, const char *needed, const char *rpath)
{
	elf_parts p = {.machine = 62, .needed = split(w, needed), .rpath = rpath};

	add(w, path, elf_build(w->ctx.arena, &p));
}

static void add_dist(world *w, const char *name, const char *version, const char *requires)
{
	const char *path = wp_sprintf(w->ctx.arena, "%s-%s.dist-info/METADATA", name, version);

	add_text(w, path, wp_sprintf(w->ctx.arena, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s%s\n", name,
		version, requires ? "Requires-Dist: " : "", requires ? requires : ""));
}

static void add_torch(world *w, const char *version, const char *cuda)
{
	add_dist(w, "torch", version, NULL);
	add_text(w, "torch/version.py", cuda
		? wp_sprintf(w->ctx.arena, "from typing import Optional\n__version__ = '2.11.0+cu%c%c%c'\n"
			"cuda: Optional[str] = '%s'\nhip: Optional[str] = None\n", cuda[0], cuda[1], cuda[3], cuda)
		: "__version__ = '2.11.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n");
}

static void examine(world *w)
{
	wp_error err = {0};

	assert_ok(wp_doctor(&w->ctx, &w->in, &w->out, &err));
}

static const wp_finding *find(const world *w, const char *code, const char *in_title)
{
	size_t i;

	for (i = 0; i < w->out.findings.n; i++)
		if (wp_streq(w->out.findings.v[i].code, code) &&
			strstr(w->out.findings.v[i].title, in_title))
			return &w->out.findings.v[i];
	return NULL;
}

static void assert_chain(const wp_finding *f, const char *want)
{
	wp_buf b;
	size_t i;

	wp_buf_init(&b, 10000);
	for (i = 0; i < f->nchain; i++)
		wp_buf_printf(&b, "%s%s", i ? " " : "", f->chain[i]);
	assert_string_equal(b.p, want);
	wp_buf_free(&b);
}

static bool is_good(const world *w, const char *part)
{
	size_t i;

	for (i = 0; i < w->out.ngood; i++)
		if (strstr(w->out.good[i], part))
			return true;
	return false;
}

/* ---- the set ------------------------------------------------------------------------------ */

static void a_tree_without_torch_has_no_findings(void **state)
{
	world *w = *state;

	add_dist(w, "numpy", "2.0.0", NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	assert_null(w->out.torch);
	assert_true(is_good(w, "torch is not one of them"));
}

static void a_cpu_build_is_an_error_where_cuda_was_asked(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", NULL);
	w->in.variant_asked = "cu126";
	examine(w);
	assert_non_null(find(w, "C801", ""));
	assert_int_equal(w->out.findings.v[0].severity, WP_SEVERE);
	assert_non_null(strstr(w->out.findings.v[0].why, "cu126 was asked"));
	assert_string_equal(w->out.torch, "2.11.0");
	assert_null(w->out.cuda);
}

static void a_cpu_build_is_a_note_where_nothing_was_asked(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_int_equal(find(w, "C801", "")->severity, WP_NOTE);
}

static void a_cpu_build_is_fine_where_it_was_asked(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0+cpu", NULL);
	w->in.variant_asked = "cpu";
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
}

static void a_cuda_build_is_no_cpu_build(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", "13.0");
	w->in.variant_asked = "cu130";
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	assert_string_equal(w->out.cuda, "13.0");
	assert_true(is_good(w, "with CUDA 13.0"));
}

static void the_label_tells_where_version_py_is_absent(void **state)
{
	world *w = *state;

	add_dist(w, "torch", "2.6.0+cu118", NULL);
	examine(w);
	assert_string_equal(w->out.cuda, "11.8");
	assert_int_equal(w->out.findings.n, 0);
}

static void a_rocm_build_is_no_cpu_build(void **state)
{
	world *w = *state;

	add_dist(w, "torch", "2.6.0+rocm6.2", NULL);
	add_text(w, "torch/version.py", "__version__ = '2.6.0+rocm6.2'\ncuda = None\nhip = '6.2'\n");
	w->in.variant_asked = "cu126";
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
}

static void a_pin_on_another_torch_is_an_error(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", "13.0");
	add_dist(w, "torchvision", "0.25.0", "torch (==2.10.0)");
	examine(w);
	assert_non_null(find(w, "C802", "torchvision"));
	assert_string_equal(w->out.findings.v[0].why, "torchvision 0.25.0 requires torch==2.10.0, torch is 2.11.0");
}

static void a_pin_matches_any_label_of_its_version(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0+cu130", "13.0");
	add_dist(w, "torchvision", "0.26.0+cu130", "torch==2.11.0");
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	assert_true(is_good(w, "belong together"));
}

static void mixed_builds_are_an_error(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0+cu130", "13.0");
	add_dist(w, "torchvision", "0.26.0", "torch==2.11.0");
	add_text(w, "torchvision/version.py", "__version__ = '0.26.0+cpu'\n");
	examine(w);
	assert_non_null(strstr(find(w, "C802", "torchvision")->why, "a +cpu build"));
	assert_false(is_good(w, "belong together"));
}

static void partners_without_a_pin_come_from_the_table(void **state)
{
	world *w = *state;

	add_dist(w, "torch", "2.10.0", NULL);
	add_text(w, "torch/version.py", "cuda = '12.8'\n");
	add_dist(w, "torchaudio", "2.11.0", NULL);
	examine(w);
	assert_string_equal(find(w, "C802", "torchaudio")->why, "torchaudio 2.11.0 goes with torch>=2.11, torch is 2.10.0");
}

static void odd_metadata_is_survived(void **state)
{
	world *w = *state;

	add_text(w, "torch-2.11.0.dist-info/METADATA", "\xff\xfe");
	add_text(w, "odd.dist-info/METADATA", "");
	add_text(w, "torch/version.py", "cuda = '13.0");
	examine(w);
	assert_string_equal(w->out.torch, "2.11.0");
}

/* ---- the driver --------------------------------------------------------------------------- */

static void live_pc(world *w, const char *driver)
{
	w->pc = (wp_pc){.live = true, .driver_known = true, .driver_present = driver != NULL, .driver_version = driver,
		.gpu_known = true, .gpu_present = true};
}

static void a_cuda_build_needs_a_driver(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", "13.0");
	live_pc(w, NULL);
	examine(w);
	assert_int_equal(find(w, "D501", "")->severity, WP_SEVERE);
	assert_non_null(strstr(find(w, "D501", "")->next, "580.65.06"));
	w->pc.gpu_present = false;
	examine(w);
	assert_non_null(strstr(find(w, "D501", "")->next, "--cpu"));
}

static void a_cpu_build_needs_no_driver(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", NULL);
	live_pc(w, NULL);
	examine(w);
	assert_int_equal(find(w, "D501", "")->severity, WP_NOTE);
	w->in.variant_asked = "cpu";
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
}

static void nothing_is_said_of_the_driver_of_an_unknown_pc(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", "13.0");
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
}

static void an_old_driver_is_an_error_that_names_what_it_runs(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", "13.0");
	live_pc(w, "550.54.14");
	examine(w);
	assert_string_equal(find(w, "D503", "")->why,
		"driver 550.54.14 is installed, CUDA 13.0 needs 580.65.06 or newer");
	assert_non_null(strstr(find(w, "D503", "")->next, "--cuda cu126"));
}

static void the_lock_knows_the_driver_better_than_the_table(void **state)
{
	world *w = *state;

	add_torch(w, "2.11.0", "13.0");
	live_pc(w, "550.54.14");
	w->target = (wp_lock_target){.platform = "manylinux_2_28_x86_64", .driver_runs = "550.54.14"};
	w->in.target = &w->target;
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	assert_true(is_good(w, "driver: 550.54.14 runs CUDA 13.0"));
}

static void an_unknown_cuda_is_no_driver_error(void **state)
{
	world *w = *state;

	add_torch(w, "2.99.0", "19.0");
	live_pc(w, "550.54.14");
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
}

/* ---- Windows ------------------------------------------------------------------------------ */

static void windows_torch(world *w)
{
	w->in.windows = true;
	add_torch(w, "2.11.0", "12.6");
	add_pe(w, "torch/_C.cp312-win_amd64.pyd", "KERNEL32.dll,VCRUNTIME140.dll,torch_python.dll");
	add_pe(w, "torch/lib/torch_python.dll", "python312.dll,c10.dll,torch_cuda.dll,VCRUNTIME140_1.dll");
	add_pe(w, "torch/lib/c10.dll", "api-ms-win-crt-heap-l1-1-0.dll,kernel32.dll");
	add_pe(w, "torch/lib/torch_cuda.dll", "nvcuda.dll,cublas64_12.dll");
}

static void a_complete_windows_set_is_good(void **state)
{
	world *w = *state;

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	assert_int_equal(w->out.libraries, 5);
	assert_int_equal(w->out.edges, 11);
	assert_true(is_good(w, "all found"));
}

static void a_missing_cuda_dll_is_an_error_with_its_chain(void **state)
{
	world *w = *state;
	const wp_finding *f;

	windows_torch(w);
	examine(w);
	f = find(w, "W301", "cublas64_12.dll");
	assert_int_equal(f->severity, WP_SEVERE);
	assert_chain(f, "torch/_C.cp312-win_amd64.pyd torch/lib/torch_python.dll torch/lib/torch_cuda.dll "
			"cublas64_12.dll");
	assert_int_equal(f->nfiles, 1);
	assert_string_equal(f->files[0], "torch/lib/torch_cuda.dll");
	assert_int_equal(w->out.findings.n, 1);
}

static void a_name_nobody_knows_is_a_warning_on_a_bundle(void **state)
{
	world *w = *state;

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", "newsystem.dll");
	add_pe(w, "torch/lib/x.dll", "NewSystem.DLL");
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_int_equal(find(w, "W301", "newsystem.dll")->severity, WP_WARNING);
	assert_int_equal(find(w, "W301", "newsystem.dll")->nfiles, 2);
}

static void the_vc_runtime_is_one_warning(void **state)
{
	world *w = *state;
	const wp_finding *f;

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", "MSVCP140.dll,VCOMP140.DLL");
	add_pe(w, "other/mod.pyd", "MSVCP140_1.dll");
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	f = find(w, "W302", "msvcp140.dll, vcomp140.dll, msvcp140_1.dll");
	assert_int_equal(f->severity, WP_WARNING);
	assert_non_null(strstr(f->next, "vc_redist.x64.exe"));
	assert_chain(f, "torch/_C.cp312-win_amd64.pyd torch/lib/torch_python.dll torch/lib/torch_cuda.dll "
			"torch/lib/cublas64_12.dll MSVCP140.dll");
}

static void a_runtime_that_is_carried_is_found(void **state)
{
	world *w = *state;

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", "MSVCP140.dll");
	add_pe(w, "torch/lib/msvcp140.dll", NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
}

static void library_bin_and_delvewheel_directories_are_searched(void **state)
{
	world *w = *state;

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", "mkl_rt.2.dll");
	add_pe(w, "@data/Library/bin/mkl_rt.2.dll", NULL);
	add_pe(w, "numpy/core/x.pyd", "libopenblas-ab12.dll");
	add_pe(w, "numpy.libs/libopenblas-ab12.dll", NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
}

static void torchs_need_in_a_foreign_directory_is_told_of(void **state)
{
	world *w = *state;

	windows_torch(w);
	add_pe(w, "nvidia/cublas/bin/cublas64_12.dll", NULL);
	examine(w);
	assert_non_null(strstr(find(w, "W301", "cublas64_12.dll")->why, "'nvidia/cublas/bin/cublas64_12.dll'"));
	add_pe(w, "other/mod.pyd", "special.dll");
	add_pe(w, "other/bin/special.dll", NULL);
	examine(w);
	assert_null(find(w, "W301", "special.dll"));
}

static void another_packages_missing_dll_is_a_warning(void **state)
{
	world *w = *state;

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", NULL);
	add_pe(w, "other/mod.pyd", "cudnn64_9.dll");
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_int_equal(find(w, "W301", "cudnn64_9.dll")->severity, WP_WARNING);
}

static void ffmpeg_is_a_note(void **state)
{
	world *w = *state;

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", NULL);
	add_pe(w, "torchaudio/lib/_torchaudio_ffmpeg6.pyd", "avcodec-60.dll,avutil-58.dll");
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_int_equal(w->out.findings.v[0].severity, WP_NOTE);
	assert_non_null(strstr(w->out.findings.v[0].next, "FFmpeg"));
}

static void damaged_and_foreign_dlls_come_before_what_they_cause(void **state)
{
	world *w = *state;
	bytes cut = pe_build(w->ctx.arena, 0x8664, split(w, "KERNEL32.dll"));

	windows_torch(w);
	cut.n = 3000;
	add(w, "torch/lib/cublas64_12.dll", cut);
	add(w, "torch/lib/shm.dll", pe_build(w->ctx.arena, 0x14c, NULL));
	add(w, "debugger/attach_x86.dll", pe_build(w->ctx.arena, 0x14c, NULL));
	add_pe(w, "torchvision/_C.pyd", "c10_cuda.dll");
	w->target = (wp_lock_target){.platform = "win_amd64"};
	w->in.target = &w->target;
	examine(w);
	assert_int_equal(w->out.findings.n, 3);
	assert_string_equal(w->out.findings.v[0].code, "W312");
	assert_string_equal(w->out.findings.v[0].why, "its machine is 0x14c, the set's is 0x8664");
	assert_string_equal(w->out.findings.v[1].code, "W313");
	assert_string_equal(w->out.findings.v[2].code, "W301");
}

static void the_shipped_baseline_knows_windows_and_not_the_runtime(void **state)
{
	world *w = *state;
	wp_error err = {0};

	windows_torch(w);
	add_pe(w, "torch/lib/cublas64_12.dll", "WS2_32.dll,IPHLPAPI.DLL,bcrypt.dll,dbghelp.dll,WINSPOOL.DRV,MSVCP140.dll");
	assert_ok(os_read_file(w->ctx.arena, "manifests/windows-baseline.json", WP_MAX_DOCUMENT,
		&w->in.windows_baseline, &err));
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_non_null(find(w, "W302", "msvcp140.dll"));
}

static void a_baseline_of_another_schema_is_refused(void **state)
{
	world *w = *state;
	wp_error err = {0};

	windows_torch(w);
	w->in.windows_baseline = WP_LIT("{\"schema\": \"else\", \"dlls\": []}");
	assert_int_equal(wp_doctor(&w->ctx, &w->in, &w->out, &err), WP_E_DOCUMENT);
	assert_true(wp_starts(err.where, "windows-baseline.json"));
}

/* ---- Linux -------------------------------------------------------------------------------- */

#define TORCH_RPATH "$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/cu13/lib:$ORIGIN"

static void linux_torch(world *w)
{
	add_torch(w, "2.11.0", "13.0");
	add_so(w, "torch/_C.cpython-312-x86_64-linux-gnu.so", "libtorch_python.so,libc.so.6", "$ORIGIN/lib");
	add_so(w, "torch/lib/libtorch_python.so", "libtorch_cuda.so,libstdc++.so.6", TORCH_RPATH);
	add_so(w, "torch/lib/libtorch_cuda.so", "libcublas.so.13,libcuda.so.1", TORCH_RPATH);
	add_so(w, "nvidia/cu13/lib/libcublas.so.13", "libcublasLt.so.13", NULL);
}

static void a_complete_linux_set_is_good(void **state)
{
	world *w = *state;

	linux_torch(w);
	add_so(w, "nvidia/cu13/lib/libcublasLt.so.13", "libm.so.6", NULL);
	add_so(w, "torchvision/_C.so", "libcublas.so.13,libtorch_cuda.so", "/builder/lib");
	add_so(w, "pillow.libs/libz-12.so.1.3", NULL, NULL);
	add_so(w, "PIL/_imaging.cpython-312-x86_64-linux-gnu.so", "libz-12.so.1.3", "$ORIGIN/../pillow.libs");
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	assert_int_equal(w->out.libraries, 8);
}

static void a_removed_nvidia_wheel_is_an_error_with_its_chain(void **state)
{
	world *w = *state;
	const wp_finding *f;

	linux_torch(w);
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	f = find(w, "L401", "libcublasLt.so.13");
	assert_int_equal(f->severity, WP_SEVERE);
	assert_non_null(strstr(f->next, "nvidia-cublas"));
	assert_chain(f, "torch/_C.cpython-312-x86_64-linux-gnu.so torch/lib/libtorch_python.so "
			"torch/lib/libtorch_cuda.so nvidia/cu13/lib/libcublas.so.13 libcublasLt.so.13");
}

static void runpath_is_not_inherited_and_rpath_is(void **state)
{
	world *w = *state;
	elf_parts p = {.machine = 62, .needed = split(w, "liba.so"), .runpath = "$ORIGIN/sub"};

	add_so(w, "torch/lib/one.so", "liba.so", "$ORIGIN/sub");
	add_so(w, "torch/lib/sub/liba.so", "libb.so", NULL);
	add_so(w, "torch/lib/sub/libb.so", NULL, NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	w->leaves.v[0].data = elf_build(w->ctx.arena, &p);
	examine(w);
	assert_non_null(strstr(find(w, "L401", "libb.so")->why, "'torch/lib/sub/libb.so'"));
}

static void a_package_may_load_its_own_libraries_beforehand(void **state)
{
	world *w = *state;

	add_so(w, "torchaudio/lib/_torchaudio.so", "libtorchaudio.so", "/builder/lib");
	add_so(w, "torchaudio/lib/libtorchaudio.so", NULL, NULL);
	add_so(w, "torchvision/_C.so", "libother.so", NULL);
	add_so(w, "other/libother.so", NULL, NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_non_null(find(w, "L401", "libother.so"));
}

static void rpath_reaches_the_prefix(void **state)
{
	world *w = *state;

	add_so(w, "torchvision/x.so", "libtbb.so.12", "${ORIGIN}/../../../..//lib/.");
	add_so(w, "@data/lib/libtbb.so.12", "libhwloc.so.15", "$ORIGIN");
	add_so(w, "@data/lib/libhwloc.so.15", NULL, NULL);
	add_so(w, "torchaudio/y.so", "libnone.so", "$ORIGIN/../../../../../../../..");
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_non_null(find(w, "L401", "libnone.so"));
}

static void plugins_that_lack_something_are_one_note(void **state)
{
	world *w = *state;

	linux_torch(w);
	add_so(w, "nvidia/cu13/lib/libcublasLt.so.13", NULL, NULL);
	add_so(w, "nvidia/nvshmem/lib/nvshmem_bootstrap_mpi.so.3", "libmpi.so.40", NULL);
	add_so(w, "nvidia/cu13/lib/libcufile_rdma.so.1", "libmlx5.so.1,librdmacm.so.1", NULL);
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_int_equal(w->out.findings.v[0].severity, WP_NOTE);
	assert_int_equal(w->out.findings.v[0].nfiles, 2);
	assert_true(is_good(w, "all found"));
}

static void a_hole_in_cudnn_is_no_optional_thing(void **state)
{
	world *w = *state;

	linux_torch(w);
	add_so(w, "nvidia/cu13/lib/libcublasLt.so.13", NULL, NULL);
	add_so(w, "nvidia/cudnn/lib/libcudnn_ops.so.9", "libcudnn_graph.so.9", "$ORIGIN");
	examine(w);
	assert_int_equal(find(w, "L401", "libcudnn_graph.so.9")->severity, WP_WARNING);
}

static void empty_cut_and_foreign_libraries_are_errors(void **state)
{
	world *w = *state;
	elf_parts arm = {.machine = 183}, intel = {.machine = 62};
	bytes cut = elf_build(w->ctx.arena, &intel);

	linux_torch(w);
	cut.n = 3000;
	add(w, "nvidia/cu13/lib/libcublasLt.so.13", cut);
	add_text(w, "torch/lib/libshm.so", "");
	add(w, "torchvision/image.so", elf_build(w->ctx.arena, &arm));
	add_text(w, "nvidia/cu13/lib/libscript.so", "INPUT(libx.so)");
	w->target = (wp_lock_target){.platform = "manylinux_2_28_x86_64"};
	w->in.target = &w->target;
	examine(w);
	assert_int_equal(w->out.findings.n, 3);
	assert_int_equal(wp_findings_errors(&w->out.findings), 3);
	assert_string_equal(find(w, "L410", "libshm.so")->why, "the file is empty");
	assert_string_equal(find(w, "L410", "image.so")->why, "its machine is 0xb7, the set's is 0x3e");
	assert_non_null(strstr(find(w, "L410", "libcublasLt.so.13")->why, "behind the end"));
}

static void this_machines_libraries_are_known_when_live(void **state)
{
	world *w = *state;

	add_so(w, "torch/lib/libc10.so", "libc.so.6,libm.so.6,libnothing-of-the-kind.so.7", NULL);
	live_pc(w, "580.65.06");
	w->target = (wp_lock_target){.platform = "manylinux_2_28_x86_64"};
	w->in.target = &w->target;
	examine(w);
	if (find(w, "L401", "libc.so.6"))
		skip();
	assert_int_equal(w->out.findings.n, 1);
	assert_int_equal(find(w, "L401", "libnothing-of-the-kind.so.7")->severity, WP_SEVERE);
}

static void libraries_in_a_circle_come_to_an_end(void **state)
{
	world *w = *state;

	add_so(w, "torch/lib/liba.so", "libb.so", "$ORIGIN");
	add_so(w, "torch/lib/libb.so", "liba.so,libb.so", "$ORIGIN");
	examine(w);
	assert_int_equal(w->out.findings.n, 0);
	assert_int_equal(w->out.edges, 3);
}

/* ---- failures ----------------------------------------------------------------------------- */

static void a_damaged_member_is_a_finding_and_a_full_disk_an_error(void **state)
{
	world *w = *state;
	wp_error err = {0};

	linux_torch(w);
	w->refuse = WP_E_ZIP;
	examine(w);
	assert_non_null(find(w, "L410", "libtorch_cuda.so"));
	w->refuse = WP_E_DISK_FULL;
	assert_int_equal(wp_doctor(&w->ctx, &w->in, &w->out, &err), WP_E_DISK_FULL);
}

static void the_user_can_stop_it(void **state)
{
	world *w = *state;
	atomic_int cancel = 1;
	wp_error err = {0};

	linux_torch(w);
	w->ctx.cancel = &cancel;
	assert_int_equal(wp_doctor(&w->ctx, &w->in, &w->out, &err), WP_E_INTERRUPTED);
}

static void threads_change_nothing(void **state)
{
	world *w = *state;

	linux_torch(w);
	w->ctx.jobs = 4;
	examine(w);
	assert_int_equal(w->out.findings.n, 1);
	assert_int_equal(w->out.edges, 6);
}

#define T(f) cmocka_unit_test_setup_teardown(f, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_tree_without_torch_has_no_findings),
		T(a_cpu_build_is_an_error_where_cuda_was_asked),
		T(a_cpu_build_is_a_note_where_nothing_was_asked),
		T(a_cpu_build_is_fine_where_it_was_asked),
		T(a_cuda_build_is_no_cpu_build),
		T(the_label_tells_where_version_py_is_absent),
		T(a_rocm_build_is_no_cpu_build),
		T(a_pin_on_another_torch_is_an_error),
		T(a_pin_matches_any_label_of_its_version),
		T(mixed_builds_are_an_error),
		T(partners_without_a_pin_come_from_the_table),
		T(odd_metadata_is_survived),
		T(a_cuda_build_needs_a_driver),
		T(a_cpu_build_needs_no_driver),
		T(nothing_is_said_of_the_driver_of_an_unknown_pc),
		T(an_old_driver_is_an_error_that_names_what_it_runs),
		T(the_lock_knows_the_driver_better_than_the_table),
		T(an_unknown_cuda_is_no_driver_error),
		T(a_complete_windows_set_is_good),
		T(a_missing_cuda_dll_is_an_error_with_its_chain),
		T(a_name_nobody_knows_is_a_warning_on_a_bundle),
		T(the_vc_runtime_is_one_warning),
		T(a_runtime_that_is_carried_is_found),
		T(library_bin_and_delvewheel_directories_are_searched),
		T(torchs_need_in_a_foreign_directory_is_told_of),
		T(another_packages_missing_dll_is_a_warning),
		T(ffmpeg_is_a_note),
		T(damaged_and_foreign_dlls_come_before_what_they_cause),
		T(the_shipped_baseline_knows_windows_and_not_the_runtime),
		T(a_baseline_of_another_schema_is_refused),
		T(a_complete_linux_set_is_good),
		T(a_removed_nvidia_wheel_is_an_error_with_its_chain),
		T(runpath_is_not_inherited_and_rpath_is),
		T(a_package_may_load_its_own_libraries_beforehand),
		T(rpath_reaches_the_prefix),
		T(plugins_that_lack_something_are_one_note),
		T(a_hole_in_cudnn_is_no_optional_thing),
		T(empty_cut_and_foreign_libraries_are_errors),
		T(this_machines_libraries_are_known_when_live),
		T(libraries_in_a_circle_come_to_an_end),
		T(a_damaged_member_is_a_finding_and_a_full_disk_an_error),
		T(the_user_can_stop_it),
		T(threads_change_nothing),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
