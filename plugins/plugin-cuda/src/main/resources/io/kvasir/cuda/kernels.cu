// Gather and scatter of KV blocks. One source, two compilers: nvcc makes the PTX text that the plugin ships
// (make-ptx, beside the POM), and g++ compiles it into the driver stand-in of the tests, with KVASIR_STANDIN set.
//
// table:   for each plane six words - address of row 0, bytes from row to row, bytes from piece to piece, bytes of a
//          piece, pieces of a row, place of the plane in a payload - and behind the planes one word for each block, its row
// staging: the payloads, [block][plane][piece], the first of them here and the others blockStride bytes apart
// grid:    x = plane, y = block, z = how many share the bytes of one row of one plane
#ifdef KVASIR_STANDIN
#include "device.h"
#endif

typedef unsigned long long u64;

#ifndef KVASIR_STANDIN
__device__ static inline char *at(u64 address, u64) { return (char *)address; }
#endif

template <typename Word>
__device__ static inline void words(const char *from, char *to, u64 bytes, u64 first, u64 step) {
  for (u64 i = first; i < bytes / sizeof(Word); i += step) ((Word *)to)[i] = ((const Word *)from)[i];
}

// The widest word that divides both addresses and the size: pieces may have any size.
__device__ static inline void copy(u64 from, u64 to, u64 bytes, u64 first, u64 step) {
  const char *source = at(from, bytes);
  char *target = at(to, bytes);
  const u64 odd = from | to | bytes;
  if (odd % 16 == 0) words<uint4>(source, target, bytes, first, step);
  else if (odd % 8 == 0) words<uint2>(source, target, bytes, first, step);
  else if (odd % 4 == 0) words<unsigned>(source, target, bytes, first, step);
  else words<char>(source, target, bytes, first, step);
}

template <bool gather>
__device__ static inline void move(u64 table, u64 planes, u64 staging, u64 blockStride) {
  const u64 *plane = (const u64 *)at(table, (planes * 6 + gridDim.y) * 8) + blockIdx.x * 6;
  const u64 row = ((const u64 *)at(table, 8))[planes * 6 + blockIdx.y];
  const u64 pieceStride = plane[2], pieceBytes = plane[3], pieces = plane[4];
  const u64 first = (u64)blockIdx.z * blockDim.x + threadIdx.x, step = (u64)gridDim.z * blockDim.x;
  u64 engine = plane[0] + row * plane[1];
  u64 payload = staging + blockIdx.y * blockStride + plane[5];
  for (u64 piece = 0; piece < pieces; piece++) {
    copy(gather ? engine : payload, gather ? payload : engine, pieceBytes, first, step);
    engine += pieceStride;
    payload += pieceBytes;
  }
}

extern "C" __global__ void kvasir_gather(u64 table, u64 planes, u64 staging, u64 blockStride) {
  move<true>(table, planes, staging, blockStride);
}

extern "C" __global__ void kvasir_scatter(u64 table, u64 planes, u64 staging, u64 blockStride) {
  move<false>(table, planes, staging, blockStride);
}
