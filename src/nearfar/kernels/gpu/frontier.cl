// needs: lists.cl
// Only vertices whose distance changed relax their arcs, in rounds; for one source by all groups, or one source per
// group.
//
// Invariant: dist[v] is the ceiling or the length of a real walk, and every vertex lowered since its arcs were last
// relaxed is in the list of the next round. An empty list proves the row exact. stamps[v] is the last round for which v
// was listed, so that it is listed only once per round. The round counter is not reset between rows, so that stamps
// need not be cleared.
//
// One source: `frontier_wide` runs a round with all groups if the list is long, else it does nothing;
// `frontier_narrow`, one group, ends that round and continues alone while lists are short. Both read the progress from
// `control`, so the host launches many pairs ahead and looks only now and then. Many sources: `frontier_rows`, one
// source per group. No launch does more than a number of units (lists.cl), so that each ends soon: a round may take
// several. ALONE: the kernels in which a group works by itself. They keep the state of the search in local memory.
//
// WINDOWED: only the arcs from `base` to `end` are on the device, `arcs` begins with them, and a list holds vertices
// that have arcs among them. A step is the work on one batch. changed[v] is the last step that lowered v, waiting[b]
// the last step that lowered a vertex with arcs in batch b: what changed after the last step of a batch has to be
// relaxed there.

// What `control` holds; the host writes the first two and reads all.
#define LEFT 0      // rounds that may still be run: a negative cycle would go on for ever
#define FELL 1      // 1 when a distance fell below the floor, which only a negative cycle can cause
#define ROUND 2
#define SIZES 3     // of two lists: thin and fat entries each
#define UNITS_DONE 7    // of the present round
#define CONTROL_SIZE 8

typedef struct {
    GLOBAL const offset_t *offsets;
    GLOBAL const i32 *arcs;
    i32 n;
    i32 parts;      // parts that a list has room for
    sum_t floor;
    key_t ceiling;
#if WINDOWED
    i64 base, end;
    i64 batch;      // arcs per batch
    i32 step;
    i32 is_sparse;  // 1 if the arcs on the device are those of a few vertices, from any batch
#endif
} task_t;

typedef struct {
    GLOBAL key_t *dist;
    GLOBAL i32 *stamps;
    GLOBAL i32 *lists;      // two, each with n thin entries and the parts
    STATE i32 *control;
#if WINDOWED
    GLOBAL i32 *changed;
    GLOBAL i32 *waiting;
#endif
    LOCAL i32 *stage;
    LOCAL i32 *relaxed;     // arcs this group relaxed
} search_t;

#if WINDOWED
#define WINDOW_ARGUMENTS \
    , i64 base, i64 end, i64 batch, i32 step, i32 is_sparse, GLOBAL i32 *changed, GLOBAL i32 *waiting
#define WINDOW , base, end, batch, step, is_sparse
#define CHANGES(row, batches) , changed + (row) * (i64)n, waiting + (row) * (i64)(batches)
#else
#define WINDOW_ARGUMENTS
#define WINDOW
#define CHANGES(row, batches)
#endif
#define ARGUMENTS \
    GLOBAL const offset_t *offsets, GLOBAL const i32 *arcs, i32 n, i32 parts, sum_t floor, key_t ceiling, \
    GLOBAL key_t *dist, GLOBAL i32 *stamps, GLOBAL i32 *lists, GLOBAL i32 *control WINDOW_ARGUMENTS
#define LOCALS \
    LOCAL_ARRAY i32 stage[STAGE_SIZE]; \
    LOCAL_ARRAY i32 relaxed
#define TASK {offsets, arcs, n, parts, floor, ceiling WINDOW}
#define SEARCH {dist, stamps, lists, control CHANGES(0, 0), stage, &relaxed}

DEVICE list_t list_of(const task_t *task, const search_t *search, i32 round)
{
    list_t list;
    list.thin = search->lists + (round & 1) * (task->n + 2 * (i64)task->parts);
    list.fat = list.thin + task->n;
    list.sizes = search->control + SIZES + 2 * (round & 1);
    return list;
}

DEVICE i64 begin_of(const task_t *task, i32 u)
{
#if WINDOWED
    return task->offsets[u] > task->base ? task->offsets[u] : task->base;
#else
    return task->offsets[u];
#endif
}

