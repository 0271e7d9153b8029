/* SPDX-License-Identifier: MIT */
/* What a refusal says, word for word, and why a version was taken. */
#include "unit/lock_world.h"

static void refused(int code, const char *why)
{
	assert_string_equal(err.why, why);
	assert_int_equal(err.code, code);
}

/* ---- projects of our own -------------------------------------------------------------------- */

static void two_requests_at_odds(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", NULL);
	fake_any(&cat, "lamp", "2.0", NULL);
	lock("lamp<2|lamp>=2", LIN);
	refused(WP_E_CONFLICT, "lamp<2 and lamp>=2 are asked for at once");
}

static void a_requirement_against_a_request(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "bulb<2");
	fake_any(&cat, "bulb", "1.0", NULL);
	fake_any(&cat, "bulb", "2.0", NULL);
	fake_any(&cat, "desk", "1.0", NULL);
	lock("desk|lamp|bulb>=2", LIN);
	refused(WP_E_CONFLICT, "lamp and bulb>=2 are asked for,\n"
			       "but lamp 1.0 requires bulb<2");
}

static void a_conflict_three_levels_deep(void **state)
{
	(void)state;
	fake_any(&cat, "house", "1.0", "room>=1");
	fake_any(&cat, "house", "2.0", "room>=1");
	fake_any(&cat, "room", "1.0", "lamp>=2");
	fake_any(&cat, "room", "1.1", "lamp>=2");
	fake_any(&cat, "room", "1.2", "lamp>=2");
	fake_any(&cat, "lamp", "1.0", NULL);
	fake_any(&cat, "lamp", "2.0", "bulb>=3");
	fake_any(&cat, "lamp", "2.1", "bulb>=3");
	fake_any(&cat, "shop", "5.0", "bulb<3");
	fake_any(&cat, "bulb", "2.9", NULL);
	fake_any(&cat, "bulb", "3.0", NULL);
	lock("house|shop", LIN);
	refused(WP_E_CONFLICT, "house and shop are asked for\n"
			       "every version of house requires room>=1\n"
			       "every version of room requires lamp>=2\n"
			       "every such version of lamp requires bulb>=3,\n"
			       "but shop 5.0 requires bulb<3");
}

static void versions_that_fail_for_different_reasons(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "bulb<2");
	fake_any(&cat, "lamp", "2.0", "socket>=3");
	fake_any(&cat, "lamp", "3.0", "socket>=3");
	fake_any(&cat, "bulb", "1.0", NULL);
	fake_any(&cat, "bulb", "2.0", NULL);
	fake_any(&cat, "socket", "2.0", NULL);
	lock("lamp|bulb>=2", LIN);
	refused(WP_E_CONFLICT, "lamp and bulb>=2 are asked for\n"
			       "lamp 2.0 and 3.0 require socket>=3, but there is no such version; the only one is 2.0,\n"
			       "but lamp 1.0 requires bulb<2");
}

static void each_version_with_a_requirement_of_its_own(void **state)
{
	int k;

	(void)state;
	for (k = 1; k <= 9; k++) {
		fake_any(&cat, "lamp", wp_sprintf(cat.a, "%d.0", k), wp_sprintf(cat.a, "bulb==%d", k));
		fake_any(&cat, "bulb", wp_sprintf(cat.a, "%d", k), NULL);
	}
	fake_any(&cat, "bulb", "10", NULL);
	lock("lamp|bulb==10", LIN);
	refused(WP_E_CONFLICT, "lamp and bulb==10 are asked for,\n"
			       "but every version of lamp requires a bulb of its own: 9.0 requires bulb==9, "
			       "8.0 requires bulb==8, 7.0 requires bulb==7, and so on");
}

