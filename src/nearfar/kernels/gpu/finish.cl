// Finish settled rows that stay on the device: mark what is unreached or beyond a limit, turn keys into distances, and
// write them to an array of the user. The host does the same with rows that are copied to it (results/limits.py).
//
// All is compared as keys, which are in the order of their distances. `flip` turns the key of a negative float into its
// bits: it is the greatest key, or 0 where keys are distances already. If `look` says so, the greatest distance is
// found as well, for the check that no distance was refused for lack of room: `lowest` gets its complement, so that the
// minimum, which is the only atomic comparison of the kernels, finds it. One work-item per distance, in strides.

KERNEL void finish_rows(
    GLOBAL const key_t *dist, i64 count, key_t ceiling, key_t limit, key_t mark, key_t flip, i32 look,
    GLOBAL key_t *out, i64 start, GLOBAL key_t *lowest)
{
    key_t most = 0;
    for (i64 i = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID; i < count; i += (i64)GROUPS * LOCAL_SIZE) {
        key_t key = dist[i];
        if (key == ceiling || key > limit) key = mark;
        if (key != mark && key > most) most = key;
        out[start + i] = key < 0 ? key ^ flip : key;
    }
    if (look && ~most < LOAD(lowest)) ATOMIC_MIN(lowest, ~most);
}
