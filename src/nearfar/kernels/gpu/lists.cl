// Lists of vertices whose arcs are to be relaxed, filled by many groups at once.
//
// A list has two classes, so that a vertex with many arcs does not delay the work-items beside it. A thin vertex (at
// most THIN arcs) is one entry, and one work-item relaxes it. A fat vertex is cut into parts of PART arcs; each part is
// an entry (vertex, part), and the next free group relaxes it. Thin entries are first collected in local memory (a
// stage), so that a group reserves room in the list once per chunk, not once per entry.
//
// STATE is where the sizes are: in global memory where several groups share a list, in local memory where a group works
// alone, since it reads them after every barrier.

#ifndef ALONE
#define ALONE 0
#endif
#if ALONE
#define STATE LOCAL
#else
#define STATE GLOBAL
#endif

typedef struct {
    GLOBAL i32 *thin;
    GLOBAL i32 *fat;     // pairs (vertex, part)
    STATE i32 *sizes;    // number of thin entries, number of fat ones
} list_t;

// A unit is what a group does between two barriers of a stage: LOCAL_SIZE thin entries, or one part of a fat vertex.
DEVICE i32 units_of(i32 thin, i32 fat)
{
    return (i32)(((i64)thin + LOCAL_SIZE - 1) / LOCAL_SIZE) + fat;
}

// A stage in local memory: number of entries added since it was emptied, where its room in the list begins, number of
// entries to move there, then the entries.
#define STAGE_SIZE (STAGE + 3)

DEVICE void add_parts(const list_t list, i32 v, i64 degree)
{
    const i32 parts = (i32)((degree + PART - 1) / PART);
    const i32 at = ATOMIC_ADD(&list.sizes[1], parts);
    for (i32 p = 0; p < parts; p++) {
        list.fat[2 * (i64)(at + p)] = v;
        list.fat[2 * (i64)(at + p) + 1] = p;
    }
}

// Add a vertex with `degree` arcs to relax; a vertex without arcs is not listed.
DEVICE void add(const list_t list, LOCAL i32 *stage, i32 v, i64 degree)
{
    if (degree > THIN) {
        add_parts(list, v, degree);
    } else if (degree > 0) {
        const i32 position = ATOMIC_ADD(&stage[0], 1);
        if (position < STAGE) stage[3 + position] = v;
        else list.thin[ATOMIC_ADD(&list.sizes[0], 1)] = v;
    }
}

// Add the first vertex of an empty list, without a stage. One work-item calls it.
DEVICE void add_alone(const list_t list, i32 v, i64 degree)
{
    if (degree > THIN) {
        add_parts(list, v, degree);
    } else if (degree > 0) {
        list.thin[0] = v;
        list.sizes[0] = 1;
    }
}

// Emptying a stage takes two steps, with a barrier before, between and after: one work-item reserves room in the list,
DEVICE void take_room(const list_t list, LOCAL i32 *stage)
{
    const i32 staged = stage[0] < STAGE ? stage[0] : STAGE;
    if (staged > 0) stage[1] = ATOMIC_ADD(&list.sizes[0], staged);
    stage[2] = staged;
    stage[0] = 0;
}

// then all work-items move the entries there.
DEVICE void move_staged(const list_t list, LOCAL i32 *stage)
{
    for (i32 i = LOCAL_ID; i < stage[2]; i += LOCAL_SIZE) list.thin[stage[1] + i] = stage[3 + i];
}
