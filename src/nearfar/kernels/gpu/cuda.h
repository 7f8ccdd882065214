// The words of our kernels in CUDA C++. opencl.h defines the same words, each for the same purpose, and says more.

#define KERNEL extern "C" __global__
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
typedef unsigned int u32; // where quotient and remainder are to be a shift and a mask
typedef long long i64;
typedef float f32;
typedef double f64;

#define ATOMIC_ADD(place, amount) atomicAdd(place, amount)
#define ATOMIC_SWAP(place, value) atomicExch(place, value)
#define ATOMIC_MIN(place, key) atomicMin(place, key)
#define LOAD(place) (*(volatile key_t *)(place))
#define LOAD_I32(place) (*(volatile i32 *)(place))

#define BITS_OF_F32(value) __float_as_int(value)
#define F32_OF_BITS(bits) __int_as_float(bits)
#define BITS_OF_F64(value) __double_as_longlong(value)
#define F64_OF_BITS(bits) __longlong_as_double(bits)
