/* SPDX-License-Identifier: MIT */
#include "py/core_metadata.h"
#include "base/vec.h"
#include "py/name.h"
#include "py/requirement.h"

#include <string.h>

enum { MAX_FAULTS = 100, SHOWN = 160, MAX_LICENCE_DEPTH = 64 };

typedef struct checker {
	wp_arena *a, *scratch;
	const wp_core_metadata *m;
	WP_VEC(const char *) faults;
} checker;

WP_PRINTF(2, 3) static void fault(checker *c, const char *fmt, ...)
{
	va_list ap;

	if (c->faults.n == MAX_FAULTS)
		return;
	va_start(ap, fmt);
	WP_PUSH(&c->faults, wp_vsprintf(c->a, fmt, ap));
	va_end(ap);
}

static const char *header(wp_core_id id)
{
	return wp_core_fields[id].header;
}

static const char *text_of(const checker *c, wp_core_id id)
{
	const wp_core_value *v = &c->m->field[id];

	return v->given && v->n ? v->v[0] : NULL;
}

static void wrong(checker *c, wp_core_id id, const char *value, const char *why)
{
	fault(c, "%s '%.*s' %s", header(id), SHOWN, value, why);
}

/* ---- which fields ----------------------------------------------------------------------------- */

/* 21 for 2.1; 0 where it is none of the standard's. */
static int format_of(const char *text)
{
	static const char *const known[] = {"1.0", "1.1", "1.2", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6"};
	size_t i;

	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i], text) == 0)
			return (text[0] - '0') * 10 + text[2] - '0';
	return 0;
}

static void check_format(checker *c)
{
	const char *text = text_of(c, WP_CORE_METADATA_VERSION);
	int format = text ? format_of(text) : 0;
	size_t id;

	if (text && !format)
		wrong(c, WP_CORE_METADATA_VERSION, text, "is no version of the standard");
	for (id = 0; format && id < WP_CORE_COUNT; id++)
		if (c->m->field[id].given && wp_core_fields[id].since > format)
			fault(c, "%s belongs to Metadata-Version %d.%d, and this is %s", header(id),
				wp_core_fields[id].since / 10, wp_core_fields[id].since % 10, text);
}

static void check_there(checker *c)
{
	static const wp_core_id needed[] = {WP_CORE_METADATA_VERSION, WP_CORE_NAME, WP_CORE_VERSION};
	const char *text;
	size_t i;

	for (i = 0; i < sizeof needed / sizeof *needed; i++) {
		text = text_of(c, needed[i]);
		if (!text || !*text)
			fault(c, "%s is missing", header(needed[i]));
	}
}

static bool known_field(const char *name)
{
	size_t id;

	for (id = 0; id < WP_CORE_COUNT; id++)
		if (strcmp(header(id), name) == 0)
			return true;
	return false;
}

static void check_odd(checker *c)
{
	const wp_core_odd *o = c->m->odd;
	size_t i;

	for (i = 0; i < c->m->nodd; i++)
		if (!known_field(o[i].name))
			fault(c, "%.*s is not a field of the standard", SHOWN, o[i].name);
		else if (i == 0 || strcmp(o[i - 1].name, o[i].name) != 0)
			fault(c, "%s cannot be read as it stands: it may stand once, and is UTF-8", o[i].name);
}

/* ---- values ----------------------------------------------------------------------------------- */

static bool one_line(const char *text)
{
	return !strpbrk(text, "\r\n");
}

static const char *check_name(checker *c, const char *text)
{
	(void)c;
	return wp_name_valid(wp_str_of(text)) ? NULL : "is not a name";
}

static const char *check_version(checker *c, const char *text)
{
	wp_version v;

	return wp_version_parse(c->scratch, wp_str_of(text), &v) ? NULL : "is not a version (PEP 440)";
}

static const char *check_summary(checker *c, const char *text)
{
	(void)c;
	return one_line(text) ? NULL : "has more than one line";
}

