// needs: lists.cl
// Delta-stepping with a near and a far pile, for one source by one group or by all (Meyer and Sanders 2003).
//
// Vertices below `split` are near: their light arcs (weight <= delta) are relaxed round after round until none of them
// changes. Then each has its final distance, and its heavy arcs are relaxed once. Then the far pile is searched for the
// vertices up to its least distance + delta, which become near, and so on until it is empty.
//
// Invariants. dist[v] is the ceiling or the length of a real path. A vertex between split and ceiling is in the far
// pile exactly once: the work-item that lowers it from the ceiling puts it there, and no other does. A vertex that
// falls below split leaves a stale entry behind, which the next search drops, since it is below `low`. A vertex that
// falls below split is put on the settled list once. stamps[v] is the last round for which v was listed, so that it is
// listed only once per round. A work-item may follow a path for some hops without listing: what it lowers last, it
// relaxes before the round ends.
//
// Two kernels share the work. `delta_wide` runs one stage with all groups if its list is long, else it does nothing.
// `delta_narrow`, one group, ends that stage and continues alone while lists are short. Both read the progress from
// `control`, so the host launches many pairs of them ahead and looks only now and then. No launch does more than a
// number of units (lists.cl), so that each ends soon: a stage may take several.
//
// ALONE: the kernels in which a group works by itself. They keep the state of the search in local memory.

// What `control` holds; the host only reads it.
#define STAGE_NOW 0          // LIGHT, HEAVY, SEARCH, DONE or STUCK
#define ROUND 1
#define FAR_SIDE 2           // which of the two far piles is in use
#define TARGETS_DONE 3       // the first targets, as many as are known to be settled
#define STAGES_RUN 4         // in this row
#define NEAR_SIZES 5         // of two lists: thin and fat entries each
#define SETTLED_SIZES 9
#define FAR_SIZES 11         // of two piles
#define UNITS_DONE 13        // of the present stage
#define STAGES_ALONE 14      // stages that one group ran, in this row
#define CONTROL_SIZE 16

#define LIGHT 0
#define HEAVY 1
#define SEARCH 2
#define DONE 3
#define STUCK 4              // more stages than any graph needs: the device does not compute as it should

// What `levels` holds.
#define LOW 0
#define SPLIT 1
#define LEAST_FAR 2          // no distance in the far pile is below it
#define LEVELS_SIZE 4

typedef struct {
    GLOBAL const offset_t *offsets;
    GLOBAL const offset_t *light_ends;   // where a vertex's heavy arcs begin
    GLOBAL const i32 *arcs;
    GLOBAL const i32 *targets;
    i32 target_count;
    i32 n;
    sum_t delta;
    key_t ceiling;
    i32 parts;                           // parts that a list has room for
    i32 most_stages;
} task_t;

typedef struct {
    GLOBAL key_t *dist;
    GLOBAL i32 *stamps;
    GLOBAL i32 *lists;       // near, near, settled (each n thin entries and the parts), far, far (n entries each)
    STATE i32 *control;
    STATE key_t *levels;
    LOCAL i32 *stages;       // near, settled, far
    LOCAL key_t *least;      // the least distance this group put or left in the far pile
    LOCAL i32 *relaxed;      // arcs this group relaxed
} search_t;

DEVICE list_t list_of(const task_t *task, const search_t *search, i32 which, i32 sizes)
{
    list_t list;
    list.thin = search->lists + which * (task->n + 2 * (i64)task->parts);
    list.fat = list.thin + task->n;
    list.sizes = search->control + sizes;
    return list;
}

DEVICE list_t near_of(const task_t *task, const search_t *search, i32 round)
{
    return list_of(task, search, round & 1, NEAR_SIZES + 2 * (round & 1));
}

DEVICE list_t settled_of(const task_t *task, const search_t *search)
{
    return list_of(task, search, 2, SETTLED_SIZES);
}

DEVICE list_t far_of(const task_t *task, const search_t *search, i32 side)
{
    list_t list = list_of(task, search, 3, FAR_SIZES + side);
    list.thin += side * (i64)task->n;
    return list;
}

// List a vertex that fell below split: for its light arcs, and once for its heavy ones.
DEVICE void add_near(const task_t *task, const search_t *search, i32 round, i32 v)
{
    add(near_of(task, search, round), search->stages, v, task->light_ends[v] - task->offsets[v]);
}

DEVICE void add_settled(const task_t *task, const search_t *search, i32 v)
{
    add(settled_of(task, search), search->stages + STAGE_SIZE, v, task->offsets[v + 1] - task->light_ends[v]);
}

