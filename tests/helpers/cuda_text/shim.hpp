// CUDA's words for g++: what the program text with cuda.h needs to run on a CPU, unmodified.
//
// A block runs in one system thread, and each of its threads is a fiber: a stack of its own, and a jump to the next
// fiber at a barrier, at the end, or at random before an atomic. Several system threads take the blocks of a launch.
// So blocks really run at the same time, and the threads of a block in an order that changes.
//
// What is checked: a barrier must be reached by all threads of a block at the same line. A block must end. Number, size
// and kind of the arguments must be those of the kernel. ThreadSanitizer is told of fibers and barriers. A volatile load is a relaxed
// atomic one for it, a plain load beside an atomic is a race. Shared memory of a block is thread_local.
//
// NF_FLUSH: floats are flushed to zero as -ftz=true does, which CuPy always sets (class Flushed).

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
extern "C" void __tsan_acquire(void *);
extern "C" void __tsan_release(void *);
#define NF_THREADS(call) call
#else
#define NF_THREADS(call)
#endif
// Our own code is not what is checked; frames of a fiber must also not be entered in the sanitizers' records of stacks.
#define NF_QUIET __attribute__((no_sanitize("thread", "address", "undefined"), noinline))

// ---------------------------------------------------------------- fibers

enum State { RUNNING, WAITING, ENDED };
const size_t NF_STACK = 1 << 16;

// A switch to another stack. swapcontext would do, but calls the system each time and takes 25 times as long.
#if defined(__x86_64__)
typedef void **Context;         // the stack, with the registers that a call must keep on top
extern "C" __attribute__((visibility("hidden"))) void nf_switch(Context *from, const Context *to);
asm(".text\n"
    "nf_switch:\n"
    "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "mov %rsp, (%rdi)\n mov (%rsi), %rsp\n"
    "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
    "ret\n");

NF_QUIET static void nf_begin(Context *context, char *stack, void (*entry)())
{
    void **top = (void **)((size_t)(stack + NF_STACK) & ~(size_t)15);
    top[-1] = nullptr;          // entry never returns
    top[-2] = (void *)entry;
    for (int i = 3; i <= 8; i++) top[-i] = nullptr;
    *context = top - 8;
}
#else
typedef ucontext_t Context;
NF_QUIET static void nf_switch(Context *from, const Context *to) { swapcontext(from, to); }

NF_QUIET static void nf_begin(Context *context, char *stack, void (*entry)())
{
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = NF_STACK;
    context->uc_link = nullptr;
    makecontext(context, entry, 0);
}
#endif

struct Fiber {
    Context context;                // where it goes on
    std::unique_ptr<char[]> stack{new char[NF_STACK]};
    State state = ENDED;
    int line = 0;                   // of the barrier that it waits at
    int barriers = 0;
    void *tsan = nullptr;
};

struct Block {
    std::vector<Fiber> fibers;
    Context home;                   // the loop that chooses the next fiber
    void *home_tsan = nullptr;
    int now = 0;                    // the fiber that runs
    unsigned id = 0, blocks = 0, seed = 1;
    char gates[2] = {0, 0};         // ThreadSanitizer: a barrier is passed when all have come; two take turns
    void (*body)(void *) = nullptr;
    void *closure = nullptr;

    NF_QUIET unsigned draw() { return (seed = seed * 1664525u + 1013904223u) >> 8; }
    NF_QUIET Fiber &fiber() { return fibers[now]; }
};

static thread_local Block *nf_block;
static int nf_yield = 0;                        // on average, one in so many accesses yields; 0: none does
static std::atomic<int> nf_divergences{0};
static std::atomic<bool> nf_is_endless{false};
const int NF_MOST_TURNS = 1 << 18;              // of all threads of a block; a kernel that takes more has no end

NF_QUIET static void nf_go_home()
{
    Block *block = nf_block;
    NF_THREADS(__tsan_switch_to_fiber(block->home_tsan, __tsan_switch_to_fiber_no_sync));
    nf_switch(&block->fiber().context, &block->home);
}