DEVICE i64 end_of(const task_t *task, i32 u)
{
#if WINDOWED
    return task->offsets[u + 1] < task->end ? task->offsets[u + 1] : task->end;
#else
    return task->offsets[u + 1];
#endif
}

DEVICE void list_vertex(const task_t *task, const search_t *search, i32 round, i32 v)
{
    add(list_of(task, search, round), search->stage, v, end_of(task, v) - begin_of(task, v));
}

#if WINDOWED
// Mark every batch with arcs of a changed vertex as waiting.
DEVICE void tell_batches(const task_t *task, const search_t *search, i32 v, i32 step)
{
    if (LOAD_I32(&search->changed[v]) == step || ATOMIC_SWAP(&search->changed[v], step) == step) return;
    const offset_t begin = task->offsets[v], end = task->offsets[v + 1], batch = (offset_t)task->batch;
    if (begin == end) return;
    for (offset_t b = begin / batch; b <= (end - 1) / batch; b++)
        if (LOAD_I32(&search->waiting[b]) != step) ATOMIC_SWAP(&search->waiting[b], step);  // not all on one word
}
#endif

// Relax one arc; return its head if that was lowered, else -1.
DEVICE i32 lower_head(const task_t *task, const search_t *search, sum_t reached, i64 e)
{
#if WINDOWED
    e -= task->base;
#endif
    const i32 v = head_of(task->arcs, e);
    const sum_t offer = SUM(reached, weight_of(task->arcs, e));
    if (!is_below(offer, LOAD(&search->dist[v]))) return -1;
    if (LESS(offer, task->floor)) {
        ATOMIC_SWAP(&search->control[FELL], 1);
        return -1;
    }
    const key_t key = key_of(offer);
    if (key >= ATOMIC_MIN(&search->dist[v], key)) return -1;
#if WINDOWED
    // A vertex with all its arcs in this window is listed, and relaxed before this step ends.
    const int is_inside = task->offsets[v] >= task->base && task->offsets[v + 1] <= task->end;
    if (!is_inside || task->is_sparse) tell_batches(task, search, v, task->step);
#endif
    return v;
}

DEVICE void relax(const task_t *task, const search_t *search, sum_t reached, i64 e, i32 next)
{
    const i32 v = lower_head(task, search, reached, e);
    if (v >= 0 && ATOMIC_SWAP(&search->stamps[v], next) != next) list_vertex(task, search, next, v);
}

// Empty the stage of a group. Every work-item calls it.
DEVICE void flush(const task_t *task, const search_t *search, i32 round)
{
    const list_t list = list_of(task, search, round);
    BARRIER();
    if (LOCAL_ID == 0) take_room(list, search->stage);
    BARRIER();
    move_staged(list, search->stage);
    BARRIER();
}

// Relax every step-th unit of the round's list from `unit` up to `end`. Every work-item calls it.
DEVICE void run_round(const task_t *task, const search_t *search, i32 unit, i32 end, i32 step)
{
    const i32 round = search->control[ROUND];
    const list_t list = list_of(task, search, round);
    const i32 thin = list.sizes[0], chunks = units_of(thin, 0);
    i32 relaxed = 0;
    for (; unit < end; unit += step) {
        const int is_thin = unit < chunks;
        const i64 entry = is_thin ? unit * (i64)LOCAL_SIZE + LOCAL_ID : unit - chunks;
        if (!is_thin || entry < thin) {
            const i32 u = is_thin ? list.thin[entry] : list.fat[2 * entry];
            const i64 from = begin_of(task, u), to = end_of(task, u);
            const i64 begin = is_thin ? from : from + list.fat[2 * entry + 1] * (i64)PART;
            const i64 last = is_thin || begin + PART > to ? to : begin + PART;
            const i32 stride = is_thin ? 1 : LOCAL_SIZE;
            const sum_t reached = value_of(LOAD(&search->dist[u]));
            for (i64 e = is_thin ? begin : begin + LOCAL_ID; e < last; e += stride) {
                relax(task, search, reached, e, round + 1);
                relaxed++;
            }
        }
        flush(task, search, round + 1);
    }
    if (relaxed) ATOMIC_ADD(search->relaxed, relaxed);
    BARRIER();
}

// End a round whose units are all done. One work-item calls it.
DEVICE void end_round(const search_t *search)
{
    const i32 round = search->control[ROUND];
    search->control[SIZES + 2 * (round & 1)] = search->control[SIZES + 2 * (round & 1) + 1] = 0;
    search->control[UNITS_DONE] = 0;
    search->control[ROUND] = round + 1;
    search->control[LEFT]--;
}

