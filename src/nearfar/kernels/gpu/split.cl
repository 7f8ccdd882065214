// Move the light arcs (weight <= delta) of each vertex before its heavy ones, in place, for delta.cl.

DEVICE int is_light(GLOBAL const i32 *arcs, i64 e, sum_t delta)
{
    return !LESS(delta, weight_of(arcs, e));
}

DEVICE void swap_arcs(GLOBAL i32 *arcs, i64 a, i64 b)
{
    for (i32 i = 0; i < ARC_WORDS; i++) {
        const i32 word = arcs[ARC_WORDS * a + i];
        arcs[ARC_WORDS * a + i] = arcs[ARC_WORDS * b + i];
        arcs[ARC_WORDS * b + i] = word;
    }
}

// The vertices from `first` up to `last`, except hubs. One work-item per vertex.
KERNEL void split_arcs(
    GLOBAL const offset_t *offsets, GLOBAL i32 *arcs, i32 first, i32 last, sum_t delta, GLOBAL offset_t *light_ends)
{
    const i64 v = first + (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    if (v >= last) return;
    i64 light = offsets[v], heavy = offsets[v + 1];
    if (heavy - light > HUB) return;
    while (light < heavy) {
        if (is_light(arcs, light, delta)) light++;
        else swap_arcs(arcs, light, --heavy);
    }
    light_ends[v] = (offset_t)light;
}

// Note the misplaced arcs of a tile from `first` up to `end`: those that are light, or (`wanted` 0) heavy.
DEVICE void note_misplaced(
    GLOBAL const i32 *arcs, i64 begin, i64 first, i64 end, sum_t delta, int wanted, LOCAL i32 *count, LOCAL i32 *noted)
{
    const i64 last = end - first < STAGE ? end : first + STAGE;
    for (i64 e = first + LOCAL_ID; e < last; e += LOCAL_SIZE)
        if (is_light(arcs, e, delta) == wanted) noted[ATOMIC_ADD(count, 1)] = (i32)(e - begin);
}

// The hubs, one group each, in strides. The light arcs are counted, so that it is known where the heavy ones begin.
// Then there are as many heavy arcs before that place as light ones behind it. Tile by tile, both are noted in local
// memory, and the first few of them are swapped.
KERNEL void split_hubs(
    GLOBAL const offset_t *offsets, GLOBAL i32 *arcs, GLOBAL const i32 *hubs, i32 count, sum_t delta,
    GLOBAL offset_t *light_ends)
{
    LOCAL_ARRAY i32 heavy[STAGE];
    LOCAL_ARRAY i32 light[STAGE];
    LOCAL_ARRAY i32 noted[2];       // of the heavy arcs before the middle, of the light ones behind it
    LOCAL_ARRAY i32 lights;
    for (i32 h = GROUP_ID; h < count; h += GROUPS) {
        const i64 begin = offsets[hubs[h]], end = offsets[hubs[h] + 1];
        BARRIER();
        if (LOCAL_ID == 0) lights = noted[0] = noted[1] = 0;
        BARRIER();
        i32 mine = 0;
        for (i64 e = begin + LOCAL_ID; e < end; e += LOCAL_SIZE) mine += is_light(arcs, e, delta);
        ATOMIC_ADD(&lights, mine);
        BARRIER();
        const i64 middle = begin + lights;
        i64 before = begin, behind = middle;        // noted up to here
        int is_over = 0;
        while (!is_over) {
            const int wants_heavy = noted[0] == 0, wants_light = noted[1] == 0;
            BARRIER();
            if (wants_heavy) note_misplaced(arcs, begin, before, middle, delta, 0, &noted[0], heavy);
            if (wants_light) note_misplaced(arcs, begin, behind, end, delta, 1, &noted[1], light);
            before += wants_heavy ? STAGE : 0;
            behind += wants_light ? STAGE : 0;
            BARRIER();
            const i32 heavies = noted[0], others = noted[1], pairs = heavies < others ? heavies : others;
            for (i32 i = LOCAL_ID; i < pairs; i += LOCAL_SIZE)
                swap_arcs(arcs, begin + heavy[heavies - 1 - i], begin + light[others - 1 - i]);
            BARRIER();
            if (LOCAL_ID == 0) {
                noted[0] = heavies - pairs;
                noted[1] = others - pairs;
            }
            is_over = (before >= middle && heavies == pairs) || (behind >= end && others == pairs);
            BARRIER();
        }
        if (LOCAL_ID == 0) light_ends[hubs[h]] = (offset_t)middle;
    }
}
