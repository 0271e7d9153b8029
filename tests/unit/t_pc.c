/* SPDX-License-Identifier: MIT */
#include "doctor/pc.h"
#include "unit/place.h"

static void file(place *m, const char *path, const char *text)
{
	const char *full = wp_sprintf(m->a, "%s%s", m->dir, path);
	wp_error err = {0};

	assert_ok(os_mkdirs(os_dirname(m->a, full), &err));
	assert_ok(os_write_file(full, wp_str_of(text), &err));
}

static void device(place *m, const char *name, const char *vendor, const char *class)
{
	file(m, wp_sprintf(m->a, "/sys/bus/pci/devices/%s/vendor", name), vendor);
	file(m, wp_sprintf(m->a, "/sys/bus/pci/devices/%s/class", name), class);
}

static void a_machine_with_gpu_and_driver(void **state)
{
	place *m = *state;
	wp_pc pc;

	device(m, "0000:00:00.0", "0x8086\n", "0x060000\n");
	device(m, "0000:01:00.0", "0x10de\n", "0x030200\n");
	file(m, "/proc/driver/nvidia/version",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build\nGCC version:  12.2.0\n");
	file(m, "/usr/lib64/libcuda.so.1", "");
	wp_pc_read_below(m->a, m->dir, &pc);
	assert_true(pc.live && pc.driver_known && pc.driver_present && pc.gpu_known && pc.gpu_present);
	assert_string_equal(pc.driver_version, "570.124.06");
}

static void the_module_in_sys_is_asked_first(void **state)
{
	place *m = *state;
	wp_pc pc;

	file(m, "/proc/version", "Linux\n");
	file(m, "/sys/module/nvidia/version", "580.65.06\n");
	wp_pc_read_below(m->a, m->dir, &pc);
	assert_string_equal(pc.driver_version, "580.65.06");
	assert_false(pc.driver_present);
	assert_false(pc.gpu_known);
}

static void a_container_has_the_version_in_a_link(void **state)
{
	place *m = *state;
	wp_error err = {0};
	wp_pc pc;

	needs_links();
	file(m, "/proc/version", "Linux\n");
	file(m, "/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14", "");
	assert_ok(os_symlink("libcuda.so.550.54.14",
		wp_sprintf(m->a, "%s/usr/lib/x86_64-linux-gnu/libcuda.so.1", m->dir), &err));
	wp_pc_read_below(m->a, m->dir, &pc);
	assert_true(pc.driver_present);
	assert_string_equal(pc.driver_version, "550.54.14");
}

static void nvidias_audio_device_is_no_gpu(void **state)
{
	place *m = *state;
	wp_pc pc;

	file(m, "/proc/version", "Linux\n");
	device(m, "0000:01:00.1", "0x10de\n", "0x040300\n");
	device(m, "0000:02:00.0", "0x1002\n", "0x030000\n");
	wp_pc_read_below(m->a, m->dir, &pc);
	assert_true(pc.gpu_known);
	assert_false(pc.gpu_present || pc.driver_present);
	assert_null(pc.driver_version);
}

static void under_wsl_the_bus_says_nothing(void **state)
{
	place *m = *state;
	wp_pc pc;

	file(m, "/proc/version", "Linux\n");
	file(m, "/dev/dxg", "");
	device(m, "0000:02:00.0", "0x1414\n", "0x030200\n");
	file(m, "/usr/lib/wsl/lib/libcuda.so.1", "");
	wp_pc_read_below(m->a, m->dir, &pc);
	assert_true(pc.driver_present);
	assert_false(pc.gpu_known);
}

static void elsewhere_nothing_is_known(void **state)
{
	place *m = *state;
	wp_pc pc;

	wp_pc_read_below(m->a, m->dir, &pc);
	assert_true(pc.live);
	assert_false(pc.driver_known || pc.gpu_known);
}

static void this_machine_can_be_read(void **state)
{
	wp_error err = {0};
	wp_ctx ctx;
	wp_pc pc;

	(void)state;
	wp_ctx_init(&ctx, 1);
	assert_ok(wp_pc_read(&ctx, &pc, &err));
	assert_true(pc.live);
	wp_ctx_done(&ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_machine_with_gpu_and_driver, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_module_in_sys_is_asked_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_container_has_the_version_in_a_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nvidias_audio_device_is_no_gpu, set_up, tear_down),
		cmocka_unit_test_setup_teardown(under_wsl_the_bus_says_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(elsewhere_nothing_is_known, set_up, tear_down),
		cmocka_unit_test(this_machine_can_be_read),
	};

	return cmocka_run_group_tests_name("pc", tests, NULL, NULL);
}