// Relax one arc, and list its head where it then belongs. Return its distance if it was lowered and is far, else the
// ceiling. A thin head that fell below split goes into `follow` instead of the list, if that is FREE.
#define FREE (-1)
#define TAKEN (-2)
DEVICE key_t relax(
    const task_t *task, const search_t *search, sum_t reached, i64 e, i32 next, i32 side, key_t split, i32 *follow)
{
    const i32 v = head_of(task->arcs, e);
    const sum_t offer = SUM(reached, weight_of(task->arcs, e));
    if (!is_below(offer, LOAD(&search->dist[v]))) return task->ceiling;
    const key_t key = key_of(offer);
    const key_t old = ATOMIC_MIN(&search->dist[v], key);
    if (key >= old) return task->ceiling;
    if (key >= split) {
        if (old == task->ceiling) add(far_of(task, search, side), search->stages + 2 * STAGE_SIZE, v, 1);
        return key;
    }
    if (old >= split) add_settled(task, search, v);
    if (*follow == FREE && task->light_ends[v] - task->offsets[v] <= THIN) *follow = v;
    else if (ATOMIC_SWAP(&search->stamps[v], next) != next) add_near(task, search, next, v);
    return task->ceiling;
}

// Empty the stages of a group. Every work-item calls it.
DEVICE void flush(const task_t *task, const search_t *search, i32 next, i32 side)
{
    const list_t near = near_of(task, search, next), settled = settled_of(task, search);
    const list_t far = far_of(task, search, side);
    BARRIER();
    if (LOCAL_ID == 0) {
        take_room(near, search->stages);
        take_room(settled, search->stages + STAGE_SIZE);
        take_room(far, search->stages + 2 * STAGE_SIZE);
    }
    BARRIER();
    move_staged(near, search->stages);
    move_staged(settled, search->stages + STAGE_SIZE);
    move_staged(far, search->stages + 2 * STAGE_SIZE);
    BARRIER();
}

// Relax the light arcs of the near vertices, or the heavy arcs of the settled ones: every step-th unit from `unit` on.
DEVICE void relax_list(const task_t *task, const search_t *search, i32 heavy, i32 hops, i32 unit, i32 end, i32 step)
{
    const i32 round = search->control[ROUND], side = search->control[FAR_SIDE];
    const key_t split = search->levels[SPLIT];
    const list_t list = heavy ? settled_of(task, search) : near_of(task, search, round);
    const i32 thin = list.sizes[0], chunks = units_of(thin, 0);
    GLOBAL const offset_t *begins = heavy ? task->light_ends : task->offsets;
    GLOBAL const offset_t *ends = heavy ? task->offsets + 1 : task->light_ends;
    key_t least = task->ceiling;
    i32 relaxed = 0;
    for (; unit < end; unit += step) {
        const int is_thin = unit < chunks;
        const i64 entry = is_thin ? unit * (i64)LOCAL_SIZE + LOCAL_ID : unit - chunks;
        if (!is_thin || entry < thin) {
            i32 u = is_thin ? list.thin[entry] : list.fat[2 * entry];
            i64 e = is_thin ? begins[u] : begins[u] + list.fat[2 * entry + 1] * (i64)PART;
            i64 last = is_thin || e + PART > ends[u] ? ends[u] : e + PART;
            const i32 stride = is_thin ? 1 : LOCAL_SIZE;
            e += is_thin ? 0 : LOCAL_ID;
            for (i32 hop = is_thin ? 0 : hops; u >= 0; hop++) {
                const sum_t reached = value_of(LOAD(&search->dist[u]));
                i32 follow = hop < hops ? FREE : TAKEN;
                for (; e < last; e += stride) {
                    const key_t far = relax(task, search, reached, e, round + 1, side, split, &follow);
                    least = far < least ? far : least;
                    relaxed++;
                }
                u = follow;
                if (u >= 0) {
                    e = task->offsets[u];
                    last = task->light_ends[u];
                }
            }
        }
        flush(task, search, round + 1, side);
    }
    if (least < task->ceiling) ATOMIC_MIN(search->least, least);
    if (relaxed) ATOMIC_ADD(search->relaxed, relaxed);
}

