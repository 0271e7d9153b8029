/* SPDX-License-Identifier: MIT */
/* embed.h: files that travel inside the program (made by tools/embed.sh). NUL-terminated. */
#ifndef WP_CLI_EMBED_H
#define WP_CLI_EMBED_H

#include <stddef.h>

extern const unsigned char wp_data_pytorch_json[], wp_data_windows_baseline_json[], wp_data_matmul_ptx[],
	wp_data_launcher_console_exe[], wp_data_launcher_gui_exe[];
extern const size_t wp_data_pytorch_json_size, wp_data_windows_baseline_json_size, wp_data_matmul_ptx_size,
	wp_data_launcher_console_exe_size, wp_data_launcher_gui_exe_size;

#endif
