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

typedef weight_t lane_t;
#if WEIGHT == 3 || WEIGHT == 4
typedef f64 total_t;
#else
typedef i64 total_t;
#endif
#if WEIGHT == 3
#define TOTAL(lane) F64_OF_F32(lane)        // a plain conversion may count subnormal numbers as 0 (cuda.h)
#else
#define TOTAL(lane) ((total_t)(lane))
#endif

DEVICE total_t with_length(i32 kind, total_t total, total_t length)
{
    if (kind == OF_SUM) return total + length;
    if (kind == OF_COUNT) return total + 1;
    return length > total ? length : total;
}

DEVICE total_t joined(i32 kind, total_t total, total_t other)
{
    if (kind == OF_MAXIMUM) return other > total ? other : total;
    return total + other;
}

// Reduce the units from `first` up to `last`: unit = block * parts + part. One team per unit, in strides.
KERNEL void reduce_parts(
    GLOBAL const lane_t *dist, GLOBAL const i32 *order, i32 n, i32 part, i32 blocks, i64 first, i64 last, lane_t limit,
    GLOBAL total_t *found)
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
            for (i32 k = 0; k < EACH; k++) {
                const total_t length = TOTAL(row[k]);
                if (length < TOTAL(limit))
                    for (i32 kind = 0; kind < KINDS; kind++)
                        if (WANTED >> kind & 1) totals[kind][k] = with_length(kind, totals[kind][k], length);
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