// Sort every step-th unit of the far pile: stale entries are dropped, those below split become near, the rest is kept.
DEVICE void search_far(const task_t *task, const search_t *search, i32 unit, i32 end, i32 step)
{
    const i32 round = search->control[ROUND], side = search->control[FAR_SIDE];
    const key_t low = search->levels[LOW], split = search->levels[SPLIT];
    const list_t far = far_of(task, search, side), kept = far_of(task, search, 1 - side);
    const i32 size = far.sizes[0];
    key_t least = task->ceiling;
    for (; unit < end; unit += step) {
        const i64 entry = unit * (i64)LOCAL_SIZE + LOCAL_ID;
        if (entry < size) {
            const i32 v = far.thin[entry];
            const key_t key = LOAD(&search->dist[v]);
            if (key >= split) {
                add(kept, search->stages + 2 * STAGE_SIZE, v, 1);
                least = key < least ? key : least;
            } else if (key >= low) {
                add_near(task, search, round, v);
                add_settled(task, search, v);
            }
        }
        flush(task, search, round, 1 - side);
    }
    if (least < task->ceiling) ATOMIC_MIN(search->least, least);
}

// Return low + delta as a key, at most the ceiling; no heavy arc from a vertex at low or beyond leads below it. The
// host chooses delta large enough that this is greater than low, in spite of rounding. It must be, or the next search
// would find nothing, and so on for ever: so nothing that a device does to floats may prevent it.
DEVICE key_t end_of_near(const task_t *task, key_t low)
{
#if DIST <= 2
    const int fits = task->delta < value_of(task->ceiling) - value_of(low);      // the sum might wrap
#else
    const int fits = is_below(SUM(value_of(low), task->delta), task->ceiling);
#endif
    const key_t end = fits ? key_of(SUM(value_of(low), task->delta)) : task->ceiling;
    return end > low || low >= task->ceiling ? end : low + 1;
}

// Begin a search of the far pile, unless it is empty or all targets are settled.
DEVICE void plan_search(const task_t *task, const search_t *search)
{
    STATE i32 *control = search->control;
    STATE key_t *levels = search->levels;
    const key_t low = levels[LEAST_FAR];
    const key_t split = end_of_near(task, low);
    i32 settled = control[TARGETS_DONE];
    while (settled < task->target_count && LOAD(&search->dist[task->targets[settled]]) < low) settled++;
    control[TARGETS_DONE] = settled;
    const int finished = task->target_count > 0 && settled == task->target_count;
    control[STAGE_NOW] = finished || control[FAR_SIZES + control[FAR_SIDE]] == 0 ? DONE : SEARCH;
    levels[LOW] = low;
    levels[SPLIT] = split;
    levels[LEAST_FAR] = task->ceiling;
}

// End a stage whose units are all done, and choose the next one. One work-item calls it.
DEVICE void end_stage(const task_t *task, const search_t *search)
{
    STATE i32 *control = search->control;
    const i32 stage = control[STAGE_NOW], round = control[ROUND];
    control[UNITS_DONE] = 0;
    if (stage == LIGHT) {
        STATE i32 *done = control + NEAR_SIZES + 2 * (round & 1), *next = control + NEAR_SIZES + 2 * (1 - (round & 1));
        done[0] = done[1] = 0;
        control[ROUND] = round + 1;
        if (next[0] + next[1] == 0) control[STAGE_NOW] = HEAVY;
    } else if (stage == HEAVY) {
        control[SETTLED_SIZES] = control[SETTLED_SIZES + 1] = 0;
    } else if (stage == SEARCH) {
        const i32 side = control[FAR_SIDE];
        STATE i32 *near = control + NEAR_SIZES + 2 * (round & 1);
        control[FAR_SIZES + side] = 0;
        control[FAR_SIDE] = 1 - side;
        control[STAGE_NOW] = near[0] + near[1] > 0 ? LIGHT : HEAVY;
    }
    if (control[STAGE_NOW] == HEAVY && control[SETTLED_SIZES] + control[SETTLED_SIZES + 1] == 0)
        plan_search(task, search);
    if (++control[STAGES_RUN] > task->most_stages) control[STAGE_NOW] = STUCK;
}

// Return the length of the present stage's list in entries; 0 when all is done. It stays the same during a stage.
DEVICE i64 stage_size(const search_t *search)
{
    STATE const i32 *control = search->control;
    const i32 stage = control[STAGE_NOW];
    if (stage == DONE || stage == STUCK) return 0;
    if (stage == SEARCH) return control[FAR_SIZES + control[FAR_SIDE]];
    STATE const i32 *sizes = control + (stage == HEAVY ? SETTLED_SIZES : NEAR_SIZES + 2 * (control[ROUND] & 1));
    return sizes[0] + FAT_SHARE * (i64)sizes[1];
}

DEVICE i32 stage_units(const search_t *search)
{
    STATE const i32 *control = search->control;
    const i32 stage = control[STAGE_NOW];
    if (stage == SEARCH) return units_of(control[FAR_SIZES + control[FAR_SIDE]], 0);
    STATE const i32 *sizes = control + (stage == HEAVY ? SETTLED_SIZES : NEAR_SIZES + 2 * (control[ROUND] & 1));
    return units_of(sizes[0], sizes[1]);
}