static void a_constraint_that_excludes_all(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "bulb>=2");
	fake_any(&cat, "bulb", "1.0", NULL);
	fake_any(&cat, "bulb", "2.0", NULL);
	constrain("bulb<2");
	lock("lamp", LIN);
	refused(WP_E_CONFLICT, "lamp is asked for\n"
			       "lamp 1.0 requires bulb>=2,\n"
			       "but the constraint is bulb<2");
	constrain("bulb<1");
	lock("lamp", LIN);
	refused(WP_E_CONFLICT, "lamp is asked for\n"
			       "lamp 1.0 requires bulb>=2\n"
			       "the constraint is bulb<1, but there is no such version; those that are there are 1.0 and 2.0");
}

static void an_extra_against_a_request(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "!Provides-Extra: led\nbulb<2; extra == 'led'");
	fake_any(&cat, "bulb", "1.0", NULL);
	fake_any(&cat, "bulb", "2.0", NULL);
	fake_any(&cat, "desk", "1.0", "lamp[led]");
	lock("desk|bulb>=2", LIN);
	refused(WP_E_CONFLICT, "desk and bulb>=2 are asked for\n"
			       "desk 1.0 requires lamp[led],\n"
			       "but lamp[led] 1.0 requires bulb<2");
}

/* Nor does an older version without the extra get round what the extra requires. */
static void an_extra_that_cannot_be_had(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", NULL);
	fake_any(&cat, "lamp", "2.0", "!Provides-Extra: led\nbulb; extra == 'led'");
	fake_wheel(&cat, "bulb-1.0-py3-none-win_amd64.whl", NULL);
	lock("lamp[led]", LIN);
	refused(WP_E_CONFLICT, "lamp[led] is asked for\n"
			       "lamp[led] 2.0 requires bulb, but no wheel of 'bulb' fits: bulb 1.0 has wheels for Windows only, "
			       "and the target is manylinux_2_28_x86_64\n"
			       "lamp 1.0 cannot be taken: it has no extra 'led', which better versions have");
}

static void only_a_prerelease_is_there(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "2.0rc1", NULL);
	fake_any(&cat, "lamp", "1.0", NULL);
	lock("lamp>=2", LIN);
	refused(WP_E_CONFLICT, "lamp>=2 is asked for, but there is no such version; those that are there are 1.0 and "
			       "2.0rc1 (a pre-release)");
	lock("lamp==2.0", LIN);
	refused(WP_E_CONFLICT, "lamp==2.0 is asked for, but there is no such version; those that are there are 1.0 and "
			       "2.0rc1 (a pre-release)");
}

static void a_yanked_version_and_how_to_get_it(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "bulb>=2");
	fake_any(&cat, "bulb", "2.0", NULL)->f.yanked = true;
	fake_any(&cat, "bulb", "1.0", NULL);
	lock("lamp", LIN);
	refused(WP_E_CONFLICT, "lamp is asked for\n"
			       "lamp 1.0 requires bulb>=2,\n"
			       "but bulb 2.0 is yanked, and nothing pins it");
	assert_string_equal(err.next, "to take the yanked version all the same, pin it: bulb==2.0");
}

static void metadata_that_cannot_be_used(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "3.0", NULL)->metadata = "Metadata-Version: 2.1\nName: lamp\nVersion: 9.9\n";
	fake_any(&cat, "lamp", "2.0", "bulb @ https://example.org/bulb.whl");
	fake_any(&cat, "lamp", "1.0", NULL);
	lock("lamp>1", LIN);
	refused(WP_E_CONFLICT, "lamp>1 is asked for\n"
			       "lamp 3.0 cannot be taken: its METADATA is of version '9.9'\n"
			       "lamp 2.0 cannot be taken: it requires 'bulb @ https://example.org/bulb.whl' from an address, "
			       "which is not followed");
}

static void a_long_chain_is_cut_in_the_middle(void **state)
{
	int k;

	(void)state;
	for (k = 1; k <= 12; k++)
		fake_any(&cat, wp_sprintf(cat.a, "link%d", k), "1.0",
			wp_sprintf(cat.a, k < 12 ? "link%d" : "link1>=%d", k + 1));
	lock("link1", LIN);
	refused(WP_E_CONFLICT, "link1 is asked for\n"
			       "link1 1.0 requires link2\n"
			       "link2 1.0 requires link3\n"
			       "... (6 more of this kind)\n"
			       "link9 1.0 requires link10\n"
			       "link10 1.0 requires link11\n"
			       "link11 1.0 requires link12\n"
			       "link12 1.0 requires link1>=13, but there is no such version; the only one is 1.0");
}

