// The types of a graph and its distances, from the defines of the host; the same for OpenCL and CUDA.
//
// DIST: 1 i32, 2 i64, 3 f32, 4 f64. WEIGHT: 0 none (every arc has weight 1), else like DIST. OFFSET: 1 i32, 2 i64.
// Distances are stored as keys: integers in the same order, so that one atomic minimum works for every type. The key of
// a float is its bits; if it is negative, all bits but the sign are inverted. Sums of integers are formed in 64 bits,
// so that none wraps; a sum that does not fit is not below any key and is never stored.

#if DIST == 1
typedef i32 key_t;
typedef i64 sum_t;
#elif DIST == 2
typedef i64 key_t;
typedef i64 sum_t;
#elif DIST == 3
typedef i32 key_t;
typedef f32 sum_t;
#else
typedef i64 key_t;
typedef f64 sum_t;
#endif

#if OFFSET == 1
typedef i32 offset_t;
#else
typedef i64 offset_t;
#endif

// An arc is the host's record as 32-bit words: its head, then its weight in no, one or two words.
#if WEIGHT == 0
#define ARC_WORDS 1
#elif WEIGHT == 1 || WEIGHT == 3
#define ARC_WORDS 2
#else
#define ARC_WORDS 3
#endif

DEVICE i32 head_of(GLOBAL const i32 *arcs, i64 e)
{
    return arcs[ARC_WORDS * e];
}

#if WEIGHT == 2
typedef i64 weight_t;
#elif WEIGHT == 3
typedef f32 weight_t;
#elif WEIGHT == 4
typedef f64 weight_t;
#else
typedef i32 weight_t;
#endif

// The weight of an arc in its own type; weight_of gives it in the type of sums.
DEVICE weight_t weight_at(GLOBAL const i32 *arcs, i64 e)
{
#if WEIGHT == 0
    return 1;
#elif WEIGHT == 1
    return arcs[2 * e + 1];
#elif WEIGHT == 3
    return F32_OF_BITS(arcs[2 * e + 1]);
#else
    const i64 bits = arcs[3 * e + 2] * 4294967296L | (arcs[3 * e + 1] & 0xffffffffL);    // << is for numbers from 0 on
#if WEIGHT == 2
    return bits;
#else
    return F64_OF_BITS(bits);
#endif
#endif
}

DEVICE sum_t weight_of(GLOBAL const i32 *arcs, i64 e)
{
#if WEIGHT == 3 && DIST == 4
    return F64_OF_F32(weight_at(arcs, e));
#else
    return weight_at(arcs, e);
#endif
}

// The value of a key, and the key of a value.
DEVICE sum_t value_of(key_t key)
{
#if DIST <= 2
    return key;
#elif DIST == 3
    return F32_OF_BITS(key < 0 ? key ^ 0x7fffffff : key);
#else
    return F64_OF_BITS(key < 0 ? key ^ 0x7fffffffffffffff : key);
#endif
}

DEVICE key_t key_of(sum_t value)
{
#if DIST <= 2
    return (key_t)value;
#elif DIST == 3
    const key_t bits = BITS_OF_F32(value);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
#else
    const key_t bits = BITS_OF_F64(value);
    return bits < 0 ? bits ^ 0x7fffffffffffffff : bits;
#endif
}

// The sum of two values, and whether one is less than another. Plain float32 operations may count subnormal numbers as 0
// (cuda.h), so kernels use these for values. Floats are compared as keys.
#if DIST == 3
#define SUM(a, b) ADD_F32(a, b)
#define LESS(a, b) (key_of(a) < key_of(b))
#else
#define SUM(a, b) ((a) + (b))
#define LESS(a, b) ((a) < (b))
#endif

// Whether a value is less than that of a key. A sum of integers may be too large for a key.
DEVICE int is_below(sum_t value, key_t key)
{
#if DIST <= 2
    return value < key;
#else
    return key_of(value) < key;
#endif
}

// Whether the kernels work on arc batches; by default, all arcs are on the device.
#ifndef WINDOWED
#define WINDOWED 0
#endif
