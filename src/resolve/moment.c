/* SPDX-License-Identifier: MIT */
#include "resolve/moment.h"

enum { SECOND = 1000000, DAY = 86400 };

/* Exactly n digits, cut from *s. */
static bool number(wp_str *s, size_t n, unsigned most, unsigned *out)
{
	uint64_t v;

	if (s->n < n || !wp_str_u64(wp_str_sub(*s, 0, n), &v) || v > most)
		return false;
	*out = (unsigned)v;
	*s = wp_str_sub(*s, n, s->n);
	return true;
}

static bool take(wp_str *s, const char *any_of)
{
	if (!s->n || !strchr(any_of, s->p[0]))
		return false;
	*s = wp_str_sub(*s, 1, s->n);
	return true;
}

static bool leap(unsigned y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static unsigned days_in(unsigned y, unsigned m)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return m == 2 && leap(y) ? 29 : days[m - 1];
}

/* Days from 1970-01-01. */
static int64_t day_number(unsigned y, unsigned m, unsigned d)
{
	int64_t before = y ? (int64_t)y - 1 : 0, n = 365 * (int64_t)y + before / 4 - before / 100 + before / 400;
	unsigned i;

	n += y > 0; /* the year 0 is a leap year */
	for (i = 1; i < m; i++)
		n += days_in(y, i);
	return n + d - 1 - 719528;
}

static bool date(wp_str *s, int64_t *days)
{
	unsigned y, m, d;

	if (!number(s, 4, 9999, &y) || !take(s, "-") || !number(s, 2, 12, &m) || !take(s, "-") ||
		!number(s, 2, 31, &d) || m == 0 || d == 0 || d > days_in(y, m))
		return false;
	*days = day_number(y, m, d);
	return true;
}

/* Digits behind the sixth are no news. */
static bool fraction(wp_str *s, int64_t *micro)
{
	int64_t unit = SECOND / 10;
	size_t n = 0;

	for (; s->n && wp_ascii_digit(s->p[0]); *s = wp_str_sub(*s, 1, s->n), n++) {
		*micro += unit * (s->p[0] - '0');
		unit /= 10;
	}
	return n > 0;
}

static bool time_of_day(wp_str *s, int64_t *micro)
{
	unsigned h, m, sec;

	if (!number(s, 2, 23, &h) || !take(s, ":") || !number(s, 2, 59, &m) || !take(s, ":") ||
		!number(s, 2, 60, &sec))
		return false;
	*micro = (int64_t)(h * 3600 + m * 60 + sec) * SECOND;
	return !take(s, ".") || fraction(s, micro);
}

static bool offset(wp_str *s, int64_t *micro)
{
	unsigned h, m;
	bool east;

	if (take(s, "Zz"))
		return true;
	east = s->n && s->p[0] == '+';
	if (!take(s, "+-") || !number(s, 2, 23, &h) || !take(s, ":") || !number(s, 2, 59, &m))
		return false;
	*micro -= (int64_t)(h * 3600 + m * 60) * SECOND * (east ? 1 : -1);
	return true;
}

bool wp_moment_parse(wp_str text, int64_t *out)
{
	int64_t days, micro = 0;

	if (!date(&text, &days))
		return false;
	if (text.n == 0) {
		*out = (days + 1) * DAY * SECOND;
		return true;
	}
	if (!take(&text, "Tt ") || !time_of_day(&text, &micro) || !offset(&text, &micro) || text.n)
		return false;
	*out = days * DAY * SECOND + micro;
	return true;
}
