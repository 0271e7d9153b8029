/* SPDX-License-Identifier: MIT */
#include "unit/test.h"

#include "resolve/moment.h"

static void reads_as(const char *text, int64_t seconds, int64_t micro)
{
	int64_t got;

	if (!wp_moment_parse(wp_str_of(text), &got))
		fail_msg("'%s' was refused", text);
	if (got != seconds * 1000000 + micro)
		fail_msg("'%s' is %lld", text, (long long)got);
}

static void a_date_is_the_end_of_its_day(void **state)
{
	(void)state;
	reads_as("1970-01-01", 86400, 0);
	reads_as("1969-12-31", 0, 0);
	reads_as("2024-02-29", 1709251200, 0);
	reads_as("2025-06-30", 1751328000, 0);
	reads_as("0000-01-01", -62167132800, 0);
	reads_as("2000-02-29", 951868800, 0);
	reads_as("9999-12-31", 253402300800, 0);
}

static void a_date_time_is_that_moment(void **state)
{
	(void)state;
	reads_as("2025-06-01T12:00:00Z", 1748779200, 0);
	reads_as("2025-06-01t12:00:00z", 1748779200, 0);
	reads_as("2025-06-01 12:00:00Z", 1748779200, 0);
	reads_as("2025-06-01T14:30:00+02:30", 1748779200, 0);
	reads_as("2025-06-01T10:00:00-02:00", 1748779200, 0);
	reads_as("2025-06-01T12:00:00.5Z", 1748779200, 500000);
	reads_as("2025-06-01T12:00:00.123456789Z", 1748779200, 123456);
	reads_as("2016-12-31T23:59:60Z", 1483228800, 0);
}

static void anything_else_is_refused(void **state)
{
	static const char *const bad[] = {"", "2025", "2025-6-1", "2025-06", "2025-06-31", "2025-02-29", "1900-02-29",
		"2025-13-01", "2025-00-01", "2025-01-00", "2025-06-01T", "2025-06-01T12:00:00", "2025-06-01T12:00Z",
		"2025-06-01T24:00:00Z", "2025-06-01T12:60:00Z", "2025-06-01T12:00:61Z", "2025-06-01T12:00:00.Z",
		"2025-06-01T12:00:00+2", "2025-06-01T12:00:00+02:00x", "+025-06-01", "yesterday", "20250601"};
	size_t i;
	int64_t got;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		if (wp_moment_parse(wp_str_of(bad[i]), &got))
			fail_msg("'%s' was taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_date_is_the_end_of_its_day),
		cmocka_unit_test(a_date_time_is_that_moment),
		cmocka_unit_test(anything_else_is_refused),
	};

	return cmocka_run_group_tests_name("moment", tests, NULL, NULL);
}
