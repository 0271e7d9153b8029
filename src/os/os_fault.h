/* SPDX-License-Identifier: MIT */
/* os_fault.h: put in front of posix_*.c and win32_*.c by the compiler's command line in MODE=fault: the calls that can
 * fail and touch the disk or other processes get the names that os_fault.c calls behind the public ones. */
#ifndef WP_OS_FAULT_H
#define WP_OS_FAULT_H

#define os_open os_real_open
#define os_create_at os_real_create_at
#define os_close os_real_close
#define os_size os_real_size
#define os_pread os_real_pread
#define os_pwrite os_real_pwrite
#define os_truncate os_real_truncate
#define os_preallocate os_real_preallocate
#define os_flush os_real_flush
#define os_stat os_real_stat
#define os_mkdir os_real_mkdir
#define os_share os_real_share
#define os_dir_open os_real_dir_open
#define os_dir_sub os_real_dir_sub
#define os_walk os_real_walk
#define os_list os_real_list
#define os_rename os_real_rename
#define os_rename_new os_real_rename_new
#define os_exchange os_real_exchange
#define os_unlink os_real_unlink
#define os_rmdir os_real_rmdir
#define os_remove_tree os_real_remove_tree
#define os_symlink os_real_symlink
#define os_readlink os_real_readlink
#define os_realpath os_real_realpath
#define os_absolute os_real_absolute
#define os_free_space os_real_free_space
#define os_stat_at os_real_stat_at
#define os_link_at os_real_link_at
#define os_mkdir_private os_real_mkdir_private
#define os_check_private os_real_check_private
#define os_sync_tree os_real_sync_tree
#define os_lock_take os_real_lock_take
#define os_run os_real_run
#define os_self_path os_real_self_path
#define os_file_holders os_real_file_holders
#define os_lib_open os_real_lib_open

#ifdef _WIN32
#include "os/win32.h"
BOOL WINAPI fault_MoveFileExW(const wchar_t *from, const wchar_t *to, DWORD flags);
#define MoveFileExW fault_MoveFileExW
#endif

#endif