// Return the length of the round's list in entries; 0 when nothing is left to do, or no rounds are left. What it reads
// does not change during a round, so that all groups and work-items read the same.
DEVICE i64 list_size(const search_t *search)
{
    STATE const i32 *control = search->control, *sizes = control + SIZES + 2 * (control[ROUND] & 1);
    return control[LEFT] <= 0 ? 0 : sizes[0] + FAT_SHARE * (i64)sizes[1];
}

DEVICE i32 list_units(const search_t *search)
{
    STATE const i32 *sizes = search->control + SIZES + 2 * (search->control[ROUND] & 1);
    return units_of(sizes[0], sizes[1]);
}

DEVICE void begin_work(const search_t *search)
{
    if (LOCAL_ID == 0) *search->relaxed = search->stage[0] = 0;
    BARRIER();
}

#if !ALONE

// Put the seeds of a row at their starting distances and on the list. One group.
KERNEL void frontier_start(ARGUMENTS, GLOBAL const i32 *seeds, GLOBAL const key_t *starts, i32 count)
{
    LOCALS;
    const task_t task = TASK;
    const search_t search = SEARCH;
    begin_work(&search);
    const i32 round = control[ROUND];
    for (i32 chunk = 0; chunk < count; chunk += LOCAL_SIZE) {
        if (chunk + LOCAL_ID < count) {
            const i32 v = seeds[chunk + LOCAL_ID];
            dist[v] = starts[chunk + LOCAL_ID];
            list_vertex(&task, &search, round, v);
        }
        flush(&task, &search, round);
    }
}

// The next `share` units of a long list, with all groups.
KERNEL void frontier_wide(ARGUMENTS, GLOBAL i64 *tally, i32 small, i32 share)
{
    LOCALS;
    const task_t task = TASK;
    const search_t search = SEARCH;
    if (list_size(&search) <= small) return;
    const i32 units = list_units(&search), first = control[UNITS_DONE];
    begin_work(&search);
    run_round(&task, &search, first + GROUP_ID, units - first < share ? units : first + share, GROUPS);
    if (LOCAL_ID == 0) tally[GROUP_ID] += relaxed;
}

#endif

// List every vertex of a range that has something to relax in this window. By all groups, or by one for its row.
DEVICE void gather(const task_t *task, const search_t *search, i32 first, i32 last, i32 since, i32 group, i32 groups)
{
    const i32 round = search->control[ROUND];
    for (i64 chunk = first + (i64)group * LOCAL_SIZE; chunk < last; chunk += (i64)groups * LOCAL_SIZE) {
        const i64 v = chunk + LOCAL_ID;
#if WINDOWED
        if (v < last && search->changed[v] > since) list_vertex(task, search, round, (i32)v);
#else
        if (v < last && LOAD(&search->dist[v]) < task->ceiling) list_vertex(task, search, round, (i32)v);
#endif
        flush(task, search, round);
    }
}

#if !ALONE

KERNEL void frontier_gather(ARGUMENTS, i32 first, i32 last, i32 since)
{
    LOCALS;
    const task_t task = TASK;
    const search_t search = SEARCH;
    begin_work(&search);
    gather(&task, &search, first, last, since, GROUP_ID, GROUPS);
}

#else

// Copy the state of a search to local memory, and back. Every work-item calls it.
DEVICE void load_state(GLOBAL const i32 *control, STATE i32 *local_control)
{
    for (i32 i = LOCAL_ID; i < CONTROL_SIZE; i += LOCAL_SIZE) local_control[i] = control[i];
    BARRIER();
}

DEVICE void store_state(GLOBAL i32 *control, STATE const i32 *local_control)
{
    BARRIER();
    for (i32 i = LOCAL_ID; i < CONTROL_SIZE; i += LOCAL_SIZE) control[i] = local_control[i];
}

// One group continues alone while lists are not longer than `most`, for at most `left` units. Return those left.
DEVICE i32 run_alone(const task_t *task, const search_t *search, i32 most, i32 left, GLOBAL i64 *tally)
{
    while (left > 0) {
        const i64 size = list_size(search);
        if (size == 0 || size > most || search->control[FELL]) break;
        const i32 units = list_units(search), first = search->control[UNITS_DONE];
        const i32 end = units - first < left ? units : first + left;
        begin_work(search);
        run_round(task, search, first, end, 1);
        if (LOCAL_ID == 0) {
            *tally += *search->relaxed;
            search->control[UNITS_DONE] = end;
            if (end == units) end_round(search);
        }
        left -= end - first;
        BARRIER();
    }
    return left;
}

