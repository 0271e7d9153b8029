/* SPDX-License-Identifier: MIT */
#include "py/marker_ast.h"
#include "base/vec.h"
#include "py/name.h"
#include "py/scan.h"

#include <string.h>

#define TEXT(field) {#field, WP_MV_TEXT, offsetof(wp_markers, field)}
#define VERSION(field) {#field, WP_MV_VERSION, offsetof(wp_markers, field)}

static const wp_marker_var vars[] = {TEXT(os_name), TEXT(sys_platform), TEXT(platform_machine),
	TEXT(platform_python_implementation), VERSION(platform_release), TEXT(platform_system),
	TEXT(platform_version), VERSION(python_version), VERSION(python_full_version),
	TEXT(implementation_name), VERSION(implementation_version), {"extra", WP_MV_EXTRA, 0},
	{"extras", WP_MV_EXTRAS, 0}, {"dependency_groups", WP_MV_GROUPS, 0}};

/* Spellings from before the standard. */
static const struct {
	const char *old, *name;
} aliases[] = {{"os.name", "os_name"}, {"sys.platform", "sys_platform"},
	{"platform.version", "platform_version"}, {"platform.machine", "platform_machine"},
	{"platform.python_implementation", "platform_python_implementation"},
	{"python_implementation", "platform_python_implementation"}};

