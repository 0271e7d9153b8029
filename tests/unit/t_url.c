/* SPDX-License-Identifier: MIT */
#include "ext/url.h"
#include "unit/arena.h"

static void check(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else if (!got)
		fail_msg("nothing instead of %s", want);
	else
		assert_string_equal(got, want);
}

static void links_are_resolved_against_their_page(void **state)
{
	static const char page[] = "https://host.example/whl/cu126/torch/";

	(void)state;
	check(wp_url_join(arena, page, "torch-2.6.0%2Bcu126-cp312.whl#sha256=ab"),
		"https://host.example/whl/cu126/torch/torch-2.6.0%2Bcu126-cp312.whl#sha256=ab");
	check(wp_url_join(arena, page, "/whl/x.whl"), "https://host.example/whl/x.whl");
	check(wp_url_join(arena, page, "../../a.whl"), "https://host.example/whl/a.whl");
	check(wp_url_join(arena, page, "//other.example/a.whl"), "https://other.example/a.whl");
	check(wp_url_join(arena, page, "https://other.example:8443/a.whl?x=1#f"),
		"https://other.example:8443/a.whl?x=1#f");
	check(wp_url_join(arena, page, "a b+c.whl"), "https://host.example/whl/cu126/torch/a%20b+c.whl");
	check(wp_url_join(arena, page, ""), page);
	check(wp_url_join(arena, "https://host.example/simple", "torch/"), "https://host.example/torch/");
	check(wp_url_join(arena, "no url", "x"), NULL);
	check(wp_url_join(arena, page, "http://"), NULL);
	check(wp_url_join(arena, page, "https://a b/"), NULL);
}

static void parts_are_taken_from_an_address(void **state)
{
	(void)state;
	check(wp_url_last_part(arena, "https://host.example/a/x%2B1.whl?to/ken#frag/ment"), "x+1.whl");
	check(wp_url_last_part(arena, "https://host.example/a/?x/y"), "");
	check(wp_url_last_part(arena, "https://host.example/a%00b"), NULL);
	check(wp_url_scheme(arena, "HTTPS://Host.example/"), "https");
	check(wp_url_scheme(arena, "file:///tmp/x"), "file");
	check(wp_url_host(arena, "https://u:p@HOST.example:99/x"), "host.example");
	check(wp_url_host(arena, "nonsense"), NULL);
	check(wp_url_origin(arena, "https://u:p@Host.example/x?y"), "https://host.example:443");
	check(wp_url_origin(arena, "http://127.0.0.1:8765/simple/"), "http://127.0.0.1:8765");
	check(wp_url_origin(arena, "http://[::1]/x"), "http://[::1]:80");
}

static void credentials_are_taken_out(void **state)
{
	const char *up;

	(void)state;
	check(wp_url_strip(arena, "https://me:s%40c@host.example/x/", &up), "https://host.example/x/");
	check(up, "me:s@c");
	check(wp_url_strip(arena, "https://token@host.example/", &up), "https://host.example/");
	check(up, "token:");
	check(wp_url_strip(arena, "https://host.example/a%2Bb", &up), "https://host.example/a%2Bb");
	check(up, NULL);
	check(wp_url_strip(arena, "host.example", NULL), NULL);
}

static void the_host_is_exchanged(void **state)
{
	(void)state;
	check(wp_url_with_host(arena, "https://download.pytorch.org/whl/cu126/a%2Bb.whl", "download-r2.pytorch.org"),
		"https://download-r2.pytorch.org/whl/cu126/a%2Bb.whl");
	check(wp_url_with_host(arena, "http://127.0.0.1:1/x", "127.0.0.1:2"), "http://127.0.0.1:2/x");
	check(wp_url_with_host(arena, "http://127.0.0.1:1/x", "host"), "http://host/x");
	check(wp_url_with_host(arena, "http://h/x", "b a d"), NULL);
}

static void percent_signs_are_decoded_and_made(void **state)
{
	(void)state;
	check(wp_url_decode(arena, WP_LIT("a%2Bb%2bc+d%zz%4")), "a+b+c+d%zz%4");
	check(wp_url_decode(arena, WP_LIT("%00")), NULL);
	check(wp_url_decode(arena, WP_LIT("%ff")), NULL);
	check(wp_url_decode(arena, WP_LIT("%C3%BC")), "\xc3\xbc");
	check(wp_url_encode(arena, WP_LIT("a+b c/\xc3\xbc-._~9")), "a%2Bb%20c%2F%C3%BC-._~9");
	check(wp_url_encode(arena, WP_LIT("")), "");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(links_are_resolved_against_their_page),
		T(parts_are_taken_from_an_address),
		T(credentials_are_taken_out),
		T(the_host_is_exchanged),
		T(percent_signs_are_decoded_and_made),
	};

	return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
