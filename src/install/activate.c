/* SPDX-License-Identifier: MIT
 *
 * activate.c: scripts that put a venv in front of PATH. The names _OLD_VIRTUAL_* are the usual ones,
 * so that leaving a venv that another tool made works when ours is entered, and the other way round.
 */
#include "install/parts.h"
#include "os/os.h"

/* @VENV@, @BIN@, @NAME@ are replaced by quoted text, @UNIX@ by what makes a Windows path one of Git Bash. */
static const char sh_text[] =
	"# Enter the environment: . @BIN@/activate   Leave it: deactivate\n"
	"# For sh, dash, bash, zsh and ksh.\n"
	"\n"
	"deactivate () {\n"
	"    if [ -n \"${_OLD_VIRTUAL_PATH:-}\" ]; then\n"
	"        PATH=$_OLD_VIRTUAL_PATH\n"
	"        export PATH\n"
	"        unset _OLD_VIRTUAL_PATH\n"
	"    fi\n"
	"    if [ -n \"${_OLD_VIRTUAL_PYTHONHOME:-}\" ]; then\n"
	"        PYTHONHOME=$_OLD_VIRTUAL_PYTHONHOME\n"
	"        export PYTHONHOME\n"
	"        unset _OLD_VIRTUAL_PYTHONHOME\n"
	"    fi\n"
	"    if [ -n \"${_OLD_VIRTUAL_PS1+set}\" ]; then\n"
	"        PS1=$_OLD_VIRTUAL_PS1\n"
	"        unset _OLD_VIRTUAL_PS1\n"
	"    fi\n"
	"    unset VIRTUAL_ENV VIRTUAL_ENV_PROMPT\n"
	"    hash -r 2>/dev/null || true\n"
	"    if [ \"${1:-}\" != nondestructive ]; then\n"
	"        unset -f deactivate\n"
	"    fi\n"
	"}\n"
	"\n"
	"deactivate nondestructive\n"
	"\n"
	"VIRTUAL_ENV=@VENV@\n"
	"@UNIX@"
	"VIRTUAL_ENV_PROMPT=@NAME@\n"
	"export VIRTUAL_ENV VIRTUAL_ENV_PROMPT\n"
	"\n"
	"_OLD_VIRTUAL_PATH=$PATH\n"
	"PATH=$VIRTUAL_ENV/@BIN@:$PATH\n"
	"export PATH\n"
	"\n"
	"# Python would look for its library there instead of in the environment.\n"
	"if [ -n \"${PYTHONHOME:-}\" ]; then\n"
	"    _OLD_VIRTUAL_PYTHONHOME=$PYTHONHOME\n"
	"    unset PYTHONHOME\n"
	"fi\n"
	"\n"
	"if [ -z \"${VIRTUAL_ENV_DISABLE_PROMPT:-}\" ]; then\n"
	"    _OLD_VIRTUAL_PS1=${PS1:-}\n"
	"    PS1=\"($VIRTUAL_ENV_PROMPT) ${PS1:-}\"\n"
	"    export PS1\n"
	"fi\n"
	"\n"
	"hash -r 2>/dev/null || true\n";

