/* SPDX-License-Identifier: MIT
 *
 * verify_members.c: members of wheels against RECORD. A job is a run of members of one wheel, so that a huge wheel
 * keeps all threads busy; a big member is a job of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "bundle/verify.h"
#include "os/par.h"
#include "wheel/wheel.h"

enum { CHUNK = 16 << 20, MAX_FAULTS = 20 };

typedef struct opened {
	wp_check *check;
	wp_blob blob;
	wp_wheel wheel;
	wp_error failed; /* the wheel can't be opened */
} opened;

typedef struct chunk {
	opened *o;
	size_t from, to; /* members */
	uint64_t bytes;
	wp_faults faults;
} chunk;

typedef struct members {
	wp_verifying *v;
	opened *wheels; size_t n;
	WP_VEC(chunk) chunks; /* in plan order */
	chunk **order;	      /* biggest first */
} members;

static void tick(void *user)
{
	wp_verify_report(((const members *)user)->v);
}

/* ---- opening ------------------------------------------------------------------------------ */

static int open_one(void *user, size_t i, wp_arena *a, wp_error *e)
{
	members *m = user;
	opened *o = &m->wheels[i];
	const wp_check *c = o->check;

	(void)e;
	if (!wp_source_blob(m->v->b, wp_source_find(m->v->b, c->path), &o->blob, &o->failed))
		wp_wheel_open(a, c->wheel, &o->blob, wp_check_names(m->v, c), &c->record, &o->wheel, NULL,
			&o->failed);
	return 0;
}

static void close_all(members *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->wheels[i].blob.close)
			m->wheels[i].blob.close(m->wheels[i].blob.self);
	WP_VEC_FREE(&m->chunks);
}

/* ---- reading ------------------------------------------------------------------------------ */

static int on_bytes(void *user, const void *p, size_t n, wp_error *e)
{
	wp_verifying *v = user;

	(void)p;
	atomic_fetch_add_explicit(&v->bytes, n, memory_order_relaxed);
	return wp_check_cancel(v->ctx, e);
}

static int read_chunk(void *user, size_t i, wp_arena *a, wp_error *e)
{
	members *m = user;
	chunk *c = m->order[i];
	wp_unpacker *u = wp_unpacker_new();
	size_t k;

	for (k = c->from; k < c->to && !e->code; k++) {
		const wp_member *member = &c->o->wheel.members[k];
		wp_error f = {0};

		if (!member->row || !wp_member_read(u, &c->o->wheel, member, on_bytes, m->v, NULL, &f))
			continue;
		if (f.code == WP_E_INTERRUPTED)
			*e = f;
		else
			wp_faults_add(&c->faults, a, f.code, f.where, f.why);
	}
	wp_unpacker_free(u);
	return e->code;
}

/* ---- sharing out -------------------------------------------------------------------------- */

static void cut(members *m, opened *o)
{
	chunk c = {.o = o};
	size_t i;

	for (i = 0; i < o->wheel.n; i++) {
		uint64_t size = o->wheel.members[i].entry->size;

		if (c.to > c.from && c.bytes + size > CHUNK) {
			WP_PUSH(&m->chunks, c);
			c = (chunk){.o = o, .from = i};
		}
		c.to = i + 1;
		c.bytes += size;
	}
	if (c.to > c.from)
		WP_PUSH(&m->chunks, c);
	m->v->bytes_total += o->wheel.total;
}

static int by_bytes(const void *a, const void *b)
{
	const chunk *x = *(chunk *const *)a, *y = *(chunk *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void share_out(members *m, wp_arena *a)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (!m->wheels[i].failed.code)
			cut(m, &m->wheels[i]);
	m->order = WP_NEW_ARRAY(a, m->chunks.n, chunk *);
	for (i = 0; i < m->chunks.n; i++)
		m->order[i] = &m->chunks.v[i];
	if (m->chunks.n)
		qsort(m->order, m->chunks.n, sizeof *m->order, by_bytes);
}

/* ---- what it comes to --------------------------------------------------------------------- */

/* A wrong digest is one fault; what was found inside replaces it and says where. */
static void found_inside(wp_check *c, wp_arena *a, const wp_faults *inside)
{
	wp_fault whole = c->wrong_digest ? c->faults.v[0] : (wp_fault){0};
	size_t i;

	if (c->wrong_digest && inside->n == 0) {
		c->faults.v[0].why = wp_sprintf(a, "%s; its members all fit RECORD, so bytes between them or "
						   "bundle.json were changed", whole.why);
		return;
	}
	c->faults.n = 0;
	for (i = 0; i < inside->n && i < MAX_FAULTS; i++) {
		const wp_fault *f = &inside->v[i];

		wp_faults_add(&c->faults, a, c->wrong_digest ? whole.code : f->code, f->where,
			c->wrong_digest ? wp_sprintf(a, "%s (the wheel's %s)", f->why, whole.why) : f->why);
	}
	if (inside->n > MAX_FAULTS)
		wp_faults_add(&c->faults, a, inside->v[0].code, wp_sprintf(a, "'%s'", c->wheel),
			wp_sprintf(a, "%zu more members are damaged", inside->n - MAX_FAULTS));
}

static void sum_up(members *m)
{
	wp_arena *a = m->v->b->a;
	size_t i, k, j = 0;

	for (i = 0; i < m->n; i++) {
		opened *o = &m->wheels[i];
		wp_faults inside = {0};

		if (o->failed.code)
			wp_faults_add(&inside, a, o->failed.code, o->failed.where, o->failed.why);
		for (; j < m->chunks.n && m->chunks.v[j].o == o; j++)
			for (k = 0; k < m->chunks.v[j].faults.n; k++) {
				const wp_fault *f = &m->chunks.v[j].faults.v[k];

				wp_faults_add(&inside, a, f->code, f->where, f->why);
			}
		if (inside.n || o->check->wrong_digest)
			found_inside(o->check, a, &inside);
	}
}

int wp_verify_members(wp_verifying *v, wp_error *e)
{
	members m = {.v = v};
	wp_arena *a = v->b->a;
	wp_par open = {0}, read = {0};
	size_t i;

	m.wheels = WP_NEW_ARRAY(a, v->n, opened);
	for (i = 0; i < v->n; i++)
		if (v->checks[i].by_member)
			m.wheels[m.n++].check = &v->checks[i];
	if (m.n && !wp_par_for(v->ctx, m.n, open_one, tick, &m, true, &open, e)) {
		share_out(&m, a);
		if (!wp_par_for(v->ctx, m.chunks.n, read_chunk, tick, &m, true, &read, e))
			sum_up(&m);
	}
	close_all(&m);
	wp_par_done(&read);
	wp_par_done(&open);
	return e->code;
}
