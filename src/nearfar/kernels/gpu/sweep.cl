// Sweep down an eliminated graph (kernels/cpu/sweep.py) level by level, for blocks of WIDTH sources, one per lane: the
// work-items are spread over (vertex, lane).
//
// dist[block][position][lane]: a row of lanes is one or two cache lines, which the work-items of a vertex read
// together. Positions are sorted by level; a vertex has arcs from earlier levels only. The host has climbed up from the
// sources and sends the distances found (`offers`): where[climb][position] is the row of a vertex in `offers`, or -1
// for none; a climb is CLIMB lanes of a block. So nothing has to be filled before a sweep, and every row of `dist` is
// written once.
//
// Invariant: when a level begins, the rows of all earlier levels are final. A vertex then takes the least of its offers
// and of the paths over its arcs. Minima start from infinity, so that no sum exceeds it by more than one weight.
//
// `sweep_wide` settles one level with all groups. `sweep_narrow` settles a run of short levels in one launch: lanes are
// independent, so one group per block goes through the levels alone, with a barrier after each. If a level has fewer
// vertices than the group has teams of work-items, several teams share the arcs of a vertex.
//
// Remainders are written as differences: Oclgrind does not know the code that compilers generate for a quotient and a
// remainder of the same numbers.
//
// Here WEIGHT is the type of lanes and of weights, never 0. DIST is the type of the answer: it may be wider, or
// narrower, since what does not fit counts as unreached there.

#define WIDTH 32        // lanes per block
#define CLIMB 16        // lanes that climb together on the host
#define SHARED 1024     // lanes of all work-items of a group together, at most
#ifndef TEAM
#define TEAM 32         // work-items per vertex; a CPU is faster with few, each of which takes several lanes
#endif
#define EACH (WIDTH / TEAM)

typedef weight_t lane_t;

// Sums and minima of lanes, and lanes as values of the answer; as in types.h, subnormal float32 must not count as 0.
#if WEIGHT == 3
#define LANE_SUM(a, b) ADD_F32(a, b)
#define LANE_MIN(a, b) MIN_F32(a, b)
#else
#define LANE_SUM(a, b) ((a) + (b))
#define LANE_MIN(a, b) ((b) < (a) ? (b) : (a))
#endif
#if WEIGHT == 3 && DIST == 4
#define LANE_VALUE(a) F64_OF_F32(a)
#else
#define LANE_VALUE(a) ((sum_t)(a))
#endif
#if WEIGHT == 3
#define LANE_LESS(a, b) LESS(LANE_VALUE(a), LANE_VALUE(b))
#else
#define LANE_LESS(a, b) ((a) < (b))
#endif

#define ARGUMENTS \
    GLOBAL const offset_t *starts, GLOBAL const i32 *arcs, GLOBAL const i32 *where, GLOBAL const lane_t *offers, \
    lane_t infinity, i32 n, i32 blocks, GLOBAL lane_t *dist

// Lower `best` to the paths over every step-th arc from e on; `rows` are those of the block.
DEVICE void descend(
    GLOBAL const i32 *arcs, GLOBAL const lane_t *rows, i64 e, i64 end, i32 step, i32 lane, lane_t *best)
{
    for (; e < end; e += step) {
        GLOBAL const lane_t *above = rows + head_of(arcs, e) * (i64)WIDTH + lane;
        const lane_t toll = weight_at(arcs, e);
        for (i32 k = 0; k < EACH; k++) {
            const lane_t length = LANE_SUM(above[k], toll);
            best[k] = LANE_MIN(best[k], length);
        }
    }
}

// Lower `best` to the offers of a vertex.
DEVICE void take_offers(
    GLOBAL const i32 *where, GLOBAL const lane_t *offers, i32 n, i32 block, i32 v, i32 lane, lane_t *best)
{
    const i32 climb = lane / CLIMB;
    const i32 row = where[(block * (WIDTH / CLIMB) + climb) * (i64)n + v];
    if (row < 0) return;
    for (i32 k = 0; k < EACH; k++) {
        const lane_t offer = offers[row * (i64)CLIMB + lane - climb * CLIMB + k];
        best[k] = LANE_MIN(best[k], offer);
    }
}

// Record where the offers of vertices are, or (`is_over`) that there are none any more. One work-item per offer.
KERNEL void sweep_note(
    GLOBAL const i32 *positions, GLOBAL const i32 *climbs, i32 count, i32 is_over, i32 n, GLOBAL i32 *where)
{
    const i64 i = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    if (i < count) where[climbs[i] * (i64)n + positions[i]] = is_over ? -1 : (i32)i;
}