static const char fish_text[] =
	"# Enter the environment: source bin/activate.fish   Leave it: deactivate\n"
	"\n"
	"function deactivate -d 'Leave the virtual environment'\n"
	"    if set -q _OLD_VIRTUAL_PATH\n"
	"        set -gx PATH $_OLD_VIRTUAL_PATH\n"
	"        set -e _OLD_VIRTUAL_PATH\n"
	"    end\n"
	"    if set -q _OLD_VIRTUAL_PYTHONHOME\n"
	"        set -gx PYTHONHOME $_OLD_VIRTUAL_PYTHONHOME\n"
	"        set -e _OLD_VIRTUAL_PYTHONHOME\n"
	"    end\n"
	"    if functions -q _old_fish_prompt\n"
	"        functions -e fish_prompt\n"
	"        functions -c _old_fish_prompt fish_prompt\n"
	"        functions -e _old_fish_prompt\n"
	"    end\n"
	"    set -e VIRTUAL_ENV\n"
	"    set -e VIRTUAL_ENV_PROMPT\n"
	"    if test \"$argv[1]\" != nondestructive\n"
	"        functions -e deactivate\n"
	"    end\n"
	"end\n"
	"\n"
	"deactivate nondestructive\n"
	"\n"
	"set -gx VIRTUAL_ENV @VENV@\n"
	"set -gx VIRTUAL_ENV_PROMPT @NAME@\n"
	"set -gx _OLD_VIRTUAL_PATH $PATH\n"
	"set -gx PATH $VIRTUAL_ENV/@BIN@ $PATH\n"
	"\n"
	"if set -q PYTHONHOME\n"
	"    set -gx _OLD_VIRTUAL_PYTHONHOME $PYTHONHOME\n"
	"    set -e PYTHONHOME\n"
	"end\n"
	"\n"
	"if test -z \"$VIRTUAL_ENV_DISABLE_PROMPT\"; and functions -q fish_prompt\n"
	"    functions -c fish_prompt _old_fish_prompt\n"
	"    function fish_prompt\n"
	"        set -l last $status\n"
	"        printf '(%s) ' $VIRTUAL_ENV_PROMPT\n"
	"        sh -c \"exit $last\"\n"
	"        _old_fish_prompt\n"
	"    end\n"
	"end\n";

static const char csh_text[] =
	"# Enter the environment: source bin/activate.csh   Leave it: deactivate\n"
	"\n"
	"alias deactivate 'test $?_OLD_VIRTUAL_PATH = 1 && setenv PATH \"$_OLD_VIRTUAL_PATH\"; "
	"unset _OLD_VIRTUAL_PATH; "
	"test $?_OLD_VIRTUAL_PYTHONHOME = 1 && setenv PYTHONHOME \"$_OLD_VIRTUAL_PYTHONHOME\"; "
	"unset _OLD_VIRTUAL_PYTHONHOME; "
	"test $?_OLD_VIRTUAL_PROMPT = 1 && set prompt=\"$_OLD_VIRTUAL_PROMPT\"; "
	"unset _OLD_VIRTUAL_PROMPT; "
	"unsetenv VIRTUAL_ENV; unsetenv VIRTUAL_ENV_PROMPT; rehash; "
	"test \"\\!:*\" != nondestructive && unalias deactivate'\n"
	"\n"
	"deactivate nondestructive\n"
	"\n"
	"setenv VIRTUAL_ENV @VENV@\n"
	"setenv VIRTUAL_ENV_PROMPT @NAME@\n"
	"set _OLD_VIRTUAL_PATH=\"$PATH\"\n"
	"setenv PATH \"${VIRTUAL_ENV}/@BIN@:$PATH\"\n"
	"\n"
	"if ($?PYTHONHOME) then\n"
	"    set _OLD_VIRTUAL_PYTHONHOME=\"$PYTHONHOME\"\n"
	"    unsetenv PYTHONHOME\n"
	"endif\n"
	"\n"
	"if ($?prompt) then\n"
	"    if (! $?VIRTUAL_ENV_DISABLE_PROMPT) then\n"
	"        set _OLD_VIRTUAL_PROMPT=\"$prompt\"\n"
	"        set prompt=\"(${VIRTUAL_ENV_PROMPT}) $prompt\"\n"
	"    endif\n"
	"endif\n"
	"\n"
	"rehash\n";

