// Relax every arc in rounds until a round changes nothing; for one source by all groups, or one source per group.
//
// Invariant: dist[v] is the ceiling or the length of a real walk. A round without a change proves the row exact.
//
// One source: one work-item per arc, one launch per round. flags[r] says whether round r changed something; if not,
// round r + 1 does nothing. So the host launches many rounds ahead and looks only now and then. Many sources:
// `edge_rows`.
//
// WINDOWED: only the m arcs of batch `now` are on the device. A step is the work on one batch. waiting[b] is the last
// step that lowered a vertex with arcs in batch b, changed[v] the last step that lowered v. `since` is the last step of
// this batch: only vertices that changed later have to be relaxed here. Within a step, rounds go on until none changes
// a vertex with arcs in this batch, or the rounds are used up; then the host counts the step before as the batch's
// last.

#if WINDOWED
#define WINDOW_ARGUMENTS \
    , GLOBAL const offset_t *offsets, i64 batch, i32 now, i32 step, i32 since, GLOBAL i32 *changed, GLOBAL i32 *waiting
#define WINDOW(row, batches) \
    , offsets, batch, now, step, since, changed + (row) * (i64)n, waiting + (row) * (i64)(batches)
#define SAME_WINDOW , offsets, batch, now, step, since, changed, waiting
#else
#define WINDOW_ARGUMENTS
#define WINDOW(row, batches)
#endif
#define ARGUMENTS \
    GLOBAL const i32 *tails, GLOBAL const i32 *arcs, i64 m, i32 n, sum_t floor, key_t ceiling, \
    GLOBAL key_t *dist WINDOW_ARGUMENTS

#define UNCHANGED 0
#define CHANGED 1
#define FELL 2      // below the floor, which only a negative cycle can cause

#if WINDOWED
// Mark every batch with arcs of a changed vertex as waiting; return CHANGED if this batch is one of them.
DEVICE i32 tell_batches(i32 v WINDOW_ARGUMENTS)
{
    const i64 begin = offsets[v], end = offsets[v + 1];
    if (LOAD_I32(&changed[v]) != step) ATOMIC_SWAP(&changed[v], step);
    if (begin == end) return UNCHANGED;
    for (i64 b = begin / batch; b <= (end - 1) / batch; b++)
        if (LOAD_I32(&waiting[b]) != step) ATOMIC_SWAP(&waiting[b], step);    // else thousands write the same word
    return begin / batch <= now && now <= (end - 1) / batch ? CHANGED : UNCHANGED;
}
#endif

// Relax one arc; return the outcome.
DEVICE i32 relax(
    GLOBAL const i32 *tails, GLOBAL const i32 *arcs, i64 e, sum_t floor, key_t ceiling,
    GLOBAL key_t *dist WINDOW_ARGUMENTS)
{
#if WINDOWED
    if (LOAD_I32(&changed[tails[e]]) <= since) return UNCHANGED;     // already relaxed in this batch's last step
#endif
    const key_t reached = LOAD(&dist[tails[e]]);
    if (reached == ceiling) return UNCHANGED;       // unreached: infinity plus a negative weight is no path
    const i32 v = head_of(arcs, e);
    const sum_t offer = SUM(value_of(reached), weight_of(arcs, e));
    if (!is_below(offer, LOAD(&dist[v]))) return UNCHANGED;
    if (LESS(offer, floor)) return FELL;
    const key_t key = key_of(offer);
    if (key >= ATOMIC_MIN(&dist[v], key)) return UNCHANGED;
#if WINDOWED
    return tell_batches(v SAME_WINDOW);
#else
    return CHANGED;
#endif
}

