/* SPDX-License-Identifier: MIT */
#include "os/os.h"

int main(int argc, char **argv)
{
	return os_main(argc, argv);
}