static const char *check_requirement(checker *c, const char *text)
{
	wp_error e = {0};
	wp_requirement r;

	return wp_requirement_parse(c->scratch, wp_str_of(text), &r, &e) ? "is not a requirement" : NULL;
}

static const char *check_python(checker *c, const char *text)
{
	wp_specifiers s;

	return wp_specifiers_parse(c->scratch, wp_str_of(text), &s) ? NULL : "is not a version specifier";
}

static const char *check_dynamic(checker *c, const char *text)
{
	const char *name = wp_str_lower(c->scratch, wp_str_of(text));

	if (strcmp(name, "name") == 0 || strcmp(name, "version") == 0 || strcmp(name, "metadata-version") == 0)
		return "may not be dynamic";
	return known_field(name) ? NULL : "is not a field of the standard";
}

/* A path inside the distribution: relative, with slashes, without climbing and without patterns. */
static const char *check_licence_file(checker *c, const char *text)
{
	(void)c;
	if (strstr(text, ".."))
		return "climbs out of the distribution";
	if (strchr(text, '*'))
		return "is a pattern";
	if (strchr(text, '\\'))
		return "does not part its directories by '/'";
	if (!*text)
		return "is empty";
	if (text[0] == '/' || (wp_ascii_alpha(text[0]) && text[1] == ':'))
		return "is not a relative path";
	return NULL;
}

static bool keyword(wp_str word)
{
	static const char *const words[] = {"False", "None", "True", "and", "as", "assert", "async", "await", "break",
		"class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
		"import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with",
		"yield"};
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++)
		if (wp_str_is(word, words[i]))
			return true;
	return false;
}

static bool identifier(wp_str word)
{
	size_t i;

	for (i = 0; i < word.n; i++)
		if (!wp_ascii_alpha(word.p[i]) && word.p[i] != '_' && (unsigned char)word.p[i] < 0x80 &&
			(i == 0 || !wp_ascii_digit(word.p[i])))
			return false;
	return word.n > 0;
}

/* Identifiers with dots, perhaps "; private" (PEP 794). */
static const char *check_import(checker *c, const char *text)
{
	wp_str rest = wp_str_of(text), name, word;

	(void)c;
	wp_str_split(&rest, ';', &name);
	if (rest.p && !wp_str_is(wp_str_trim(rest), "private"))
		return "has something other than 'private' behind its ';'";
	name = wp_str_trim(name);
	while (wp_str_split(&name, '.', &word))
		if (!identifier(word) || keyword(word))
			return "is not a name that Python can import";
	return NULL;
}

/* ---- Description-Content-Type (RFC 2045) ------------------------------------------------------ */

static bool token(wp_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~' || strchr("()<>@,;:\\\"/[]?={}", s.p[i]))
			return false;
	return s.n > 0;
}

static wp_str unquoted(wp_str s)
{
	if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		return wp_str_sub(s, 1, s.n - 1);
	return token(s) ? s : (wp_str){0};
}

static const char *check_parameter(const char *type, wp_str parameter)
{
	wp_str value = parameter, name;

	wp_str_split(&value, '=', &name);
	name = wp_str_trim(name);
	value = unquoted(wp_str_trim(value));
	if (!token(name) || !value.p)
		return "has a parameter that is not written as name=value";
	if (wp_str_is_nocase(name, "charset") && !wp_str_is_nocase(value, "utf-8"))
		return "has another charset than UTF-8";
	if (strcmp(type, "text/markdown") == 0 && wp_str_is_nocase(name, "variant") && !wp_str_is(value, "GFM") &&
		!wp_str_is(value, "CommonMark"))
		return "has another variant than GFM and CommonMark";
	return NULL;
}

static const char *check_content_type(checker *c, const char *text)
{
	wp_str rest = wp_str_of(text), part;
	const char *type, *why = NULL;

	wp_str_split(&rest, ';', &part);
	type = wp_str_lower(c->scratch, wp_str_trim(part));
	if (strcmp(type, "text/plain") != 0 && strcmp(type, "text/x-rst") != 0 && strcmp(type, "text/markdown") != 0)
		return "is not text/plain, text/x-rst or text/markdown";
	while (!why && wp_str_split(&rest, ';', &part))
		if (rest.p || wp_str_trim(part).n) /* one ';' may stand at the end */
			why = check_parameter(type, part);
	return why;
}