/* Found by its own place, not by name: old PowerShells read a file in the code page of the PC. */
static const char ps1_text[] =
	"# Enter the environment: . @BIN@/Activate.ps1   Leave it: deactivate\n"
	"\n"
	"function global:deactivate ([switch]$NonDestructive) {\n"
	"    if (Test-Path Env:_OLD_VIRTUAL_PATH) {\n"
	"        $Env:PATH = $Env:_OLD_VIRTUAL_PATH\n"
	"        Remove-Item Env:_OLD_VIRTUAL_PATH\n"
	"    }\n"
	"    if (Test-Path Env:_OLD_VIRTUAL_PYTHONHOME) {\n"
	"        $Env:PYTHONHOME = $Env:_OLD_VIRTUAL_PYTHONHOME\n"
	"        Remove-Item Env:_OLD_VIRTUAL_PYTHONHOME\n"
	"    }\n"
	"    if (Test-Path Function:_OLD_VIRTUAL_PROMPT) {\n"
	"        Copy-Item Function:_OLD_VIRTUAL_PROMPT Function:prompt\n"
	"        Remove-Item Function:_OLD_VIRTUAL_PROMPT\n"
	"    }\n"
	"    foreach ($name in 'VIRTUAL_ENV', 'VIRTUAL_ENV_PROMPT') {\n"
	"        if (Test-Path \"Env:$name\") { Remove-Item \"Env:$name\" }\n"
	"    }\n"
	"    if (-not $NonDestructive) { Remove-Item Function:deactivate }\n"
	"}\n"
	"\n"
	"deactivate -NonDestructive\n"
	"\n"
	"$Env:VIRTUAL_ENV = [IO.Path]::GetDirectoryName($PSScriptRoot)\n"
	"$Env:VIRTUAL_ENV_PROMPT = [IO.Path]::GetFileName($Env:VIRTUAL_ENV)\n"
	"$Env:_OLD_VIRTUAL_PATH = $Env:PATH\n"
	"$Env:PATH = (Join-Path $Env:VIRTUAL_ENV '@BIN@') + [IO.Path]::PathSeparator + $Env:PATH\n"
	"\n"
	"if (Test-Path Env:PYTHONHOME) {\n"
	"    $Env:_OLD_VIRTUAL_PYTHONHOME = $Env:PYTHONHOME\n"
	"    Remove-Item Env:PYTHONHOME\n"
	"}\n"
	"\n"
	"if (-not $Env:VIRTUAL_ENV_DISABLE_PROMPT) {\n"
	"    function global:_OLD_VIRTUAL_PROMPT { '' }\n"
	"    Copy-Item Function:prompt Function:_OLD_VIRTUAL_PROMPT\n"
	"    function global:prompt { \"($Env:VIRTUAL_ENV_PROMPT) $(_OLD_VIRTUAL_PROMPT)\" }\n"
	"}\n";

/* The two for cmd find the venv by their own place, for the same reason. @ keeps the caller's `echo`. */
static const char bat_text[] =
	"@rem Enter the environment: Scripts\\activate.bat   Leave it: deactivate\r\n"
	"@if defined _OLD_VIRTUAL_PATH set \"PATH=%_OLD_VIRTUAL_PATH%\"\r\n"
	"@if defined _OLD_VIRTUAL_PROMPT set \"PROMPT=%_OLD_VIRTUAL_PROMPT%\"\r\n"
	"@if defined _OLD_VIRTUAL_PYTHONHOME set \"PYTHONHOME=%_OLD_VIRTUAL_PYTHONHOME%\"\r\n"
	"@set _OLD_VIRTUAL_PROMPT=\r\n"
	"@set _OLD_VIRTUAL_PYTHONHOME=\r\n"
	"@for %%d in (\"%~dp0..\") do @set \"VIRTUAL_ENV=%%~fd\"\r\n"
	"@for %%d in (\"%~dp0..\") do @set \"VIRTUAL_ENV_PROMPT=%%~nxd\"\r\n"
	"@set \"_OLD_VIRTUAL_PATH=%PATH%\"\r\n"
	"@set \"PATH=%VIRTUAL_ENV%\\@BIN@;%PATH%\"\r\n"
	"@if defined PYTHONHOME set \"_OLD_VIRTUAL_PYTHONHOME=%PYTHONHOME%\"\r\n"
	"@set PYTHONHOME=\r\n"
	"@if defined VIRTUAL_ENV_DISABLE_PROMPT exit /b 0\r\n"
	"@if not defined PROMPT set \"PROMPT=$P$G\"\r\n"
	"@set \"_OLD_VIRTUAL_PROMPT=%PROMPT%\"\r\n"
	"@set \"PROMPT=(%VIRTUAL_ENV_PROMPT%) %PROMPT%\"\r\n"
	"@exit /b 0\r\n";