NF_QUIET static void nf_maybe_yield()
{
    if (nf_yield && nf_block && nf_block->draw() % nf_yield == 0) nf_go_home();
}

NF_QUIET static void nf_barrier(int line)
{
    Fiber &fiber = nf_block->fiber();
    char *gate = &nf_block->gates[fiber.barriers++ & 1];
    (void)gate;
    NF_THREADS(__tsan_release(gate));
    fiber.state = WAITING;
    fiber.line = line;
    nf_go_home();
    NF_THREADS(__tsan_acquire(gate));
}

NF_QUIET static void nf_entry()
{
    NF_THREADS(__tsan_acquire(nf_block->gates));
    nf_block->body(nf_block->closure);
    NF_THREADS(__tsan_release(nf_block->gates));
    nf_block->fiber().state = ENDED;
    nf_go_home();
}

NF_QUIET static void nf_resume(Block *block, int index)
{
    Fiber &fiber = block->fibers[index];
    block->now = index;
    NF_THREADS(__tsan_switch_to_fiber(fiber.tsan, __tsan_switch_to_fiber_no_sync));
    nf_switch(&block->home, &fiber.context);
}

NF_QUIET static void nf_prepare(Fiber &fiber)
{
    nf_begin(&fiber.context, fiber.stack.get(), nf_entry);
    fiber.state = RUNNING;
    fiber.barriers = 0;
    NF_THREADS(if (!fiber.tsan) fiber.tsan = __tsan_create_fiber(0));
}

// Open a barrier that all fibers have reached; on a GPU, a block where some have ended or wait elsewhere may hang.
NF_QUIET static void nf_open_barrier(Block *block)
{
    const int line = block->fibers[0].line;
    bool is_same = true;
    for (auto &fiber : block->fibers) {
        is_same &= fiber.state == WAITING && fiber.line == line;
        if (fiber.state == WAITING) fiber.state = RUNNING;
    }
    if (!is_same) {
        fprintf(stderr, "BARRIER DIVERGENCE: block %u, line %d\n", block->id, line);
        nf_divergences++;
    }
}

NF_QUIET static void nf_run_block(Block *block, unsigned id)
{
    const int size = block->fibers.size();
    nf_block = block;
    block->id = id;
    NF_THREADS(block->home_tsan = __tsan_get_current_fiber());
    NF_THREADS(__tsan_release(block->gates));
    for (auto &fiber : block->fibers) nf_prepare(fiber);
    for (int turn = 0;; turn++) {
        int ended = 0, running = 0;
        const int first = block->draw() % size, step = block->draw() & 1 ? 1 : size - 1;    // forwards or backwards
        for (int i = 0, k = first; i < size; i++, k = (k + step) % size) {
            if (block->fibers[k].state == RUNNING) nf_resume(block, k);
            ended += block->fibers[k].state == ENDED;
            running += block->fibers[k].state == RUNNING;
        }
        if (ended == size) break;
        if (turn == NF_MOST_TURNS) {        // its threads are left where they are
            nf_is_endless = true;
            break;
        }
        if (!running) nf_open_barrier(block);
    }
    NF_THREADS(__tsan_acquire(block->gates));
    nf_block = nullptr;
}

struct Launch {
    unsigned blocks;
    int size, workers;
    unsigned seed;
};

NF_QUIET static void nf_take_blocks(Block *block, std::atomic<unsigned> *next)
{
    for (unsigned id; (id = next->fetch_add(1, std::memory_order_relaxed)) < block->blocks;) nf_run_block(block, id);
}