static const char *const ops[] = {"===", "==", "~=", "!=", "<=", ">=", "<", ">"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const wp_marker_var *find_var(wp_str name)
{
	size_t i;

	for (i = 0; i < COUNT(aliases); i++)
		if (wp_str_is(name, aliases[i].old))
			name = wp_str_of(aliases[i].name);
	for (i = 0; i < COUNT(vars); i++)
		if (wp_str_is(name, vars[i].name))
			return &vars[i];
	return NULL;
}

static bool quoted(wp_arena *a, wp_scan *s, const char **out)
{
	char quote = wp_scan_peek(s);
	wp_str rest = wp_str_sub(s->text, s->at + 1, s->text.n);
	size_t n = wp_str_find(rest, quote);

	if (n == rest.n)
		return wp_scan_fail(s, "the string is not closed");
	rest = wp_str_sub(rest, 0, n);
	if (wp_str_find(rest, '\\') < rest.n)
		return wp_scan_fail(s, "backslashes are not allowed in strings");
	*out = wp_str_dup(a, rest);
	s->at += n + 2;
	return true;
}

static bool parse_side(wp_arena *a, wp_scan *s, wp_marker_side *out)
{
	size_t from, n;
	wp_str word;

	wp_scan_blanks(s);
	if (wp_scan_peek(s) == '"' || wp_scan_peek(s) == '\'')
		return quoted(a, s, &out->text);
	from = n = s->at;
	while (n < s->text.n && (wp_ascii_alnum(s->text.p[n]) || s->text.p[n] == '_' || s->text.p[n] == '.'))
		n++;
	word = wp_str_sub(s->text, from, n);
	out->var = find_var(word);
	if (out->var) {
		s->at = n;
		return true;
	}
	if (word.n == 0)
		return wp_scan_fail(s, "a variable or a string in quotes is missing");
	return wp_scan_fail(s, "'%s' is not a marker variable", wp_str_dup(a, word));
}

static bool parse_op(wp_scan *s, const char **out)
{
	size_t i;

	wp_scan_blanks(s);
	for (i = 0; i < COUNT(ops); i++)
		if (wp_scan_take(s, ops[i])) {
			*out = ops[i];
			return true;
		}
	*out = "in";
	if (wp_scan_take_word(s, "in"))
		return true;
	if (wp_scan_take_word(s, "not") && (wp_scan_peek(s) == ' ' || wp_scan_peek(s) == '\t')) {
		wp_scan_blanks(s);
		*out = "not in";
		if (wp_scan_take_word(s, "in"))
			return true;
	}
	return wp_scan_fail(s, "a comparison such as == or in is missing");
}

static bool parse_comparison(wp_arena *a, wp_scan *s, wp_marker_term *t)
{
	if (!parse_side(a, s, &t->left) || !parse_op(s, &t->op) || !parse_side(a, s, &t->right))
		return false;
	/* Names of extras and groups have a normal form; the sets of them stand behind in and not in. */
	if (t->left.var && t->left.var->kind == WP_MV_EXTRA && !t->right.var)
		t->right.text = wp_name_normalize(a, wp_str_of(t->right.text));
	if (t->right.var && t->right.var->kind >= WP_MV_EXTRA && !t->left.var)
		t->left.text = wp_name_normalize(a, wp_str_of(t->left.text));
	return true;
}

static wp_marker *parse_terms(wp_arena *a, wp_scan *s, int depth);

static bool parse_term(wp_arena *a, wp_scan *s, int depth, wp_marker_term *t)
{
	bool or_before = t->or_before;
	wp_marker *group;

	wp_scan_blanks(s);
	if (!wp_scan_take(s, "("))
		return parse_comparison(a, s, t);
	if (depth == WP_MAX_MARKER_DEPTH)
		return wp_scan_fail(s, "more than %d parentheses in each other", WP_MAX_MARKER_DEPTH);
	group = parse_terms(a, s, depth + 1);
	if (!group)
		return false;
	wp_scan_blanks(s);
	if (!wp_scan_take(s, ")"))
		return wp_scan_fail(s, "a ')' is missing");
	/* Parentheses around one thing say nothing. */
	if (group->n == 1)
		*t = group->v[0];
	else
		t->group = group;
	t->or_before = or_before;
	return true;
}

static wp_marker *parse_terms(wp_arena *a, wp_scan *s, int depth)
{
	WP_VEC(wp_marker_term) v = {0};
	wp_marker *m = NULL;
	bool ok, or_next = false;

	do {
		wp_marker_term t = {.or_before = or_next};

		ok = parse_term(a, s, depth, &t);
		WP_PUSH(&v, t);
		wp_scan_blanks(s);
		or_next = ok && wp_scan_take_word(s, "or");
	} while (or_next || (ok && wp_scan_take_word(s, "and")));
	if (ok) {
		m = WP_NEW(a, wp_marker);
		m->v = WP_VEC_COPY(a, &v);
		m->n = v.n;
	}
	WP_VEC_FREE(&v);
	return m;
}

wp_marker *wp_marker_parse(wp_arena *a, wp_str text, wp_error *e)
{
	wp_scan s = {.what = "marker", .text = text, .e = e};
	wp_marker *m;

	if (text.n > WP_MAX_MARKER) {
		wp_fail(e, WP_E_REQUIREMENT, "a marker of %zu bytes; %d are allowed", text.n, WP_MAX_MARKER);
		return NULL;
	}
	m = parse_terms(a, &s, 0);
	if (m && !wp_scan_end(&s)) {
		wp_scan_fail(&s, "'and', 'or' or the end was expected");
		return NULL;
	}
	while (m && m->n == 1 && m->v[0].group)
		m = m->v[0].group;
	return m;
}

static void put_side(wp_buf *b, const wp_marker_side *side)
{
	const char *quote = side->var || !strchr(side->text, '"') ? "\"" : "'";

	if (side->var)
		wp_buf_puts(b, side->var->name);
	else
		wp_buf_printf(b, "%s%s%s", quote, side->text, quote);
}

static void put_terms(wp_buf *b, const wp_marker *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		const wp_marker_term *t = &m->v[i];

		if (i)
			wp_buf_puts(b, t->or_before ? " or " : " and ");
		if (t->group) {
			wp_buf_putc(b, '(');
			put_terms(b, t->group);
			wp_buf_putc(b, ')');
			continue;
		}
		put_side(b, &t->left);
		wp_buf_printf(b, " %s ", t->op);
		put_side(b, &t->right);
	}
}

const char *wp_marker_text(wp_arena *a, const wp_marker *m)
{
	wp_buf b;

	wp_buf_init(&b, 8 * WP_MAX_MARKER);
	if (m)
		put_terms(&b, m);
	return wp_buf_take(&b, a).p;
}

static bool side_reads(const wp_marker_side *side, const char *variable)
{
	return side->var && strcmp(side->var->name, variable) == 0;
}

bool wp_marker_reads(const wp_marker *m, const char *variable)
{
	size_t i;

	for (i = 0; m && i < m->n; i++) {
		const wp_marker_term *t = &m->v[i];

		if (t->group ? wp_marker_reads(t->group, variable)
			     : side_reads(&t->left, variable) || side_reads(&t->right, variable))
			return true;
	}
	return false;
}