static void the_shorter_of_two_reasons_is_told(void **state)
{
	(void)state;
	fake_any(&cat, "house", "1.0", "room\nlamp<2");
	fake_any(&cat, "room", "1.0", "shelf");
	fake_any(&cat, "shelf", "1.0", "screw");
	fake_any(&cat, "screw", "1.0", "lamp<2");
	fake_any(&cat, "lamp", "1.0", NULL);
	fake_any(&cat, "lamp", "2.0", NULL);
	lock("lamp>=2|house", LIN);
	refused(WP_E_CONFLICT, "lamp>=2 and house are asked for,\n"
			       "but house 1.0 requires lamp<2");
}

/* Whichever desk is taken, no lamp goes with its part. */
static void of_many_cases_one_is_told(void **state)
{
	int k, m;

	(void)state;
	for (k = 1; k <= 10; k++) {
		const char *lines = "";

		fake_any(&cat, "desk", wp_sprintf(cat.a, "%d.0", k), wp_sprintf(cat.a, "part%d==1", k));
		for (m = 1; m <= 10; m++)
			lines = wp_sprintf(cat.a, "%spart%d==%d\n", lines, m, k % 2 ? 2 : 3);
		fake_any(&cat, "lamp", wp_sprintf(cat.a, "%d.0", k), lines);
		for (m = 1; m <= 3; m++)
			fake_any(&cat, wp_sprintf(cat.a, "part%d", k), wp_sprintf(cat.a, "%d", m), NULL);
	}
	lock("desk|lamp", LIN);
	refused(WP_E_CONFLICT, "no versions go together (32 requirements have a part in it); with desk 10.0, for example:\n"
			       "lamp is asked for\n"
			       "desk 10.0 requires part10==1,\n"
			       "but lamp 10.0, 8.0, 6.0, 4.0 and 1 older require part10==3, and lamp 9.0, 7.0, 5.0, 3.0 and 1 "
			       "older require part10==2");
}

/* ---- files that do not serve ---------------------------------------------------------------- */

static void source_only_projects_are_told_in_one_message(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "bulb\nsocket\ncable");
	fake_any(&cat, "cable", "1.0", "copper");
	fake_add(&cat, "bulb", "bulb-1.0.tar.gz");
	fake_add(&cat, "socket", "socket-1.0.tar.gz");
	fake_add(&cat, "copper", "copper-1.0.tar.gz");
	lock("lamp", LIN);
	refused(WP_E_NO_WHEEL, "lamp is asked for\n"
			       "lamp 1.0 requires socket, but 'socket' has only source distributions, which are not built here\n"
			       "'bulb' (required by lamp 1.0) and 'copper' (required by cable 1.0) have only source "
			       "distributions, which are not built here");
	assert_non_null(strstr(err.next, "--find-links"));
}

static void missing_projects_are_told_in_one_message(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "bulb\nsocket");
	lock("lamp", LIN);
	refused(WP_E_NO_PROJECT, "lamp is asked for\n"
				 "lamp 1.0 requires socket, but no index has a project 'socket'\n"
				 "no index has a project 'bulb' (required by lamp 1.0) (asked: "
				 "https://index.test/simple/, https://index.test/whl/)");
}

static void wheels_for_linux_only(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "1.0", "bulb==3.2");
	fake_wheel(&cat, "bulb-3.2-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", NULL);
	fake_wheel(&cat, "bulb-3.2-cp313-cp313-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", NULL);
	fake_any(&cat, "bulb", "0.1", NULL);
	lock("lamp", WIN);
	refused(WP_E_NO_WHEEL, "lamp is asked for\n"
			       "lamp 1.0 requires bulb==3.2, but bulb 3.2 has wheels for Linux only, and the "
			       "target is win_amd64; the newest with a wheel that fits is 0.1");
}