static const char leave_text[] =
	"@rem Leave the environment that activate.bat has entered.\r\n"
	"@if defined _OLD_VIRTUAL_PATH set \"PATH=%_OLD_VIRTUAL_PATH%\"\r\n"
	"@if defined _OLD_VIRTUAL_PROMPT set \"PROMPT=%_OLD_VIRTUAL_PROMPT%\"\r\n"
	"@if defined _OLD_VIRTUAL_PYTHONHOME set \"PYTHONHOME=%_OLD_VIRTUAL_PYTHONHOME%\"\r\n"
	"@set _OLD_VIRTUAL_PATH=\r\n"
	"@set _OLD_VIRTUAL_PROMPT=\r\n"
	"@set _OLD_VIRTUAL_PYTHONHOME=\r\n"
	"@set VIRTUAL_ENV=\r\n"
	"@set VIRTUAL_ENV_PROMPT=\r\n"
	"@exit /b 0\r\n";

/* Inside single quotes a shell knows these few escapes only. */
typedef struct shell {
	const char *file, *text;
	const char *quote;     /* how ' is written inside '...' */
	const char *backslash; /* how a backslash is */
	const char *bang;      /* how ! is */
} shell;

static const shell posix_shells[] = {
	{"activate", sh_text, "'\\''", "\\", "!"},
	{"activate.fish", fish_text, "\\'", "\\\\", "!"},
	{"activate.csh", csh_text, "'\\''", "\\", "\\!"},
	{"Activate.ps1", ps1_text, "''", "\\", "!"},
};

static const shell windows_shells[] = {
	{"activate", sh_text, "'\\''", "\\", "!"},
	{"activate.bat", bat_text, "", "", ""},
	{"deactivate.bat", leave_text, "", "", ""},
	{"Activate.ps1", ps1_text, "''", "\\", "!"},
};

enum {
	NPOSIX = sizeof posix_shells / sizeof *posix_shells,
	NWINDOWS = sizeof windows_shells / sizeof *windows_shells
};

static void put_quoted(wp_buf *b, const shell *s, const char *text)
{
	wp_buf_putc(b, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			wp_buf_puts(b, s->quote);
		else if (*text == '\\')
			wp_buf_puts(b, s->backslash);
		else if (*text == '!')
			wp_buf_puts(b, s->bang);
		else
			wp_buf_putc(b, *text);
	}
	wp_buf_putc(b, '\'');
}

bool wp_activate_script(wp_arena *a, size_t n, const char *venv, const wp_interpreter *base, const char **name,
	wp_str *text)
{
	bool windows = wp_python_windows(base);
	const shell *s = windows ? windows_shells + n : posix_shells + n;
	const char *p;
	wp_buf b;

	if (n >= (size_t)(windows ? NWINDOWS : NPOSIX))
		return false;
	wp_buf_init(&b, 64 << 10);
	for (p = s->text; *p; p++) {
		if (wp_starts(p, "@VENV@"))
			put_quoted(&b, s, wp_native_path(a, windows, venv)), p += 5;
		else if (wp_starts(p, "@NAME@"))
			put_quoted(&b, s, os_basename(venv)), p += 5;
		else if (wp_starts(p, "@BIN@"))
			wp_buf_puts(&b, base->venv_bin), p += 4;
		else if (wp_starts(p, "@UNIX@"))
			wp_buf_puts(&b, windows ? "VIRTUAL_ENV=$(cygpath \"$VIRTUAL_ENV\")\n" : ""), p += 5;
		else
			wp_buf_putc(&b, *p);
	}
	*name = s->file;
	*text = wp_buf_take(&b, a);
	return true;
}
