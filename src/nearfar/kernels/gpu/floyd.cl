// All pairs of a dense graph: the matrix of arcs closed under minimum and plus, in tiles (Floyd 1962, Warshall 1962).
//
// Round k takes the TILE vertices of tile k as intermediate vertices: first the corner tile (k, k) is closed by itself,
// then the tiles of its row and column are relaxed over the paths through it, then all others. Tile (i, j) takes the
// minimum with the sums of (i, k) and (k, j), also where it is one of these two itself: entries only decrease towards
// the closure, so a tile may read what it has just written.
//
// Invariant: an entry is never less than the shortest path, and after round k not more than the shortest path whose
// inner vertices are in tiles up to k. If a vertex of the corner reaches itself with a negative distance, `met` is set,
// and the matrix is of no further use.
//
// The matrix holds values, not keys; floats by their bits. `infinity` marks pairs without a path. The sum of two of
// them must not wrap. Where distances need the whole range of a type, `careful` is set, weights are not negative, and
// sums are compared before they are formed.

#if DIST == 1
typedef i32 num_t;
#define NUMBER(bits) (bits)
#define BITS(number) (number)
#elif DIST == 2
typedef i64 num_t;
#define NUMBER(bits) (bits)
#define BITS(number) (number)
#elif DIST == 3
typedef f32 num_t;
#define NUMBER(bits) F32_OF_BITS(bits)
#define BITS(number) BITS_OF_F32(number)
#else
typedef f64 num_t;
#define NUMBER(bits) F64_OF_BITS(bits)
#define BITS(number) BITS_OF_F64(number)
#endif

// A work-item has SIDE x SIDE entries of a tile in its registers; a tile takes SPREAD x SPREAD work-items. Local memory
// holds DEPTH columns of one factor and DEPTH rows of the other, 17 kB. SMALL_TILE is for simulators, which are slow.
#if defined(SMALL_TILE)
#define TILE SMALL_TILE
#define SIDE 2
#define DEPTH (TILE / 2)
#elif KEY_BYTES == 4
#define TILE 64
#define SIDE 4
#define DEPTH 32
#else
#define TILE 32
#define SIDE 2
#define DEPTH 32
#endif
#define SPREAD (TILE / SIDE)

DEVICE num_t lesser(num_t best, num_t a, num_t b, i32 careful)
{
#if DIST <= 2
    if (careful) return b < best - a ? a + b : best;
#endif
#if DIST == 3
    return MIN_F32(best, ADD_F32(a, b));
#else
    const num_t sum = a + b;
    return sum < best ? sum : best;
#endif
}

// The entry in row i and column j; infinity outside the matrix.
DEVICE num_t entry(GLOBAL const key_t *matrix, i32 n, i32 i, i32 j, num_t infinity)
{
    return i < n && j < n ? NUMBER(matrix[i * (i64)n + j]) : infinity;
}

// Write the lightest arcs in the rows from `first` up to `last`. One group per row, in strides; `all`: every vertex is
// wanted.
KERNEL void floyd_fill(
    GLOBAL const offset_t *offsets, GLOBAL const i32 *arcs, GLOBAL const i32 *wanted, i32 all, i32 n, i32 first,
    i32 last, num_t infinity, GLOBAL key_t *matrix)
{
    for (i32 u = first + GROUP_ID; u < last; u += GROUPS) {
        GLOBAL key_t *row = matrix + u * (i64)n;
        for (i32 v = LOCAL_ID; v < n; v += LOCAL_SIZE) row[v] = v == u ? 0 : key_of(infinity);
        BARRIER();
        const i64 end = all || wanted[u] ? offsets[u + 1] : offsets[u];
        for (i64 e = offsets[u] + LOCAL_ID; e < end; e += LOCAL_SIZE)
            if (LESS(weight_of(arcs, e), infinity))     // plus 0: the key of -0.0 differs
                ATOMIC_MIN(&row[head_of(arcs, e)], key_of(SUM(weight_of(arcs, e), 0)));
        BARRIER();
#if DIST > 2
        for (i32 v = LOCAL_ID; v < n; v += LOCAL_SIZE) row[v] = BITS(value_of(row[v]));
#endif
    }
}

