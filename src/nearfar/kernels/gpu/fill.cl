// Set every element of a buffer of 4-byte or 8-byte elements. OpenCL has a command for that; CUDA has one for bytes
// only.

KERNEL void fill_4(GLOBAL i32 *elements, i64 count, i32 value)
{
    for (i64 i = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID; i < count; i += (i64)GROUPS * LOCAL_SIZE)
        elements[i] = value;
}

KERNEL void fill_8(GLOBAL i64 *elements, i64 count, i64 value)
{
    for (i64 i = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID; i < count; i += (i64)GROUPS * LOCAL_SIZE)
        elements[i] = value;
}
