/* SPDX-License-Identifier: MIT
 *
 * matmul.cu: C = A * B in single precision, row-major: A is m x k, B is k x n. The kernel of the probe;
 * tools/make_ptx.sh makes matmul.ptx of it. Each block of 16 x 16 threads computes one tile of C. It walks
 * over the tiles of A and B through shared memory, so that each element is read from memory once a tile
 * and not once a product. What lies outside the matrices counts as zero.
 */
#define TILE 16

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float as[TILE][TILE], bs[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
	float sum = 0;

	for (int t = 0; t < k; t += TILE) {
		as[y][x] = row < m && t + x < k ? a[(size_t)row * k + t + x] : 0;
		bs[y][x] = t + y < k && col < n ? b[(size_t)(t + y) * n + col] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += as[y][i] * bs[i][x];
		__syncthreads();
	}
	if (row < m && col < n)
		c[(size_t)row * n + col] = sum;
}
