// The macros of our kernels in CUDA C++. opencl.h defines the same macros, and explains them.

#define KERNEL extern "C" __global__
#define KERNEL_SLIM extern "C" __global__ __launch_bounds__(256, 6)
#define DEVICE static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY __shared__
#define BARRIER() __syncthreads()
#define LOCAL_ID ((i32)threadIdx.x)
#define LOCAL_SIZE ((i32)blockDim.x)
#define GROUP_ID ((i32)blockIdx.x)
#define GROUPS ((i32)gridDim.x)

typedef int i32;
typedef unsigned int u32; // for divisions that should become a shift and a mask
typedef long long i64;
typedef float f32;
typedef double f64;

#define ATOMIC_ADD(address, amount) atomicAdd(address, amount)
#define ATOMIC_SWAP(address, value) atomicExch(address, value)
#define ATOMIC_MIN(address, key) atomicMin(address, key)
#define LOAD(address) (*(volatile key_t *)(address))
#define LOAD_I32(address) (*(volatile i32 *)(address))

#define BITS_OF_F32(value) __float_as_int(value)
#define F32_OF_BITS(bits) __int_as_float(bits)
#define BITS_OF_F64(value) __double_as_longlong(value)
#define F64_OF_BITS(bits) __longlong_as_double(bits)

// CuPy compiles with -ftz=true: in plain sums, minima and conversions, float32 below 1e-38 count as 0. Instructions
// written out keep them. The tests run this text on a CPU, where they define the two words for themselves.
#ifndef PTX_OF_TWO
#define PTX_OF_TWO(instruction, result, a, b) asm(instruction " %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b))
#define PTX_WIDEN(instruction, result, a) asm(instruction " %0, %1;" : "=d"(result) : "f"(a))
#endif

DEVICE f32 add_f32(f32 a, f32 b)
{
    f32 sum;
    PTX_OF_TWO("add.rn.f32", sum, a, b);
    return sum;
}

DEVICE f32 min_f32(f32 a, f32 b)
{
    f32 least;
    PTX_OF_TWO("min.f32", least, a, b);
    return least;
}

DEVICE f64 f64_of_f32(f32 value)
{
    f64 wide;
    PTX_WIDEN("cvt.f64.f32", wide, value);
    return wide;
}

#define ADD_F32(a, b) add_f32(a, b)
#define MIN_F32(a, b) min_f32(a, b)
#define F64_OF_F32(value) f64_of_f32(value)