// Write the tails of the arcs from `base` up to `end`, whose vertices are those from `first` up to `last`; `begin` is the
// first arc of this launch. RUN arcs per work-item, so that none waits for a hub.
KERNEL void edge_tails(
    GLOBAL const offset_t *offsets, i32 first, i32 last, i64 base, i64 end, i64 begin, GLOBAL i32 *tails)
{
    const i64 e = begin + ((i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID) * RUN;
    if (e >= end) return;
    i32 low = first, high = last;           // the last vertex whose arcs begin at e or before
    while (high - low > 1) {
        const i32 middle = low + (high - low) / 2;
        if (offsets[middle] <= e) low = middle;
        else high = middle;
    }
    const i64 stop = e + RUN < end ? e + RUN : end;
    for (i64 at = e; at < stop; low++) {
        const i64 next = offsets[low + 1] < stop ? offsets[low + 1] : stop;
        for (; at < next; at++) tails[at - base] = low;
    }
}

// Put seeds at their starting distances: all in one row, or (`apart`) one per row at the first of them. One work-item
// per seed.
KERNEL void edge_begin(
    ARGUMENTS, GLOBAL const i32 *seeds, GLOBAL const key_t *starts, i32 count, i32 apart, i32 batches)
{
    const i64 i = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    if (i >= count) return;
    dist[apart * i * n + seeds[i]] = starts[apart ? 0 : i];
#if WINDOWED
    tell_batches(seeds[i] WINDOW(apart * i, batches));
#endif
}

// One round, or the part of it from arc `begin` on that a launch takes. flags[round] says whether it changed something,
// the last flag whether a distance fell below the floor.
KERNEL void edge_round(ARGUMENTS, GLOBAL i32 *flags, i32 round, i64 begin)
{
    if (flags[round - 1] == UNCHANGED) return;
    const i64 e = begin + (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    if (e >= m) return;
    const i32 outcome = relax(tails, arcs, e, floor, ceiling, dist WINDOW(0, 0));
    if (outcome != UNCHANGED) ATOMIC_SWAP(&flags[round], CHANGED);
    if (outcome == FELL) ATOMIC_SWAP(&flags[FLAGS - 1], FELL);
}

// Settle one row per group, in strides, with at most `budget` rounds per row. Values of states[row] before and after:
#define FINISHED 0      // nothing is left to do
#define UNDER_WAY 2     // rounds are used up; with batches always, since another batch may lower vertices of this one
#define FALLEN 3        // below the floor
#define SPENT 4         // with batches: rounds are used up
KERNEL void edge_rows(ARGUMENTS, GLOBAL i64 *tally, GLOBAL i32 *states, i32 rows, i32 budget, i32 batches)
{
    LOCAL_ARRAY i32 moved;
    LOCAL_ARRAY i32 fell;
    for (i32 r = GROUP_ID; r < rows; r += GROUPS) {
        GLOBAL key_t *row = dist + r * (i64)n;
        if (states[r] == FINISHED || states[r] == FALLEN) continue;
#if WINDOWED
        if (waiting[r * (i64)batches + now] <= since) continue;
#endif
        BARRIER();
        if (LOCAL_ID == 0) fell = 0;
        i32 round = 0;
        int is_stable = 0;
        while (round < budget && !is_stable) {
            BARRIER();
            if (LOCAL_ID == 0) moved = 0;
            BARRIER();
            i32 outcome = UNCHANGED;
            for (i64 tile = 0; tile < m; tile += LOCAL_SIZE) {
                if (tile + LOCAL_ID < m)
                    outcome |= relax(tails, arcs, tile + LOCAL_ID, floor, ceiling, row WINDOW(r, batches));
                BARRIER();      // keeps the group together: adjacent work-items read adjacent arcs
            }
            if (outcome != UNCHANGED) ATOMIC_SWAP(&moved, 1);
            if (outcome & FELL) ATOMIC_SWAP(&fell, 1);
            BARRIER();
            round++;
            is_stable = !moved || fell;
        }
        BARRIER();
        if (LOCAL_ID == 0) {
            tally[GROUP_ID] += round * m;
            states[r] = fell ? FALLEN : moved ? (WINDOWED ? SPENT : UNDER_WAY) : WINDOWED ? UNDER_WAY : FINISHED;
        }
        BARRIER();
    }
}