KERNEL void frontier_narrow(ARGUMENTS, GLOBAL i64 *tally, i32 small, i32 share, i32 budget)
{
    LOCALS;
    LOCAL_ARRAY i32 local_control[CONTROL_SIZE];
    const task_t task = TASK;
    const search_t search = {dist, stamps, lists, local_control CHANGES(0, 0), stage, &relaxed};
    load_state(control, local_control);
    const int was_wide = list_size(&search) > small;
    const i32 left = list_units(&search) - local_control[UNITS_DONE];
    BARRIER();
    if (was_wide && LOCAL_ID == 0) {
        if (left > share) local_control[UNITS_DONE] += share;
        else end_round(&search);
    }
    BARRIER();
    run_alone(&task, &search, small, budget, tally);
    store_state(control, local_control);
}

#if WINDOWED
// Leave the rest of a row, for which there were not enough rounds or units, to its next launch: what is listed for this
// round, and for the next one. Every work-item calls it.
DEVICE void put_off(const task_t *task, const search_t *search, i32 round)
{
    const list_t list = list_of(task, search, round);
    for (i32 i = LOCAL_ID; i < list.sizes[0]; i += LOCAL_SIZE) tell_batches(task, search, list.thin[i], task->step + 1);
    for (i32 i = LOCAL_ID; i < list.sizes[1]; i += LOCAL_SIZE)
        tell_batches(task, search, list.fat[2 * (i64)i], task->step + 1);
}
#endif

// Settle one row per group, in strides: at most `rounds` rounds of a row and `budget` units of a group. Values of
// states[row] before and after:
#define FINISHED 0      // nothing is left to do
#define AT_SOURCE 1     // start from the source
#define UNDER_WAY 2     // continue with every reached vertex; with batches, with those changed since its last step
#define FALLEN 3        // below the floor
#define SPENT 4         // the units are used up: the group continues with this row, whose lists it has; never with batches
KERNEL void frontier_rows(
    ARGUMENTS, GLOBAL i64 *tally, GLOBAL const i32 *sources, GLOBAL i32 *states, i32 rows, i32 rounds, i32 budget,
    i32 batches, i32 now, i32 first, i32 last, i32 since)
{
    LOCALS;
    LOCAL_ARRAY i32 local_control[CONTROL_SIZE];
    const task_t task = TASK;
    const i64 words = 2 * (n + 2 * (i64)parts);
    i32 left = budget, held = 0;        // the row whose lists this group has; those before it wait
    for (i32 row = GROUP_ID; row < rows; row += GROUPS) held = states[row] == SPENT ? row : held;
    load_state(control + GROUP_ID * CONTROL_SIZE, local_control);
    for (i32 row = GROUP_ID; row < rows; row += GROUPS) {
        const search_t search = {
            dist + row * (i64)n, stamps + GROUP_ID * (i64)n, lists + GROUP_ID * words, local_control
            CHANGES(row, batches), stage, &relaxed};
        // No branch around a barrier: some compilers duplicate all that follows for both branches. A row that has
        // nothing to do gets an empty range, no seed and no units.
        const i32 state = states[row];
#if WINDOWED
        const int is_due = state == UNDER_WAY && search.waiting[now] > since;
        left = budget;      // a row that is due must be run in this step
#else
        const int is_due = left > 0 && row >= held && (state == AT_SOURCE || state == UNDER_WAY || state == SPENT);
#endif
        BARRIER();
        if (LOCAL_ID == 0 && is_due) {
            if (state != SPENT) search.control[LEFT] = rounds;
            search.control[FELL] = 0;
            if (state == AT_SOURCE) search.dist[sources[row]] = 0;
        }
        begin_work(&search);
        gather(&task, &search, first, is_due && state == UNDER_WAY ? last : first, since, 0, 1);
        if (LOCAL_ID == 0 && is_due && state == AT_SOURCE) {
            const i32 source = sources[row];
            add_alone(list_of(&task, &search, search.control[ROUND]), source, offsets[source + 1] - offsets[source]);
        }
        BARRIER();
        const i32 rest = run_alone(&task, &search, MOST, is_due ? left : 0, tally + GROUP_ID);
        left = is_due ? rest : left;
        STATE const i32 *sizes = search.control + SIZES + 2 * (search.control[ROUND] & 1);
        const int is_over = !WINDOWED && sizes[0] + sizes[1] == 0;
        const int is_spent = !WINDOWED && search.control[LEFT] > 0;
        const i32 after = search.control[FELL] ? FALLEN : is_over ? FINISHED : is_spent ? SPENT : UNDER_WAY;
#if WINDOWED
        put_off(&task, &search, search.control[ROUND]);
        put_off(&task, &search, search.control[ROUND] + 1);
#endif
        BARRIER();
        if (LOCAL_ID == 0 && is_due) {
            states[row] = after;
            if (after != SPENT) {
                for (i32 i = 0; i < 4; i++) search.control[SIZES + i] = 0;
                if (search.control[UNITS_DONE] > 0) search.control[ROUND]++;     // stamps of the next round are set
                search.control[UNITS_DONE] = 0;
            }
        }
        BARRIER();
    }
    store_state(control + GROUP_ID * CONTROL_SIZE, local_control);
}