// Settle vertices of one level, from `first` up to `last`, in all blocks. All groups.
KERNEL void sweep_wide(ARGUMENTS, i32 first, i32 last)
{
    const i32 teams = LOCAL_SIZE / TEAM, team = LOCAL_ID / TEAM, lane = (LOCAL_ID - team * TEAM) * EACH;
    const i64 chunks = ((i64)last - first + teams - 1) / teams;
    for (i64 unit = GROUP_ID; unit < chunks * blocks; unit += GROUPS) {
        const i32 block = (i32)(unit / chunks);
        const i64 v = first + (unit - block * chunks) * teams + team;
        if (v < last) {
            GLOBAL lane_t *rows = dist + block * (i64)n * WIDTH;
            lane_t best[EACH];
            for (i32 k = 0; k < EACH; k++) best[k] = infinity;
            take_offers(where, offers, n, block, (i32)v, lane, best);
            descend(arcs, rows, starts[v], starts[v + 1], 1, lane, best);
            for (i32 k = 0; k < EACH; k++) rows[v * WIDTH + lane + k] = best[k];
        }
    }
}

// Settle the levels from `first` up to `last`, one group per block, in strides.
KERNEL void sweep_narrow(ARGUMENTS, GLOBAL const i32 *begins, i32 first, i32 last)
{
    LOCAL_ARRAY lane_t found[SHARED];
    const i32 teams = LOCAL_SIZE / TEAM, team = LOCAL_ID / TEAM, lane = (LOCAL_ID - team * TEAM) * EACH;
    for (i32 block = GROUP_ID; block < blocks; block += GROUPS) {
        GLOBAL lane_t *rows = dist + block * (i64)n * WIDTH;
        for (i32 level = first; level < last; level++) {
            const i32 begin = begins[level], end = begins[level + 1];
            const i32 sharing = end - begin < teams ? teams / (end - begin) : 1;     // teams per vertex
            const i32 at_once = teams / sharing, which = team / sharing, part = team - which * sharing;
            for (i32 from = begin; from < end; from += at_once) {
                const i32 v = from + which;
                const int is_mine = which < at_once && v < end;
                lane_t best[EACH];
                for (i32 k = 0; k < EACH; k++) best[k] = infinity;
                if (is_mine) descend(arcs, rows, starts[v] + part, starts[v + 1], sharing, lane, best);
                for (i32 k = 0; k < EACH; k++) found[LOCAL_ID * EACH + k] = best[k];
                BARRIER();
                if (is_mine && part == 0) {
                    take_offers(where, offers, n, block, v, lane, best);
                    for (i32 other = 1; other < sharing; other++)
                        for (i32 k = 0; k < EACH; k++) {
                            const lane_t length = found[(LOCAL_ID + other * TEAM) * EACH + k];
                            best[k] = LANE_MIN(best[k], length);
                        }
                    for (i32 k = 0; k < EACH; k++) rows[v * (i64)WIDTH + lane + k] = best[k];
                }
                BARRIER();
            }
        }
    }
}

// Write the answer as keys, in the order of the graph's vertices: `columns` holds the position of each vertex,
// `targets` the row of each lane or -1. A tile of WIDTH vertices passes through local memory, so that reads and writes
// are whole cache lines. The tile has one extra column, so that its rows begin in different banks. One group per tile from
// `first` up to `last`, in strides; the tiles of a block come one after the other.
KERNEL void sweep_rows(
    GLOBAL const lane_t *dist, GLOBAL const i32 *columns, GLOBAL const i32 *targets, i32 n, i64 first, i64 last,
    lane_t limit, key_t ceiling, GLOBAL key_t *out)
{
    LOCAL_ARRAY lane_t tile[WIDTH * (WIDTH + 1)];
    const i64 tiles = ((i64)n + WIDTH - 1) / WIDTH;
    for (i64 unit = first + GROUP_ID; unit < last; unit += GROUPS) {
        const i64 block = unit / tiles, begin = (unit - block * tiles) * WIDTH;
        BARRIER();
        for (i32 x = LOCAL_ID; x < WIDTH * WIDTH; x += LOCAL_SIZE) {
            const i32 column = x / WIDTH, lane = x - column * WIDTH;
            if (begin + column < n)
                tile[column * (WIDTH + 1) + lane] = dist[(block * n + columns[begin + column]) * WIDTH + lane];
        }
        BARRIER();
        for (i32 x = LOCAL_ID; x < WIDTH * WIDTH; x += LOCAL_SIZE) {
            const i32 lane = x / WIDTH, column = x - lane * WIDTH, row = targets[block * WIDTH + lane];
            const i64 v = begin + column;
            if (v < n && row >= 0) {
                const lane_t length = tile[column * (WIDTH + 1) + lane];
                out[row * (i64)n + v] = LANE_LESS(length, limit) ? key_of(LANE_VALUE(length)) : ceiling;
            }
        }
    }
}