// Do every step-th unit of the present stage from `unit` up to `end`.
DEVICE void run_stage(const task_t *task, const search_t *search, i32 hops, i32 unit, i32 end, i32 step)
{
    if (LOCAL_ID == 0) {
        for (i32 i = 0; i < 3; i++) search->stages[i * STAGE_SIZE] = 0;
        *search->least = task->ceiling;
        *search->relaxed = 0;
    }
    BARRIER();
    const i32 stage = search->control[STAGE_NOW];
    if (stage == SEARCH) search_far(task, search, unit, end, step);
    else relax_list(task, search, stage == HEAVY, stage == HEAVY ? 0 : hops, unit, end, step);
    BARRIER();
    if (LOCAL_ID == 0 && *search->least < task->ceiling) ATOMIC_MIN(&search->levels[LEAST_FAR], *search->least);
}

#define TASK_ARGUMENTS \
    GLOBAL const offset_t *offsets, GLOBAL const offset_t *light_ends, GLOBAL const i32 *arcs, \
    GLOBAL const i32 *targets, i32 target_count, i32 n, sum_t delta, key_t ceiling, i32 parts, i32 most_stages
#define TASK {offsets, light_ends, arcs, targets, target_count, n, delta, ceiling, parts, most_stages}
#define LOCALS \
    LOCAL_ARRAY i32 stages[3 * STAGE_SIZE]; \
    LOCAL_ARRAY key_t least; \
    LOCAL_ARRAY i32 relaxed

#define SEARCH_ARGUMENTS \
    GLOBAL key_t *dist, GLOBAL i32 *stamps, GLOBAL i32 *lists, GLOBAL i32 *control, GLOBAL key_t *levels, \
    GLOBAL i64 *tally

// Put v at a distance into the far pile, as entry `i`, for a search to find.
DEVICE void put_seed(const task_t *task, const search_t *search, i32 v, key_t start, i32 i)
{
    search->dist[v] = start;
    far_of(task, search, search->control[FAR_SIDE]).thin[i] = v;
}

// Prepare the first search, with `seeds` entries in the far pile. If all of them start far above 0, it finds none, but
// the least of them. One work-item calls it.
DEVICE void begin_search(const task_t *task, const search_t *search, i32 seeds)
{
    // A row may have stopped at its targets, with entries left in its lists.
    for (i32 i = NEAR_SIZES; i < CONTROL_SIZE; i++) search->control[i] = 0;
    search->control[FAR_SIZES + search->control[FAR_SIDE]] = seeds;
    search->control[TARGETS_DONE] = search->control[STAGES_RUN] = 0;
    search->levels[LEAST_FAR] = 0;
    plan_search(task, search);
}

#if !ALONE

// Put the seeds of a row at their starting distances. One group.
KERNEL_SLIM void delta_start(
    TASK_ARGUMENTS, SEARCH_ARGUMENTS, GLOBAL const i32 *seeds, GLOBAL const key_t *starts, i32 count)
{
    const task_t task = TASK;
    const search_t search = {dist, stamps, lists, control, levels, 0, 0, 0};
    for (i32 i = LOCAL_ID; i < count; i += LOCAL_SIZE) put_seed(&task, &search, seeds[i], starts[i], i);
    BARRIER();
    if (LOCAL_ID == 0) begin_search(&task, &search, count);
}

// The next `share` units of a long stage, with all groups.
KERNEL_SLIM void delta_wide(TASK_ARGUMENTS, SEARCH_ARGUMENTS, i32 small, i32 share)
{
    LOCALS;
    const task_t task = TASK;
    const search_t search = {dist, stamps, lists, control, levels, stages, &least, &relaxed};
    if (stage_size(&search) <= small) return;
    const i32 units = stage_units(&search), first = control[UNITS_DONE];
    run_stage(&task, &search, 0, first + GROUP_ID, units - first < share ? units : first + share, GROUPS);
    if (LOCAL_ID == 0) tally[GROUP_ID] += relaxed;
}

#else

#define STATE_LOCALS \
    LOCAL_ARRAY i32 local_control[CONTROL_SIZE]; \
    LOCAL_ARRAY key_t local_levels[LEVELS_SIZE]

