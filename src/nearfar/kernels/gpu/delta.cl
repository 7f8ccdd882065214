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
// listed only once per round.
//
// Two kernels share the work. `delta_wide` runs one stage with all groups if its list is long, else it does nothing.
// `delta_narrow`, one group, ends that stage and continues alone while lists are short. Both read the progress from
// `control`, so the host launches many pairs of them ahead and looks only now and then.

// What `control` holds; the host only reads it.
#define STAGE_NOW 0          // LIGHT, HEAVY, SEARCH or DONE
#define ROUND 1
#define FAR_SIDE 2           // which of the two far piles is in use
#define TARGETS_DONE 3       // the first targets, as many as are known to be settled
#define STAGES_RUN 4
#define NEAR_SIZES 5         // of two lists: thin and fat entries each
#define SETTLED_SIZES 9
#define FAR_SIZES 11         // of two piles
#define CONTROL_SIZE 16

#define LIGHT 0
#define HEAVY 1
#define SEARCH 2
#define DONE 3

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
} task_t;

typedef struct {
    GLOBAL key_t *dist;
    GLOBAL i32 *stamps;
    GLOBAL i32 *lists;       // near, near, settled (each n thin entries and the parts), far, far (n entries each)
    GLOBAL i32 *control;
    GLOBAL key_t *levels;
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
// ceiling.
DEVICE key_t relax(const task_t *task, const search_t *search, sum_t reached, i64 e, i32 next, i32 side, key_t split)
{
    const i32 v = head_of(task->arcs, e);
    const sum_t offer = reached + weight_of(task->arcs, e);
    if (!(offer < value_of(LOAD(&search->dist[v])))) return task->ceiling;
    const key_t key = key_of(offer);
    const key_t old = ATOMIC_MIN(&search->dist[v], key);
    if (key >= old) return task->ceiling;
    if (key >= split) {
        if (old == task->ceiling) add(far_of(task, search, side), search->stages + 2 * STAGE_SIZE, v, 1);
        return key;
    }
    if (ATOMIC_SWAP(&search->stamps[v], next) != next) add_near(task, search, next, v);
    if (old >= split) add_settled(task, search, v);
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

// Relax the light arcs of the near vertices, or the heavy arcs of the settled ones: this group's share of the list.
DEVICE void relax_list(const task_t *task, const search_t *search, i32 heavy, i32 group, i32 groups)
{
    const i32 round = search->control[ROUND], side = search->control[FAR_SIDE];
    const key_t split = search->levels[SPLIT];
    const list_t list = heavy ? settled_of(task, search) : near_of(task, search, round);
    const i32 thin = list.sizes[0], fat = list.sizes[1];
    GLOBAL const offset_t *begins = heavy ? task->light_ends : task->offsets;
    GLOBAL const offset_t *ends = heavy ? task->offsets + 1 : task->light_ends;
    key_t least = task->ceiling;
    const i64 chunks = ((i64)thin + LOCAL_SIZE - 1) / LOCAL_SIZE;
    i32 relaxed = 0;
    for (i64 unit = group; unit < chunks + fat; unit += groups) {
        const i64 entry = unit < chunks ? unit * LOCAL_SIZE + LOCAL_ID : unit - chunks;
        const int is_thin = unit < chunks;
        if (!is_thin || entry < thin) {
            const i32 u = is_thin ? list.thin[entry] : list.fat[2 * entry];
            const i64 begin = is_thin ? begins[u] : begins[u] + list.fat[2 * entry + 1] * (i64)PART;
            const i64 end = is_thin || begin + PART > ends[u] ? ends[u] : begin + PART;
            const i32 stride = is_thin ? 1 : LOCAL_SIZE;
            const sum_t reached = value_of(LOAD(&search->dist[u]));
            for (i64 e = is_thin ? begin : begin + LOCAL_ID; e < end; e += stride) {
                const key_t far = relax(task, search, reached, e, round + 1, side, split);
                least = far < least ? far : least;
                relaxed++;
            }
        }
        flush(task, search, round + 1, side);
    }
    if (least < task->ceiling) ATOMIC_MIN(search->least, least);
    if (relaxed) ATOMIC_ADD(search->relaxed, relaxed);
}

// Sort this group's share of the far pile: stale entries are dropped, those below split become near, the rest is kept.
DEVICE void search_far(const task_t *task, const search_t *search, i32 group, i32 groups)
{
    const i32 round = search->control[ROUND], side = search->control[FAR_SIDE];
    const key_t low = search->levels[LOW], split = search->levels[SPLIT];
    const list_t far = far_of(task, search, side), kept = far_of(task, search, 1 - side);
    const i32 size = far.sizes[0];
    key_t least = task->ceiling;
    for (i64 chunk = (i64)group * LOCAL_SIZE; chunk < size; chunk += (i64)groups * LOCAL_SIZE) {
        if (chunk + LOCAL_ID < size) {
            const i32 v = far.thin[chunk + LOCAL_ID];
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

// Return low + delta as a key, at most the ceiling; no heavy arc from a vertex at low or beyond leads below it.
// The host chooses delta large enough that this is greater than low, in spite of rounding.
DEVICE key_t end_of_near(const task_t *task, key_t low)
{
#if DIST <= 2
    const int is_below = task->delta < value_of(task->ceiling) - value_of(low);      // the sum might wrap
#else
    const int is_below = value_of(low) + task->delta < value_of(task->ceiling);
#endif
    return is_below ? key_of(value_of(low) + task->delta) : task->ceiling;
}

// Begin a search of the far pile, unless it is empty or all targets are settled.
DEVICE void plan_search(const task_t *task, const search_t *search)
{
    GLOBAL i32 *control = search->control;
    GLOBAL key_t *levels = search->levels;
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

// End a stage that all groups have finished, and choose the next one. One work-item calls it.
DEVICE void end_stage(const task_t *task, const search_t *search)
{
    GLOBAL i32 *control = search->control;
    const i32 stage = control[STAGE_NOW], round = control[ROUND];
    control[STAGES_RUN]++;
    if (stage == LIGHT) {
        GLOBAL i32 *done = control + NEAR_SIZES + 2 * (round & 1), *next = control + NEAR_SIZES + 2 * (1 - (round & 1));
        done[0] = done[1] = 0;
        control[ROUND] = round + 1;
        if (next[0] + next[1] > 0) return;
        if (control[SETTLED_SIZES] + control[SETTLED_SIZES + 1] > 0) control[STAGE_NOW] = HEAVY;
        else plan_search(task, search);
    } else if (stage == HEAVY) {
        control[SETTLED_SIZES] = control[SETTLED_SIZES + 1] = 0;
        plan_search(task, search);
    } else if (stage == SEARCH) {
        const i32 side = control[FAR_SIDE];
        GLOBAL i32 *near = control + NEAR_SIZES + 2 * (round & 1);
        control[FAR_SIZES + side] = 0;
        control[FAR_SIDE] = 1 - side;
        if (near[0] + near[1] > 0) control[STAGE_NOW] = LIGHT;
        else if (control[SETTLED_SIZES] + control[SETTLED_SIZES + 1] > 0) control[STAGE_NOW] = HEAVY;
        else plan_search(task, search);
    }
}

// Return the length of the present stage's list in entries; 0 when all is done.
DEVICE i64 stage_size(const search_t *search)
{
    GLOBAL const i32 *control = search->control;
    const i32 stage = control[STAGE_NOW];
    if (stage == DONE) return 0;
    if (stage == SEARCH) return control[FAR_SIZES + control[FAR_SIDE]];
    GLOBAL const i32 *sizes = control + (stage == HEAVY ? SETTLED_SIZES : NEAR_SIZES + 2 * (control[ROUND] & 1));
    return sizes[0] + FAT_SHARE * (i64)sizes[1];
}

DEVICE void run_stage(const task_t *task, const search_t *search, i32 group, i32 groups)
{
    if (LOCAL_ID == 0) {
        for (i32 i = 0; i < 3; i++) search->stages[i * STAGE_SIZE] = 0;
        *search->least = task->ceiling;
        *search->relaxed = 0;
    }
    BARRIER();
    if (search->control[STAGE_NOW] == SEARCH) search_far(task, search, group, groups);
    else relax_list(task, search, search->control[STAGE_NOW] == HEAVY, group, groups);
    BARRIER();
    if (LOCAL_ID == 0 && *search->least < task->ceiling) ATOMIC_MIN(&search->levels[LEAST_FAR], *search->least);
}

// One group continues alone while lists are not longer than `most`, for at most `budget` stages.
DEVICE void run_alone(const task_t *task, const search_t *search, i32 most, i32 budget, GLOBAL i64 *tally)
{
    for (i32 i = 0; i < budget; i++) {
        const i64 size = stage_size(search);
        if (size == 0 || size > most) break;
        run_stage(task, search, 0, 1);
        if (LOCAL_ID == 0) {
            *tally += *search->relaxed;
            end_stage(task, search);
        }
        BARRIER();
    }
}

#define TASK_ARGUMENTS \
    GLOBAL const offset_t *offsets, GLOBAL const offset_t *light_ends, GLOBAL const i32 *arcs, \
    GLOBAL const i32 *targets, i32 target_count, i32 n, sum_t delta, key_t ceiling, i32 parts
#define TASK {offsets, light_ends, arcs, targets, target_count, n, delta, ceiling, parts}
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
    search->control[FAR_SIZES + search->control[FAR_SIDE]] = seeds;
    search->control[TARGETS_DONE] = 0;
    search->levels[LEAST_FAR] = 0;
    plan_search(task, search);
}

// Put the seeds of a row at their starting distances. One group.
KERNEL void delta_start(
    TASK_ARGUMENTS, SEARCH_ARGUMENTS, GLOBAL const i32 *seeds, GLOBAL const key_t *starts, i32 count)
{
    const task_t task = TASK;
    const search_t search = {dist, stamps, lists, control, levels, 0, 0, 0};
    for (i32 i = LOCAL_ID; i < count; i += LOCAL_SIZE) put_seed(&task, &search, seeds[i], starts[i], i);
    BARRIER();
    if (LOCAL_ID == 0) begin_search(&task, &search, count);
}

KERNEL void delta_wide(TASK_ARGUMENTS, SEARCH_ARGUMENTS, i32 small)
{
    LOCALS;
    const task_t task = TASK;
    const search_t search = {dist, stamps, lists, control, levels, stages, &least, &relaxed};
    if (stage_size(&search) <= small) return;
    run_stage(&task, &search, GROUP_ID, GROUPS);
    if (LOCAL_ID == 0) tally[GROUP_ID] += relaxed;
}

KERNEL void delta_narrow(TASK_ARGUMENTS, SEARCH_ARGUMENTS, i32 small, i32 budget)
{
    LOCALS;
    const task_t task = TASK;
    const search_t search = {dist, stamps, lists, control, levels, stages, &least, &relaxed};
    const int was_wide = stage_size(&search) > small;
    BARRIER();
    if (was_wide && LOCAL_ID == 0) end_stage(&task, &search);
    BARRIER();
    run_alone(&task, &search, small, budget, tally);
}

// Settle one row per group, in strides.
KERNEL void delta_rows(TASK_ARGUMENTS, SEARCH_ARGUMENTS, GLOBAL const i32 *sources, i32 rows)
{
    LOCALS;
    const task_t task = TASK;
    const i64 words = 5 * (i64)n + 6 * (i64)parts;
    for (i32 row = GROUP_ID; row < rows; row += GROUPS) {
        const search_t search = {
            dist + row * (i64)n, stamps + GROUP_ID * (i64)n, lists + GROUP_ID * words,
            control + GROUP_ID * CONTROL_SIZE, levels + GROUP_ID * LEVELS_SIZE, stages, &least, &relaxed};
        if (LOCAL_ID == 0) {
            put_seed(&task, &search, sources[row], 0, 0);
            begin_search(&task, &search, 1);
        }
        BARRIER();
        run_alone(&task, &search, MOST, MOST, tally + GROUP_ID);
        BARRIER();
        // A row may have stopped at its targets, with entries left in its lists.
        for (i32 i = NEAR_SIZES + LOCAL_ID; i < CONTROL_SIZE; i += LOCAL_SIZE) search.control[i] = 0;
        BARRIER();
    }
}

// Move the light arcs of each vertex before its heavy ones, in place. One work-item per vertex.
KERNEL void split_arcs(
    GLOBAL const offset_t *offsets, GLOBAL i32 *arcs, i32 n, sum_t delta, GLOBAL offset_t *light_ends)
{
    const i64 v = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    if (v >= n) return;
    i64 light = offsets[v], heavy = offsets[v + 1];
    while (light < heavy) {
        if (weight_of(arcs, light) <= delta) {
            light++;
            continue;
        }
        heavy--;
        for (i32 i = 0; i < ARC_WORDS; i++) {
            const i32 word = arcs[ARC_WORDS * light + i];
            arcs[ARC_WORDS * light + i] = arcs[ARC_WORDS * heavy + i];
            arcs[ARC_WORDS * heavy + i] = word;
        }
    }
    light_ends[v] = (offset_t)light;
}
