// The words of our kernels in OpenCL C 1.2. cuda.h defines the same words, each for the same purpose.
//
// LOAD reads a distance, LOAD_I32 a number, that others may change meanwhile: an aligned load is one access on every
// device, and an old value only costs a look. A checker of races cannot know that, so under RACECHECK it goes through
// an atomic. BARRIER orders local and global memory for the group: lists pass from one half of a kernel to the next in
// global memory.

#define KERNEL __kernel
#define DEVICE static inline __attribute__((always_inline))
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ARRAY __local
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define LOCAL_ID ((i32)get_local_id(0))
#define LOCAL_SIZE ((i32)get_local_size(0))
#define GROUP_ID ((i32)get_group_id(0))
#define GROUPS ((i32)get_num_groups(0))

typedef int i32;
typedef unsigned int u32; // where quotient and remainder are to be a shift and a mask
typedef long i64;
typedef float f32;
#ifdef cl_khr_fp64
typedef double f64;
#endif

#define ATOMIC_ADD(place, amount) atomic_add(place, amount)
#define ATOMIC_SWAP(place, value) atomic_xchg(place, value)
#if KEY_BYTES == 8
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define ATOMIC_MIN(place, key) atom_min(place, key)
#else
#define ATOMIC_MIN(place, key) atomic_min(place, key)
#endif

#ifndef RACECHECK
#define LOAD_I32(place) (*(volatile __global i32 *)(place))
#else
#define LOAD_I32(place) atomic_add(place, 0)
#endif
#ifndef RACECHECK
#define LOAD(place) (*(volatile __global key_t *)(place))
#elif KEY_BYTES == 8
#define LOAD(place) atom_add(place, 0L)
#else
#define LOAD(place) atomic_add(place, 0)
#endif

#define BITS_OF_F32(value) as_int(value)
#define F32_OF_BITS(bits) as_float(bits)
#define BITS_OF_F64(value) as_long(value)
#define F64_OF_BITS(bits) as_double(bits)
