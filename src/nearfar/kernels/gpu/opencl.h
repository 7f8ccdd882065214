// The macros of our kernels in OpenCL C 1.2. cuda.h defines the same macros for CUDA.
//
// LOAD reads a distance and LOAD_I32 an integer that other work-items may change at the same time: an aligned load is
// one access on every device, and an old value only costs some extra work. A race checker cannot know that, so with
// RACECHECK these loads are atomic. BARRIER orders local and global memory for the group: lists pass from one half of a
// kernel to the next in global memory. KERNEL_SLIM is for kernels that wait for memory most of the time: more groups per
// multiprocessor are worth more than registers.

#define KERNEL __kernel
#define KERNEL_SLIM __kernel
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
typedef unsigned int u32; // for divisions that should become a shift and a mask
typedef long i64;
typedef float f32;
#ifdef cl_khr_fp64
typedef double f64;
#endif

#define ATOMIC_ADD(address, amount) atomic_add(address, amount)
#define ATOMIC_SWAP(address, value) atomic_xchg(address, value)
#if KEY_BYTES == 8
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define ATOMIC_MIN(address, key) atom_min(address, key)
#else
#define ATOMIC_MIN(address, key) atomic_min(address, key)
#endif

#ifndef RACECHECK
#define LOAD_I32(address) (*(volatile __global i32 *)(address))
#else
#define LOAD_I32(address) atomic_add(address, 0)
#endif
#ifndef RACECHECK
#define LOAD(address) (*(volatile __global key_t *)(address))
#elif KEY_BYTES == 8
#define LOAD(address) atom_add(address, 0L)
#else
#define LOAD(address) atomic_add(address, 0)
#endif

#define BITS_OF_F32(value) as_int(value)
#define F32_OF_BITS(bits) as_float(bits)
#define BITS_OF_F64(value) as_long(value)
#define F64_OF_BITS(bits) as_double(bits)

// float32 with subnormal numbers kept, as far as the device keeps them (CL_FP_DENORM). The lesser one is b only if it
// is less than a.
#define ADD_F32(a, b) ((a) + (b))
#define MIN_F32(a, b) ((b) < (a) ? (b) : (a))
#define F64_OF_F32(value) ((f64)(value))