// Run a kernel: the caller and further threads take its blocks. Fibers are kept for the next launch, since it takes
// ThreadSanitizer long to make one.
NF_QUIET static void nf_launch(void (*body)(void *), void *closure, const Launch &launch)
{
    static std::mutex one_at_a_time;
    static auto &kept = *new std::map<int, std::vector<Block>>;     // by the size of a block; never destroyed
    std::lock_guard<std::mutex> guard(one_at_a_time);
    std::vector<Block> &team = kept[launch.size];
    if (team.size() < (size_t)launch.workers) team = std::vector<Block>(launch.workers);
    std::atomic<unsigned> next{0};
    for (int w = 0; w < launch.workers; w++) {
        team[w].fibers.resize(launch.size);
        team[w].blocks = launch.blocks;
        team[w].seed = launch.seed * 7919u + w;
        team[w].body = body;
        team[w].closure = closure;
    }
    std::vector<std::thread> threads;
    for (int w = 1; w < launch.workers && (unsigned)w < launch.blocks; w++)
        threads.emplace_back(nf_take_blocks, &team[w], &next);
    nf_take_blocks(&team[0], &next);
    for (auto &thread : threads) thread.join();
}

// ---------------------------------------------------------------- words

struct dim3 {
    unsigned x, y, z;
};
NF_QUIET static dim3 nf_thread() { return {(unsigned)nf_block->now, 0, 0}; }
NF_QUIET static dim3 nf_threads() { return {(unsigned)nf_block->fibers.size(), 1, 1}; }
NF_QUIET static dim3 nf_block_id() { return {nf_block->id, 0, 0}; }
NF_QUIET static dim3 nf_blocks() { return {nf_block->blocks, 1, 1}; }
#define threadIdx nf_thread()
#define blockDim nf_threads()
#define blockIdx nf_block_id()
#define gridDim nf_blocks()
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local
#define __syncthreads() nf_barrier(__LINE__)
#define key_t nf_key_t          // the system's headers have a key_t, too