static void what_is_for_other_systems_only(void **state)
{
	(void)state;
	fake_wheel(&cat, "lamp-3.0-cp312-cp312-win_amd64.whl", NULL)->f.requires_python = ">=3.99";
	fake_wheel(&cat, "lamp-2.0-cp312-cp312-manylinux_2_27_x86_64.whl", NULL);
	fake_wheel(&cat, "lamp-2.0-cp312-cp312-musllinux_1_2_x86_64.whl", NULL);
	fake_wheel(&cat, "lamp-2.0-cp312-cp312-macosx_11_0_arm64.whl", NULL);
	fake_wheel(&cat, "lamp-1.0-cp37-cp37m-win_amd64.whl", NULL);
	lock("lamp==2.0", WIN);
	refused(WP_E_NO_WHEEL, "no wheel of 'lamp' fits: lamp 2.0 has wheels for Linux and macOS only, and the target is "
			       "win_amd64");
	assert_string_equal(err.next, "there is none for Windows, only for Linux and macOS: ask for such a target, or "
		"do without lamp");
	lock("lamp<3", WIN);
	refused(WP_E_NO_WHEEL, "no wheel of 'lamp' fits: lamp 2.0 has wheels for Linux and macOS only, and the target is "
			       "win_amd64; the newest for win_amd64 is 1.0, for cp37");
	assert_string_equal(err.next, "");
	lock("lamp==4.0", WIN);
	refused(WP_E_NO_WHEEL, "'lamp' has no such version as lamp==4.0, and no wheel of another fits: lamp 3.0 requires "
			       "Python >=3.99, and the target has 3.12.0");
}

static void a_python_that_is_too_old(void **state)
{
	(void)state;
	fake_any(&cat, "lamp", "2.0", NULL)->f.requires_python = ">=3.13";
	fake_any(&cat, "lamp", "1.0", NULL);
	lock("lamp>=2", LIN);
	refused(WP_E_NO_WHEEL, "lamp>=2 is asked for, but lamp 2.0 requires Python >=3.13, and the target has 3.12.0; "
			       "the newest with a wheel that fits is 1.0");
}

static void an_abi_that_does_not_fit(void **state)
{
	(void)state;
	fake_wheel(&cat, "lamp-1.0-cp313-cp313-win_amd64.whl", NULL);
	lock("lamp", "cp313t-win_amd64");
	refused(WP_E_NO_WHEEL, "no wheel of 'lamp' fits: lamp 1.0 has wheels for cp313-cp313-win_amd64, and the target is "
			       "cp313t on win_amd64");
}

/* ---- torch ---------------------------------------------------------------------------------- */

static void torch_for(const char *version, const char *vision, const char *label, int first, int last)
{
	int k;

	cat.index = "variant";
	for (k = first; k <= last; k++) {
		fake_wheel(&cat, wp_sprintf(cat.a, "torch-%s+%s-cp3%d-cp3%d-win_amd64.whl", version, label, k, k), NULL);
		fake_wheel(&cat, wp_sprintf(cat.a, "torchvision-%s+%s-cp3%d-cp3%d-win_amd64.whl", vision, label, k, k),
			wp_sprintf(cat.a, "torch==%s", version));
	}
}

static void a_torch_that_the_variant_lacks(void **state)
{
	(void)state;
	torch_for("2.5.1", "0.20.1", "cu121", 9, 12);
	torch_for("2.4.1", "0.19.1", "cu121", 9, 12);
	lock("torch==2.11.0", WIN "-cu121");
	refused(WP_E_CONFLICT, "torch==2.11.0 is asked for, but there is no such version; those that are there are "
			       "2.4.1+cu121 and 2.5.1+cu121");
	assert_string_equal(err.next, "the newest torch for cu121 is 2.5.1; ask for another variant with --cuda X, where X is "
				      "one of: cpu, cu126, cu128 and cu130");
}

