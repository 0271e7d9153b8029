/* SPDX-License-Identifier: MIT */
/* On a terminal one line that is drawn again; elsewhere a line for each item that is done, so that a CI log stays
 * short and still shows where the time went. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "os/os.h"

typedef struct cli_progress {
	cli *c;
	bool terminal, drawn;
	char stage[16];
	uint64_t last_draw;
	uint64_t last_bytes, last_time; /* for the rate */
	double rate;			/* bytes a second, smoothed */
} cli_progress;

enum { DRAW_MS = 100, RATE_MS = 500 };

static void measure(cli_progress *s, const wp_progress *p, uint64_t now)
{
	double current;

	if (now - s->last_time < RATE_MS)
		return;
	current = p->bytes > s->last_bytes
		? (double)(p->bytes - s->last_bytes) * 1000 / (double)(now - s->last_time)
		: 0;
	s->rate = s->rate > 0 ? s->rate * 0.7 + current * 0.3 : current;
	s->last_bytes = p->bytes;
	s->last_time = now;
}

/* Serial lines and what CI lends tell none. */
static int terminal_width(void)
{
	enum { USUAL = 80 };
	int width = os_terminal_width(2);

	return width > 0 ? width : USUAL;
}

/* Put behind the line where it fits as a whole: half a number would be another number. */
static void field(wp_buf *b, int width, const char *text)
{
	if (b->n + 2 + wp_str_of(text).n < (size_t)width)
		wp_buf_printf(b, "  %s", text);
}

static const char *time_left(wp_arena *a, double seconds)
{
	if (seconds < 120)
		return wp_sprintf(a, "%.0f s left", seconds);
	return wp_sprintf(a, "%.0f min left", seconds / 60);
}

static void draw(cli_progress *s, const wp_progress *p, uint64_t now)
{
	wp_arena *a;
	wp_buf b;
	int width = terminal_width();

	if (s->drawn && now - s->last_draw < DRAW_MS)
		return;
	s->last_draw = now;
	a = wp_arena_new();
	wp_buf_init(&b, 4096);
	wp_buf_printf(&b, "%s", p->stage);
	if (p->items_total)
		field(&b, width, wp_sprintf(a, "%" PRIu64 "/%" PRIu64, p->items, p->items_total));
	if (p->bytes_total)
		field(&b, width, wp_sprintf(a, "%3.0f%%  %s of %s", 100.0 * (double)p->bytes / (double)p->bytes_total,
			cli_bytes(a, p->bytes), cli_bytes(a, p->bytes_total)));
	if (s->rate > 0)
		field(&b, width, wp_sprintf(a, "%s/s", cli_bytes(a, (uint64_t)s->rate)));
	if (s->rate > 0 && p->bytes_total > p->bytes)
		field(&b, width, time_left(a, (double)(p->bytes_total - p->bytes) / s->rate));
	if (p->item && !p->bytes_total)
		field(&b, width, p->item);
	if (b.n > (size_t)width - 1)
		b.p[width - 1] = 0;
	fprintf(stderr, "\r\033[K%s", wp_buf_view(&b).p);
	fflush(stderr);
	s->drawn = true;
	wp_buf_free(&b);
	wp_arena_free(a);
}

static void item_line(cli_progress *s, const wp_progress *p)
{
	wp_arena *a = wp_arena_new();
	FILE *f = s->c->o.json ? stderr : stdout;

	fprintf(f, "  %s %s (%s)\n", p->item_cached ? "kept   " : "fetched", p->item,
		cli_bytes(a, p->item_size));
	fflush(f);
	wp_arena_free(a);
}

static void on_progress(void *user, const wp_progress *p)
{
	cli_progress *s = user;
	uint64_t now = os_now_ms();

	if (strcmp(p->stage, "wait") == 0) {
		cli_progress_stop(s->c);
		fprintf(stderr, "waiting for %s, which is at work in '%s'\n", p->item, s->c->o.venv);
		return;
	}
	if (strncmp(s->stage, p->stage, sizeof s->stage - 1) != 0) {
		snprintf(s->stage, sizeof s->stage, "%s", p->stage);
		s->last_time = now;
		s->last_bytes = p->bytes;
		s->rate = 0;
	}
	measure(s, p, now);
	if (s->terminal)
		draw(s, p, now);
	else if (p->item_done && strcmp(p->stage, "fetch") == 0)
		item_line(s, p);
}

void cli_progress_start(cli *c)
{
	cli_progress *s;

	if (c->o.quiet)
		return;
	s = WP_NEW(c->ctx.arena, cli_progress);
	s->c = c;
	s->terminal = os_is_terminal(2) && terminal_width() > 20;
	c->progress = s;
	c->ctx.progress = on_progress;
	c->ctx.progress_user = s;
}

void cli_progress_stop(cli *c)
{
	cli_progress *s = c->progress;

	if (!s || !s->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	s->drawn = false;
}