/* ---- License-Expression (SPDX) ---------------------------------------------------------------- */

static wp_str next_word(wp_str *rest)
{
	size_t n = 0;

	*rest = wp_str_trim(*rest);
	while (n < rest->n && !wp_ascii_space(rest->p[n]) && !strchr("()", rest->p[n]))
		n++;
	n += n == 0 && rest->n > 0; /* a parenthesis */
	*rest = wp_str_sub(*rest, n, rest->n);
	return (wp_str){rest->p - n, n};
}

static bool licence_id(wp_str word)
{
	size_t i;

	for (i = 0; i < word.n; i++)
		if (!wp_ascii_alnum(word.p[i]) && !strchr("-.+:", word.p[i]))
			return false;
	return word.n && !wp_str_is_nocase(word, "and") && !wp_str_is_nocase(word, "or") && !wp_str_is_nocase(word, "with");
}

/* Operands with AND, OR and WITH between them; a '(' stands for an operand, as does what its ')' ends. */
static const char *check_licence(checker *c, const char *text)
{
	wp_str rest = wp_str_of(text), word;
	bool operand = false, with = false;
	int depth = 0;

	(void)c;
	for (word = next_word(&rest); word.n; word = next_word(&rest)) {
		if (operand && (wp_str_is_nocase(word, "and") || wp_str_is_nocase(word, "or") || wp_str_is_nocase(word, "with"))) {
			with = wp_str_is_nocase(word, "with");
			operand = false;
		} else if (!operand && !with && wp_str_is(word, "(") && depth < MAX_LICENCE_DEPTH) {
			depth++;
		} else if (operand && depth && wp_str_is(word, ")")) {
			depth--;
		} else if (!operand && licence_id(word)) {
			operand = true;
			with = false;
		} else {
			return "is not a licence expression";
		}
	}
	return operand && depth == 0 ? NULL : "is not a licence expression";
}

/* ---- all of it -------------------------------------------------------------------------------- */

static void check_values(checker *c)
{
	static const struct {
		wp_core_id id;
		const char *(*check)(checker *c, const char *text);
	} checks[] = {{WP_CORE_NAME, check_name}, {WP_CORE_VERSION, check_version}, {WP_CORE_SUMMARY, check_summary},
		{WP_CORE_CONTENT_TYPE, check_content_type}, {WP_CORE_REQUIRES_PYTHON, check_python},
		{WP_CORE_REQUIRES_DIST, check_requirement}, {WP_CORE_PROVIDES_EXTRA, check_name},
		{WP_CORE_DYNAMIC, check_dynamic}, {WP_CORE_LICENSE_EXPRESSION, check_licence},
		{WP_CORE_LICENSE_FILE, check_licence_file}, {WP_CORE_IMPORT_NAME, check_import},
		{WP_CORE_IMPORT_NAMESPACE, check_import}};
	size_t i, k;

	for (i = 0; i < sizeof checks / sizeof *checks; i++) {
		const wp_core_value *v = &c->m->field[checks[i].id];

		for (k = 0; k < v->n && c->faults.n < MAX_FAULTS; k++) {
			const char *why = checks[i].check(c, v->v[k]);

			if (why)
				wrong(c, checks[i].id, v->v[k], why);
		}
	}
}

size_t wp_core_metadata_check(wp_arena *a, const wp_core_metadata *m, const char *const **faults)
{
	checker c = {.a = a, .scratch = wp_arena_new(), .m = m};
	size_t n;

	check_there(&c);
	check_format(&c);
	check_odd(&c);
	check_values(&c);
	*faults = WP_VEC_COPY(a, &c.faults);
	n = c.faults.n;
	WP_VEC_FREE(&c.faults);
	wp_arena_free(c.scratch);
	return n;
}
