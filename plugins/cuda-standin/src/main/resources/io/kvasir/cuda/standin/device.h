/* Lets g++ compile kernels.cu as host code: the kernels need no shared memory and no barrier. */
#pragma once
#define __global__
#define __device__
struct uint2 { unsigned x, y; } __attribute__((aligned(8)));
struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));
struct index3 { unsigned x, y, z; };
extern thread_local index3 blockIdx, blockDim, threadIdx, gridDim;

/* Where the host may touch what a kernel addresses; an address that is no one's is a fault of the device. */
extern "C" char *standin_at(unsigned long long address, unsigned long long bytes);
static inline char *at(unsigned long long address, unsigned long long bytes) { return standin_at(address, bytes); }
