// Reduce every lane that a sweep has settled (sweep.cl) to a few numbers, so that no rows are copied to the host.
//
// Positions are taken in parts of PART, in the order in which the CPU sweeps them: `order` holds their places in
// dist[block][place][lane]. A team of work-items reduces one part of one block, each work-item its lanes, and
// `reduce_rows` joins the parts of a lane one after the other. The CPU adds up the same parts in the same order
// (kernels/cpu/sweep.py), so that sums of floats have the same bits on every device.
//
// A new reduction is a line in `with_length`, one in `joined` if parts are not added, and a name in gpu/reductions.py.
// Each begins with 0; no maximum is less, since a source is at distance 0 from itself. WANTED has a bit for each.
//
// WEIGHT is the type of lanes, never 0. A separate program, since it needs 64-bit floats where lanes are floats.
//
// SHARE 1 or 2: instead of distances, the amounts of the vertices nearer than `limit` are added up, as 64-bit integers
// or floats; 3: the inverses of their distances. One launch per kind of amount and limit.

#define WIDTH 32        // lanes per block
#define OF_SUM 0
#define OF_COUNT 1
#define OF_MAXIMUM 2
#define KINDS 3
#ifndef WANTED
#define WANTED 7
#endif
#ifndef TEAM
#define TEAM 32         // work-items per part
#endif
#define EACH (WIDTH / TEAM)
#ifndef SHARE
#define SHARE 0
#endif
#if SHARE
#undef KINDS
#undef WANTED
#define KINDS 1
#define WANTED 1
#endif

typedef weight_t lane_t;
#if WEIGHT == 3 || WEIGHT == 4
typedef f64 length_t;
#else
typedef i64 length_t;
#endif
#if SHARE == 1
typedef i64 total_t;
#elif SHARE
typedef f64 total_t;
#else
typedef length_t total_t;
#endif
#if WEIGHT == 3
#define LENGTH(lane) F64_OF_F32(lane)       // a plain conversion may count subnormal numbers as 0 (cuda.h)
#else
#define LENGTH(lane) ((length_t)(lane))
#endif

DEVICE total_t with_length(i32 kind, total_t total, length_t length, total_t amount)
{
#if SHARE == 3
    return length > 0 ? total + 1.0 / length : total;
#elif SHARE
    return total + amount;
#else
    if (kind == OF_SUM) return total + length;
    if (kind == OF_COUNT) return total + 1;
    return length > total ? length : total;
#endif
}

DEVICE total_t joined(i32 kind, total_t total, total_t other)
{
    if (!SHARE && kind == OF_MAXIMUM) return other > total ? other : total;
    return total + other;
}

// Reduce the units from `first` up to `last`: unit = block * parts + part. One team per unit, in strides.
KERNEL void reduce_parts(
    GLOBAL const lane_t *dist, GLOBAL const i32 *order, GLOBAL const total_t *amounts, i32 n, i32 part, i32 blocks,
    i64 first, i64 last, lane_t limit, GLOBAL total_t *found)
{
    const i32 teams = LOCAL_SIZE / TEAM, team = LOCAL_ID / TEAM, lane = (LOCAL_ID - team * TEAM) * EACH;
    const i64 parts = ((i64)n + part - 1) / part;
    for (i64 unit = first + (i64)GROUP_ID * teams + team; unit < last; unit += (i64)GROUPS * teams) {
        const i64 block = unit / parts, begin = (unit - block * parts) * part;
        const i64 end = begin + part < n ? begin + part : n;
        total_t totals[KINDS][EACH];
        for (i32 kind = 0; kind < KINDS; kind++)
            for (i32 k = 0; k < EACH; k++) totals[kind][k] = 0;
        for (i64 i = begin; i < end; i++) {
            GLOBAL const lane_t *row = dist + (block * n + order[i]) * WIDTH + lane;
            const total_t amount = SHARE % 3 ? amounts[i] : 0;
            for (i32 k = 0; k < EACH; k++) {
                const length_t length = LENGTH(row[k]);
                if (length < LENGTH(limit))
                    for (i32 kind = 0; kind < KINDS; kind++)
                        if (WANTED >> kind & 1) totals[kind][k] = with_length(kind, totals[kind][k], length, amount);
            }
        }
        i64 place = unit * WIDTH + lane;
        for (i32 kind = 0; kind < KINDS; kind++)
            if (WANTED >> kind & 1) {
                for (i32 k = 0; k < EACH; k++) found[place + k] = totals[kind][k];
                place += blocks * parts * WIDTH;
            }
    }
}

// Join the parts of the lanes of some rows, and write them as out[kind][row]. One work-item per row.
KERNEL void reduce_rows(GLOBAL const total_t *found, i64 parts, i32 blocks, i32 rows, GLOBAL total_t *out)
{
    const i32 row = GROUP_ID * LOCAL_SIZE + LOCAL_ID, block = row / WIDTH, lane = row - block * WIDTH;
    if (row >= rows) return;
    GLOBAL const total_t *from = found + block * parts * WIDTH + lane;
    i64 to = row;
    for (i32 kind = 0; kind < KINDS; kind++)
        if (WANTED >> kind & 1) {
            total_t total = 0;
            for (i64 i = 0; i < parts; i++) total = joined(kind, total, from[i * WIDTH]);
            out[to] = total;
            to += rows;
            from += blocks * parts * WIDTH;
        }
}
