/* SPDX-License-Identifier: MIT */
#include "doctor/names.h"

#define FFMPEG \
	"only torchaudio's and torchcodec's readers need FFmpeg: install its shared libraries where they are used"

/* A longer stem stands before a shorter one. No system has these by itself. */
static const wp_name_fact facts[] = {
	{"libomp140", NULL, false, "take torch 2.4.1 or later: it doesn't need this file, which no installer carries"},
	/* CUDA on Linux: wheels of their own; on Windows inside torch's wheel. */
	{"libcublas", "nvidia-cublas", false, NULL},
	{"libcudart", "nvidia-cuda-runtime", false, NULL},
	{"libcudnn", "nvidia-cudnn", false, NULL},
	{"libcufft", "nvidia-cufft", false, NULL},
	{"libcufile", "nvidia-cufile", false, NULL},
	{"libcupti", "nvidia-cuda-cupti", false, NULL},
	{"libcurand", "nvidia-curand", false, NULL},
	{"libcusolver", "nvidia-cusolver", false, NULL},
	{"libcusparselt", "nvidia-cusparselt", false, NULL},
	{"libcusparse", "nvidia-cusparse", false, NULL},
	{"libnccl", "nvidia-nccl", false, NULL},
	{"libnvjitlink", "nvidia-nvjitlink", false, NULL},
	{"libnvrtc", "nvidia-cuda-nvrtc", false, NULL},
	{"libnvshmem", "nvidia-nvshmem", false, NULL},
	{"libnvtoolsext", "nvidia-nvtx", false, NULL},
	{"cublas", "torch", false, NULL},
	{"cudart64", "torch", false, NULL},
	{"cudnn", "torch", false, NULL},
	{"cufft", "torch", false, NULL},
	{"cupti64", "torch", false, NULL},
	{"curand64", "torch", false, NULL},
	{"cusolver", "torch", false, NULL},
	{"cusparse64", "torch", false, NULL},
	{"nvjitlink", "torch", false, NULL},
	{"nvrtc", "torch", false, NULL},
	{"nvtoolsext64", "torch", false, NULL},
	{"zlibwapi", "torch", false, NULL},
	/* torch's own. */
	{"asmjit", "torch", false, NULL},
	{"c10", "torch", false, NULL},
	{"caffe2", "torch", false, NULL},
	{"fbgemm", "torch", false, NULL},
	{"libc10", "torch", false, NULL},
	{"libcaffe2", "torch", false, NULL},
	{"libiomp5md", "torch", false, NULL},
	{"libshm", "torch", false, NULL},
	{"libtorch", "torch", false, NULL},
	{"shm.dll", "torch", false, NULL},
	{"torch", "torch", false, NULL},
	{"uv.dll", "torch", false, NULL},
	{"mkl_", "mkl", false, NULL},
	/* FFmpeg and SoX come from outside and are looked for when they are used. */
	{"avcodec-", NULL, true, FFMPEG},
	{"avdevice-", NULL, true, FFMPEG},
	{"avfilter-", NULL, true, FFMPEG},
	{"avformat-", NULL, true, FFMPEG},
	{"avutil-", NULL, true, FFMPEG},
	{"swresample-", NULL, true, FFMPEG},
	{"swscale-", NULL, true, FFMPEG},
	{"libavcodec.so", NULL, true, FFMPEG},
	{"libavdevice.so", NULL, true, FFMPEG},
	{"libavfilter.so", NULL, true, FFMPEG},
	{"libavformat.so", NULL, true, FFMPEG},
	{"libavutil.so", NULL, true, FFMPEG},
	{"libswresample.so", NULL, true, FFMPEG},
	{"libswscale.so", NULL, true, FFMPEG},
	{"libsox", NULL, true, NULL},
};

static bool starts_nocase(const char *name, const char *stem)
{
	for (; *stem; name++, stem++)
		if (wp_ascii_lower(*name) != *stem)
			return false;
	return true;
}

const wp_name_fact *wp_name_known(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof facts / sizeof *facts; i++)
		if (starts_nocase(name, facts[i].stem))
			return &facts[i];
	return NULL;
}

bool wp_name_is_vc_runtime(const char *name)
{
	static const char *const stems[] = {"msvcp1", "msvcr1", "vcruntime1", "concrt1", "vccorlib1", "vcomp1",
		"vcamp1", "mfc1", "mfcm1"};
	size_t i;

	for (i = 0; i < sizeof stems / sizeof *stems; i++)
		if (starts_nocase(name, stems[i]) && wp_ascii_digit(name[strlen(stems[i])]))
			return true;
	return false;
}