#endif

#if WINDOWED && !ALONE
// Put seeds at their starting distances and mark their batches as waiting: all in one row, or (`apart`) one per row at
// the first of them. One work-item per seed.
KERNEL void frontier_begin(
    ARGUMENTS, GLOBAL const i32 *seeds, GLOBAL const key_t *starts, i32 count, i32 apart, i32 batches)
{
    const task_t task = TASK;
    const i64 i = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    if (i >= count) return;
    const search_t search = {
        dist + apart * i * n, stamps, lists, control CHANGES(apart * i, batches), 0, 0};
    search.dist[seeds[i]] = starts[apart ? 0 : i];
    tell_batches(&task, &search, seeds[i], step);
}

// List the pending vertices: those that some batch has yet to relax. found: their number, the number of their arcs,
// then the vertices if they are at most `most`. `least` is the least of `since`: most vertices have not changed since
// then, which saves a division.
KERNEL void frontier_pending(ARGUMENTS, GLOBAL const i32 *since, i32 least, GLOBAL i32 *found, i32 most)
{
    const i64 v = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    if (v >= n || changed[v] <= least || LOAD_I32(&found[0]) > most) return;
    const i64 from = offsets[v], to = offsets[v + 1];
    i32 is_pending = 0;
    for (i64 b = from / batch; b * batch < to; b++) is_pending |= changed[v] > since[b];
    if (!is_pending || from == to) return;
    const i32 position = ATOMIC_ADD(&found[0], 1);
    if (position < most) found[2 + position] = (i32)v;
    ATOMIC_ADD(&found[1], to - from < MOST_ARCS ? (i32)(to - from) : MOST_ARCS);
}

// Return the index of the first entry above a value; the last entry is.
DEVICE i32 first_above(GLOBAL const i32 *sorted, i32 count, i64 value)
{
    i32 low = 0, high = count - 1;
    while (low < high) {
        const i32 middle = low + (high - low) / 2;
        if (sorted[middle] > value) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Relax the arcs of a few vertices, which follow each other in `arcs`; those of the i-th vertex end at ends[i]. RUN arcs
// per work-item, so that none waits for a hub.
KERNEL void frontier_sparse(ARGUMENTS, GLOBAL i64 *tally, GLOBAL const i32 *vertices, GLOBAL const i32 *ends, i32 count)
{
    LOCALS;
    const task_t task = TASK;
    const search_t search = SEARCH;
    const i64 all = ends[count - 1];
    begin_work(&search);
    for (i64 e = ((i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID) * RUN; e < all; e += (i64)GROUPS * LOCAL_SIZE * RUN) {
        const i64 last = e + RUN < all ? e + RUN : all;
        i64 at = e;
        for (i32 i = first_above(ends, count, e); at < last; i++) {
            const sum_t reached = value_of(LOAD(&dist[vertices[i]]));
            for (; at < last && at < ends[i]; at++) lower_head(&task, &search, reached, at);
        }
        ATOMIC_ADD(&relaxed, (i32)(last - e));
    }
    BARRIER();
    if (LOCAL_ID == 0) tally[GROUP_ID] += relaxed;
}
#endif