static void a_python_too_new_for_the_torch(void **state)
{
	(void)state;
	torch_for("2.5.1", "0.20.1", "cu121", 9, 12);
	lock("torch", "cp314-win_amd64-cu121");
	refused(WP_E_NO_WHEEL, "no wheel of 'torch' fits: torch 2.5.1+cu121 has wheels for cp39 to cp312 on win_amd64, and the "
			       "target is cp314");
}

static void a_torchvision_of_another_torch(void **state)
{
	(void)state;
	torch_for("2.5.1", "0.20.1", "cu121", 12, 12);
	torch_for("2.5.0", "0.20.0", "cu121", 12, 12);
	lock("torch==2.5.0|torchvision==0.20.1", WIN "-cu121");
	refused(WP_E_CONFLICT, "torch==2.5.0 and torchvision==0.20.1 are asked for,\n"
			       "but torchvision 0.20.1+cu121 requires torch==2.5.1");
}

static void a_torch_that_no_torchvision_goes_with(void **state)
{
	(void)state;
	torch_for("2.5.1", "0.20.1", "cu121", 12, 12);
	torch_for("2.4.1", "0.19.1", "cu121", 12, 12);
	torch_for("2.3.1", "0.18.1", "cu121", 12, 12);
	fake_wheel(&cat, "torch-2.4.0+cu121-cp312-cp312-win_amd64.whl", NULL);
	lock("torch==2.4.0|torchvision", WIN "-cu121");
	refused(WP_E_CONFLICT, "torch==2.4.0 and torchvision are asked for,\n"
			       "but every version of torchvision requires a torch of its own: 0.20.1+cu121 requires "
			       "torch==2.5.1, 0.19.1+cu121 requires torch==2.4.1, 0.18.1+cu121 requires torch==2.3.1");
}

static void a_rule_that_is_in_no_metadata(void **state)
{
	(void)state;
	torch_for("2.2.2", "0.17.2", "cu121", 12, 12);
	cat.index = "ordinary";
	fake_any(&cat, "numpy", "2.1", NULL);
	lock("torch|numpy>=2", WIN "-cu121");
	refused(WP_E_CONFLICT, "torch and numpy>=2 are asked for,\n"
			       "but no numpy>=2 goes with torch 2.2.2+cu121 (torch before 2.3 was built against numpy 1 and "
			       "cannot use numpy 2)");
}

/* ---- why a version was taken ---------------------------------------------------------------- */

static void explained(const char *want)
{
	const wp_explained *x = &got.explained[0];
	wp_buf b;
	size_t i;

	if (err.code)
		fail_msg("%s", err.why);
	assert_int_equal(got.nexplained, 1);
	wp_buf_init(&b, 8192);
	wp_buf_printf(&b, "%s %s\n", x->project, x->version);
	for (i = 0; i < x->naskers; i++)
		wp_buf_printf(&b, "%*s%s %s: %s%s%s\n", 2 + 2 * (int)x->askers[i].depth, "",
			x->askers[i].project ? x->askers[i].project : "request",
			x->askers[i].version ? x->askers[i].version : "", x->askers[i].requirement,
			x->askers[i].constraint ? " (constraint)" : "", x->askers[i].again ? " (again)" : "");
	for (i = 0; i < x->nnewer; i++)
		wp_buf_printf(&b, "not %s: %s\n", x->newer[i].version, x->newer[i].why);
	assert_string_equal(b.p, want);
	wp_buf_free(&b);
}

static void who_asks_for_a_project_is_a_tree(void **state)
{
	(void)state;
	explain("bulb");
	fake_any(&cat, "house", "1.0", "room\nlamp[led]");
	fake_any(&cat, "room", "1.0", "lamp[led]\nhouse");
	fake_any(&cat, "lamp", "2.0", "bulb<3 ; python_version > '3'\nbulb>=2; extra == 'led'");
	fake_any(&cat, "bulb", "2.0", NULL);
	constrain("bulb!=7");
	lock("house|bulb>1", LIN);
	explained("bulb 2.0\n"
		  "  request : bulb>1\n"
		  "  request : bulb!=7 (constraint)\n"
		  "  lamp 2.0: bulb<3\n"
		  "    house 1.0: lamp[led]\n"
		  "      request : house\n"
		  "      room 1.0: house\n"
		  "        house 1.0: room (again)\n"
		  "    room 1.0: lamp[led] (again)\n"
		  "  lamp 2.0: bulb>=2 (again)\n");
}