template <class T> static inline T atomicMin(T *address, T value)
{
    nf_maybe_yield();
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(address, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    return old;
}

template <class T> static inline T atomicAdd(T *address, T amount)
{
    nf_maybe_yield();
    return __atomic_fetch_add(address, amount, __ATOMIC_RELAXED);
}

template <class T> static inline T atomicExch(T *address, T value)
{
    nf_maybe_yield();
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
}

#if defined(__SANITIZE_THREAD__) // needs --param=tsan-distinguish-volatile=1
template <class T> static inline void nf_volatile_load(void *address)
{
    nf_maybe_yield();
    (void)__atomic_load_n((T *)address, __ATOMIC_RELAXED);
}
extern "C" void __tsan_volatile_read4(void *address) { nf_volatile_load<int>(address); }
extern "C" void __tsan_volatile_read8(void *address) { nf_volatile_load<long>(address); }
extern "C" void __tsan_unaligned_volatile_read4(void *address) { nf_volatile_load<int>(address); }
extern "C" void __tsan_unaligned_volatile_read8(void *address) { nf_volatile_load<long>(address); }
#endif

// ---------------------------------------------------------------- floats

template <class To, class From> static inline To nf_same_bits(From value)
{
    static_assert(sizeof(To) == sizeof(From), "bits of another size");
    To bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float nf_flush(float value)
{
    return __builtin_fabsf(value) < __FLT_MIN__ ? __builtin_copysignf(0.0f, value) : value;
}

// A float of CUDA compiled with -ftz=true: what is computed with has no subnormal operands and results. Copies keep all
// bits. float64 has no such mode.
struct Flushed {
    float exact;

    Flushed() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> Flushed(T value) : exact(nf_flush((float)value)) {}
    explicit operator double() const { return nf_flush(exact); }
    friend Flushed operator+(Flushed a, Flushed b) { return nf_flush(a.exact) + nf_flush(b.exact); }
    friend Flushed operator-(Flushed a, Flushed b) { return nf_flush(a.exact) - nf_flush(b.exact); }
    friend bool operator<(Flushed a, Flushed b) { return nf_flush(a.exact) < nf_flush(b.exact); }
    friend bool operator>(Flushed a, Flushed b) { return b < a; }
    friend bool operator<=(Flushed a, Flushed b) { return nf_flush(a.exact) <= nf_flush(b.exact); }
    friend bool operator>=(Flushed a, Flushed b) { return b <= a; }
    friend bool operator==(Flushed a, Flushed b) { return nf_flush(a.exact) == nf_flush(b.exact); }
};

#if defined(NF_FLUSH)
typedef Flushed nf_float;
#else
typedef float nf_float;
#endif
static inline int __float_as_int(nf_float value) { return nf_same_bits<int>(value); }
static inline nf_float __int_as_float(int bits) { return nf_same_bits<nf_float>(bits); }
static inline long long __double_as_longlong(double value) { return nf_same_bits<long long>(value); }
static inline double __longlong_as_double(long long bits) { return nf_same_bits<double>(bits); }

// The instructions that cuda.h names, carried out as the manual of PTX says: with .ftz they flush, without they do not.
static inline void nf_ptx(const char *instruction, nf_float &result, nf_float first, nf_float second)
{
    float a = nf_same_bits<float>(first), b = nf_same_bits<float>(second), c;
    const bool flushes = strstr(instruction, ".ftz");
    if (flushes) a = nf_flush(a), b = nf_flush(b);
    if (!strncmp(instruction, "add.rn.", 7)) c = a + b;
    else if (!strncmp(instruction, "min.", 4)) c = b < a ? b : a;
    else fprintf(stderr, "the shim does not know %s\n", instruction), abort();
    result = nf_same_bits<nf_float>(flushes ? nf_flush(c) : c);
}
static inline void nf_ptx(const char *instruction, double &result, nf_float value)
{
    const float exact = nf_same_bits<float>(value);
    if (strcmp(instruction, "cvt.f64.f32")) fprintf(stderr, "the shim does not know %s\n", instruction), abort();
    result = exact;
}
#define PTX_OF_TWO(instruction, result, a, b) nf_ptx(instruction, result, a, b)
#define PTX_WIDEN(instruction, result, a) nf_ptx(instruction, result, a)
#define float nf_float

// ---------------------------------------------------------------- launches

// The kind of an argument and its size, as standin.py counts them.
template <class T> constexpr int nf_kind()
{
    constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, Flushed>;
    return (std::is_pointer_v<T> ? 100 : is_float ? 200 : 300) + (int)sizeof(T);
}

template <class... A> struct Call {
    void (*kernel)(A...);
    void **arguments;
};

template <class... A, size_t... I> static void nf_spread(Call<A...> *call, std::index_sequence<I...>)
{
    call->kernel(*(A *)call->arguments[I]...);
}

template <class... A> static void nf_body(void *call)
{
    nf_spread((Call<A...> *)call, std::index_sequence_for<A...>());
}

// Launch a kernel. Returns the number of divergences; -1000 - wanted if the number of arguments is wrong, -1 - i if
// the kind of argument i is, -999 if a block did not end.
template <class... A>
static int nf_call(void (*kernel)(A...), void **arguments, const int *kinds, int count, const Launch &launch)
{
    const int wanted[] = {nf_kind<A>()..., 0};
    if (count != (int)sizeof...(A)) return -1000 - (int)sizeof...(A);
    for (int i = 0; i < count; i++)
        if (kinds[i] != wanted[i]) return -1 - i;
    Call<A...> call{kernel, arguments};
    const int before = nf_divergences;
    nf_launch(nf_body<A...>, &call, launch);
    return nf_is_endless.exchange(false) ? -999 : nf_divergences - before;
}

extern "C" void nf_set_yield(int every) { nf_yield = every; }
#define NF_EXPORT(name)                                                                                             \
    extern "C" int nf_call_##name(                                                                                  \
        void **arguments, const int *kinds, int count, unsigned blocks, int size, int workers, unsigned seed)       \
    {                                                                                                               \
        return nf_call(name, arguments, kinds, count, Launch{blocks, size, workers, seed});                         \
    }