// Copy the state of a search to local memory, and back. Every work-item calls it.
DEVICE void load_state(GLOBAL const i32 *control, GLOBAL const key_t *levels, STATE i32 *c, STATE key_t *l)
{
    for (i32 i = LOCAL_ID; i < CONTROL_SIZE; i += LOCAL_SIZE) c[i] = control[i];
    for (i32 i = LOCAL_ID; i < LEVELS_SIZE; i += LOCAL_SIZE) l[i] = levels[i];
    BARRIER();
}

DEVICE void store_state(GLOBAL i32 *control, GLOBAL key_t *levels, STATE const i32 *c, STATE const key_t *l)
{
    BARRIER();
    for (i32 i = LOCAL_ID; i < CONTROL_SIZE; i += LOCAL_SIZE) control[i] = c[i];
    for (i32 i = LOCAL_ID; i < LEVELS_SIZE; i += LOCAL_SIZE) levels[i] = l[i];
}

// One group continues alone while lists are not longer than `most`, for at most `left` units. Return those left.
// Where they are not longer than `small`, work-items follow paths: there the time goes to stages, not to arcs.
DEVICE i32 run_alone(const task_t *task, const search_t *search, i32 most, i32 small, i32 left, GLOBAL i64 *tally)
{
    while (left > 0) {
        const i64 size = stage_size(search);
        if (size == 0 || size > most) break;
        const i32 units = stage_units(search), first = search->control[UNITS_DONE];
        const i32 end = units - first < left ? units : first + left;
        run_stage(task, search, size <= small ? HOPS : 0, first, end, 1);
        if (LOCAL_ID == 0) {
            *tally += *search->relaxed;
            search->control[UNITS_DONE] = end;
            search->control[STAGES_ALONE]++;
            if (end == units) end_stage(task, search);
        }
        left -= end - first;
        BARRIER();
    }
    return left;
}

KERNEL_SLIM void delta_narrow(TASK_ARGUMENTS, SEARCH_ARGUMENTS, i32 small, i32 share, i32 budget)
{
    LOCALS;
    STATE_LOCALS;
    const task_t task = TASK;
    const search_t search = {dist, stamps, lists, local_control, local_levels, stages, &least, &relaxed};
    load_state(control, levels, local_control, local_levels);
    const int was_wide = stage_size(&search) > small;
    const i32 left = stage_units(&search) - local_control[UNITS_DONE];
    BARRIER();
    if (was_wide && LOCAL_ID == 0) {
        if (left > share) local_control[UNITS_DONE] += share;
        else end_stage(&task, &search);
    }
    BARRIER();
    run_alone(&task, &search, small, small, budget, tally);
    store_state(control, levels, local_control, local_levels);
}

// Settle one row per group, in strides, with at most `budget` units per group. Values of states[row] before and after:
#define FINISHED 0      // nothing is left to do
#define AT_SOURCE 1     // start from the source
#define SPENT 4         // the units are used up: the group continues with this row
#define FAILED 5        // too many stages
KERNEL_SLIM void delta_rows(
    TASK_ARGUMENTS, SEARCH_ARGUMENTS, GLOBAL const i32 *sources, GLOBAL i32 *states, i32 rows, i32 small, i32 budget)
{
    LOCALS;
    STATE_LOCALS;
    const task_t task = TASK;
    const i64 words = 5 * (i64)n + 6 * (i64)parts;
    GLOBAL i32 *own_control = control + GROUP_ID * CONTROL_SIZE;
    GLOBAL key_t *own_levels = levels + GROUP_ID * LEVELS_SIZE;
    i32 left = budget;
    load_state(own_control, own_levels, local_control, local_levels);
    for (i32 row = GROUP_ID; row < rows; row += GROUPS) {
        const search_t search = {
            dist + row * (i64)n, stamps + GROUP_ID * (i64)n, lists + GROUP_ID * words, local_control, local_levels,
            stages, &least, &relaxed};
        // No branch around a barrier: some compilers duplicate all that follows for both branches. A row that is not
        // due gets no units.
        const i32 state = states[row];
        const int is_due = left > 0 && (state == AT_SOURCE || state == SPENT);
        BARRIER();
        if (LOCAL_ID == 0 && is_due && state == AT_SOURCE) {
            put_seed(&task, &search, sources[row], 0, 0);
            begin_search(&task, &search, 1);
        }
        BARRIER();
        const i32 after = run_alone(&task, &search, MOST, small, is_due ? left : 0, tally + GROUP_ID);
        left = is_due ? after : left;
        const i32 stage = local_control[STAGE_NOW];
        BARRIER();
        if (LOCAL_ID == 0 && is_due) states[row] = stage == DONE ? FINISHED : stage == STUCK ? FAILED : SPENT;
    }
    store_state(own_control, own_levels, local_control, local_levels);
}

#endif