// Close the corner of a round. One group.
KERNEL void floyd_corner(GLOBAL key_t *matrix, i32 n, i32 own, num_t infinity, i32 careful, GLOBAL i32 *met)
{
    LOCAL_ARRAY num_t square[TILE * TILE];
    const i32 begin = own * TILE;
    for (u32 x = LOCAL_ID; x < TILE * TILE; x += LOCAL_SIZE)
        square[x] = entry(matrix, n, begin + x / TILE, begin + x % TILE, infinity);
    int is_fine = 1;
    for (i32 k = 0; k < TILE; k++) {
        BARRIER();
        if (LESS(square[k * TILE + k], 0)) is_fine = 0;      // else entries would double in every step
        for (u32 x = LOCAL_ID; is_fine && x < TILE * TILE; x += LOCAL_SIZE) {
            const num_t before = square[x];
            const num_t after = lesser(before, square[x / TILE * TILE + k], square[k * TILE + x % TILE], careful);
            if (LESS(after, before)) square[x] = after;      // never in row or column k, which other work-items read now
        }
    }
    BARRIER();
    for (u32 x = LOCAL_ID; x < TILE * TILE; x += LOCAL_SIZE) {
        const i32 i = begin + x / TILE, j = begin + x % TILE;
        if (i < n && j < n) matrix[i * (i64)n + j] = BITS(square[x]);
    }
    if (LOCAL_ID == 0 && !is_fine) met[0] = 1;
}

// Relax some tiles over the paths through the round's vertices, one group per tile, in strides. `cross`: the tiles of
// the round's row, then those of its column; else all others.
KERNEL void floyd_tiles(
    GLOBAL key_t *matrix, i32 n, i32 own, i32 cross, i64 first, i64 last, num_t infinity, i32 careful)
{
    LOCAL_ARRAY num_t left[TILE * (DEPTH + 1)];     // one extra column: rows begin in different banks
    LOCAL_ARRAY num_t right[DEPTH * TILE];
    const i32 others = (n + TILE - 1) / TILE - 1;
    for (i64 t = first + GROUP_ID; t < last; t += GROUPS) {
        i32 upper = (i32)(t / others), lower = (i32)(t - upper * (i64)others);
        if (lower >= own) lower++;
        if (cross && upper) upper = lower, lower = own;
        else if (cross) upper = own;
        else if (upper >= own) upper++;
        for (i32 part = 0; part < TILE; part += DEPTH) {
            const i32 begin = own * TILE + part;
            BARRIER();
            for (u32 x = LOCAL_ID; x < TILE * DEPTH; x += LOCAL_SIZE) {
                left[x / DEPTH * (DEPTH + 1) + x % DEPTH] =
                    entry(matrix, n, upper * TILE + x / DEPTH, begin + x % DEPTH, infinity);
                right[x] = entry(matrix, n, begin + x / TILE, lower * TILE + x % TILE, infinity);
            }
            BARRIER();
            for (u32 x = LOCAL_ID; x < SPREAD * SPREAD; x += LOCAL_SIZE) {
                const i32 row = x / SPREAD * SIDE, column = x % SPREAD;
                num_t best[SIDE][SIDE], a[SIDE], b[SIDE];
                for (i32 r = 0; r < SIDE; r++)
                    for (i32 c = 0; c < SIDE; c++)
                        best[r][c] =
                            entry(matrix, n, upper * TILE + row + r, lower * TILE + column + c * SPREAD, infinity);
                for (i32 k = 0; k < DEPTH; k++) {
                    for (i32 r = 0; r < SIDE; r++) a[r] = left[(row + r) * (DEPTH + 1) + k];
                    for (i32 c = 0; c < SIDE; c++) b[c] = right[k * TILE + column + c * SPREAD];
                    for (i32 r = 0; r < SIDE; r++)
                        for (i32 c = 0; c < SIDE; c++) best[r][c] = lesser(best[r][c], a[r], b[c], careful);
                }
                for (i32 r = 0; r < SIDE; r++)
                    for (i32 c = 0; c < SIDE; c++) {
                        const i32 i = upper * TILE + row + r, j = lower * TILE + column + c * SPREAD;
                        if (i < n && j < n) matrix[i * (i64)n + j] = BITS(best[r][c]);
                    }
            }
        }
    }
}

// Write rows as keys: one per source (`apart`), at the first starting distance, or a single one with the least of the
// starting distances plus the distances from the sources. What is not below `far` or not below the ceiling is unreached.
// One work-item per column from `first` up to `last`.
KERNEL void floyd_rows(
    GLOBAL const key_t *matrix, i32 n, GLOBAL const i32 *sources, GLOBAL const key_t *starts, i32 count, i32 apart,
    i32 first, i32 last, num_t far, key_t ceiling, GLOBAL key_t *dist)
{
    const sum_t end = value_of(ceiling);
    for (i64 v = first + (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID; v < last; v += (i64)GROUPS * LOCAL_SIZE) {
        sum_t least = end;
        for (i32 s = 0; s < count; s++) {
            const num_t found = NUMBER(matrix[sources[s] * (i64)n + v]);
            const sum_t start = value_of(starts[apart ? 0 : s]);
#if DIST <= 2
            const int is_lower = found < least - start;      // the sum might wrap
#else
            const int is_lower = LESS(SUM(start, found), least);
#endif
            if (LESS(found, far) && is_lower) least = SUM(start, found);
            if (apart || s == count - 1) {
                dist[apart * s * (i64)n + v] = LESS(least, end) ? key_of(least) : ceiling;
                least = end;
            }
        }
    }
}