static void newer_versions_have_their_reasons(void **state)
{
	(void)state;
	explain("bulb");
	fake_any(&cat, "lamp", "1.0", "bulb<9");
	fake_any(&cat, "bulb", "9.0", NULL);
	fake_any(&cat, "bulb", "8.0", NULL)->f.yanked = true;
	fake_any(&cat, "bulb", "7.0", NULL)->f.requires_python = ">=3.14";
	fake_wheel(&cat, "bulb-6.0-cp312-cp312-win_amd64.whl", NULL);
	fake_add(&cat, "bulb", "bulb-5.0.tar.gz");
	fake_any(&cat, "bulb", "4.0rc1", NULL);
	fake_any(&cat, "bulb", "3.0", "glass>=2");
	fake_any(&cat, "bulb", "2.0", NULL)->metadata = "Metadata-Version: 2.1\nName: bulb\nVersion: 9.9\n";
	fake_any(&cat, "bulb", "1.5", "socket");
	fake_any(&cat, "bulb", "1.0", NULL);
	fake_any(&cat, "glass", "1.0", NULL);
	lock("lamp|bulb|glass", LIN);
	explained("bulb 1.0\n"
		  "  request : bulb\n"
		  "  lamp 1.0: bulb<9\n"
		  "    request : lamp\n"
		  "not 9.0: lamp 1.0 requires bulb<9\n"
		  "not 8.0: it is yanked, and nothing pins it\n"
		  "not 7.0: bulb 7.0 requires Python >=3.14, and the target has 3.12.0\n"
		  "not 6.0: bulb 6.0 has wheels for Windows only, and the target is manylinux_2_28_x86_64\n"
		  "not 5.0: bulb 5.0 has only a source distribution, which is not built here\n"
		  "not 4.0rc1: it is a pre-release\n"
		  "not 3.0: it requires glass>=2, and glass 1.0 was taken\n"
		  "not 2.0: its METADATA is of version '9.9'\n"
		  "not 1.5: it requires socket, but no index has a project 'socket'\n");
}

static void an_unknown_name_gets_a_near_one(void **state)
{
	(void)state;
	explain("bulp");
	fake_any(&cat, "lamp", "1.0", "bulb");
	fake_any(&cat, "bulb", "1.0", NULL);
	lock("lamp", LIN);
	refused(WP_E_USAGE, "'bulp', which is to be explained, is not among the wheels");
	assert_string_equal(err.next, "did you mean `bulb`?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(two_requests_at_odds),
		T(a_requirement_against_a_request),
		T(a_conflict_three_levels_deep),
		T(versions_that_fail_for_different_reasons),
		T(each_version_with_a_requirement_of_its_own),
		T(a_constraint_that_excludes_all),
		T(an_extra_against_a_request),
		T(an_extra_that_cannot_be_had),
		T(only_a_prerelease_is_there),
		T(a_yanked_version_and_how_to_get_it),
		T(metadata_that_cannot_be_used),
		T(a_long_chain_is_cut_in_the_middle),
		T(the_shorter_of_two_reasons_is_told),
		T(of_many_cases_one_is_told),
		T(source_only_projects_are_told_in_one_message),
		T(missing_projects_are_told_in_one_message),
		T(wheels_for_linux_only),
		T(what_is_for_other_systems_only),
		T(a_python_that_is_too_old),
		T(an_abi_that_does_not_fit),
		T(a_torch_that_the_variant_lacks),
		T(a_python_too_new_for_the_torch),
		T(a_torchvision_of_another_torch),
		T(a_torch_that_no_torchvision_goes_with),
		T(a_rule_that_is_in_no_metadata),
		T(who_asks_for_a_project_is_a_tree),
		T(newer_versions_have_their_reasons),
		T(an_unknown_name_gets_a_near_one),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
