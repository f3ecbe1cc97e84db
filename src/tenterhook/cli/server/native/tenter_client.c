/* The native client of `tenter serve`: what client.py does, at the price of a process start.
 *
 * It hands a call to the server, prints what the server says and exits as it says. The protocol is described in
 * protocol.py, the record of the Python command's start in start_record.py. Where it has the least doubt, it executes
 * the Python command, which is the script `tenter` in the same folder; once the server has the whole request it says so
 * in TENTERHOOK_NATIVE, and the Python command repeats nothing.
 *
 * tests/cli/server/test_native_client.py compares the constants with those in Python.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#ifdef __linux__
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#endif

extern char **environ;

#define SCRIPT "tenter"
#define NATIVE "TENTERHOOK_NATIVE"
#define ALONE "alone"
#define DIED "died"
#define COULD_NOT_RUN 1
#define REFUSED 2

enum stdin_use { SENDS_STDIN, PASSES_STREAMS };

/* The commands that a server may run, if the record names them too. What a guard's command says of its own failure is
 * REFUSED, because agents take any other exit code for permission. */
static const struct command {
    const char *name;
    enum stdin_use input;
    int failure;
} COMMANDS[] = {
    {"fire", SENDS_STDIN, COULD_NOT_RUN},
    {"hook", PASSES_STREAMS, REFUSED},
    {"run", SENDS_STDIN, REFUSED},
};

static char **arguments; /* after the program's own name */
static const struct command *command;
static char program[PATH_MAX];

static _Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "tenter: %s: %s\n", what, why);
    _exit(command != NULL ? command->failure : COULD_NOT_RUN);
}

/* Find our own file, behind all links: the Python command lies beside it. */
static void find_program(const char *name)
{
#if defined(__linux__)
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        return;
    }
#elif defined(__APPLE__)
    char started[PATH_MAX];
    uint32_t size = sizeof started;
    if (_NSGetExecutablePath(started, &size) == 0 && realpath(started, program) != NULL)
        return;
#endif
    if (strchr(name, '/') == NULL || realpath(name, program) == NULL)
        fail(name, "its own file cannot be found; call it by its whole path");
}

#ifdef __linux__
struct buffer {
    unsigned char *data;
    size_t used, size;
};

static struct buffer input; /* what was read of stdin */
static bool input_was_read;
static struct sigaction pipe_action; /* what the caller wanted of SIGPIPE */
static bool pipe_is_ignored;

static void give_back_input(void);
#endif

/* Execute the Python command. `found` is what it is told in TENTERHOOK_NATIVE; NULL for nothing. */
static _Noreturn void run_python(const char *found)
{
    char script[PATH_MAX + sizeof SCRIPT];
    const char *slash = strrchr(program, '/');
    int length = slash == NULL ? 0 : (int)(slash - program) + 1;

    snprintf(script, sizeof script, "%.*s%s", length, program, SCRIPT);
#ifdef __linux__
    if (input_was_read)
        give_back_input();
    if (pipe_is_ignored)
        sigaction(SIGPIPE, &pipe_action, NULL);
#endif
    if (found != NULL && setenv(NATIVE, found, 1) != 0)
        fail(NATIVE, strerror(errno));
    arguments[-1] = script;
    execv(script, arguments - 1);
    fail(script, strerror(errno));
}

#ifdef __linux__

static volatile sig_atomic_t caught;
static volatile sig_atomic_t answering = -1; /* the connection, once the server has the whole request */

/* Let the Python command do it; or, if the server may have done it already, say that the result is unknown. */
static _Noreturn void doubt(void)
{
    bool died = answering >= 0;

    answering = -1;
    run_python(died ? DIED : ALONE);
}

#define SWITCH "TENTERHOOK_SERVE"
#define FORMAT "tenterhook native 1"
#define PREFIX "native."
#define KEY 32
#define DIGEST 8
#define LENGTH 8
#define HEAD (KEY + DIGEST + 3 * LENGTH)
#define FRAME (1 + LENGTH)
#define HELLO '+'
#define NOT_HERE 'N'
#define AGAIN 'A'
#define STDERR 'E'
#define END 'X'
#define PATIENCE 2 /* seconds until the greeting */
#define ENDING 10  /* seconds until hooks have ended */
#define TRIES 5
#define LARGEST ((size_t)64 << 20)
#define CHUNK ((size_t)1 << 16)
#define EARLY ((size_t)1 << 16) /* what a socket takes although nobody reads it */
#define RECORD ((size_t)1 << 15)
#define LIMITS ((size_t)1 << 14)
#define MOST_VARIABLES 65536
#define HEX 16

static const char *const OFF[] = {"off", "0", "no", "false"};
static const char *const FLAGS[] = {"--trust", "--require-trusted", "--unattended", "--json"};
static const char *const NAMESPACES[] = {"mnt", "net", "user", "pid", "ipc", "uts"};
/* Python finds its modules with these, from the current folder if they are relative. */
static const char *const SEARCHED[] = {"PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE"};
/* Python ignores these signals from its start on. */
static const int IGNORED_BY_PYTHON[] = {SIGPIPE, SIGXFSZ};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- bytes */

/* Make room for so many bytes more. Nothing here is ever larger than the server takes. */
static void reserve(struct buffer *buffer, size_t more)
{
    size_t size = buffer->size > 0 ? buffer->size : CHUNK;
    unsigned char *data;

    if (more > LARGEST + CHUNK || buffer->used > LARGEST)
        doubt();
    while (size < buffer->used + more)
        size *= 2;
    if (size == buffer->size)
        return;
    data = realloc(buffer->data, size);
    if (data == NULL)
        doubt();
    buffer->data = data;
    buffer->size = size;
}

static void add(struct buffer *buffer, const void *data, size_t size)
{
    reserve(buffer, size);
    memcpy(buffer->data + buffer->used, data, size);
    buffer->used += size;
}

/* Add text and the NUL byte that ends it. */
static void add_text(struct buffer *buffer, const char *text)
{
    add(buffer, text, strlen(text) + 1);
}

static void put_number(unsigned char *place, uint64_t number)
{
    for (int n = 0; n < LENGTH; n++)
        place[n] = (unsigned char)(number >> (8 * n));
}

static uint64_t number_at(const unsigned char *place, size_t bytes)
{
    uint64_t number = 0;

    for (size_t n = 0; n < bytes; n++)
        number |= (uint64_t)place[n] << (8 * n);
    return number;
}

static uint64_t turn(uint64_t number, int bits)
{
    return number << bits | number >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turn(v[1], 17) ^ v[2];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

/* SipHash-1-3 with the key 0, as _imp.source_hash makes it. */
static void name_bytes(const struct buffer *buffer, unsigned char name[DIGEST])
{
    uint64_t v[4] = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573};
    size_t whole = buffer->used & ~(size_t)7;
    uint64_t word;

    for (size_t place = 0; place <= whole; place += 8) {
        if (place < whole)
            word = number_at(buffer->data + place, 8);
        else
            word = (uint64_t)buffer->used << 56 | number_at(buffer->data + place, buffer->used - whole);
        v[3] ^= word;
        mix(v, 1);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    mix(v, 3);
    put_number(name, v[0] ^ v[1] ^ v[2] ^ v[3]);
}

static void put_hex(char *place, const unsigned char name[DIGEST])
{
    for (int n = 0; n < DIGEST; n++)
        snprintf(place + 2 * n, 3, "%02x", name[n]);
}

/* ---- stdin */

/* Read a part of stdin, at most CHUNK; 0 at its end. */
static size_t read_part(unsigned char *data)
{
    struct pollfd waiting = {.fd = 0, .events = POLLIN};
    ssize_t got;

    while ((got = read(0, data, CHUNK)) < 0) {
        if (errno == EAGAIN)
            poll(&waiting, 1, -1);
        else if (errno != EINTR) {
            input_was_read = false; /* the Python command meets the same error */
            doubt();
        }
    }
    return (size_t)got;
}

/* Read all of stdin; if it is more than the server takes, the Python command gets it. */
static void read_input(void)
{
    size_t got = 1;

    while (!input_was_read && got > 0) {
        reserve(&input, CHUNK);
        got = read_part(input.data + input.used);
        input.used += got;
        if (input.used > LARGEST) {
            input_was_read = true;
            doubt();
        }
    }
    input_was_read = true;
}

static void keep_input(int file, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(file, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            fail("what was read from stdin cannot be kept", strerror(errno));
        data += put;
        size -= (size_t)put;
    }
}

/* Make stdin what it was before we read it, for the Python command. */
static void give_back_input(void)
{
    unsigned char part[CHUNK];
    int file = memfd_create("stdin", MFD_CLOEXEC);
    size_t got;

    keep_input(file, input.data, input.used);
    if (input.used > LARGEST) /* there may be more of it */
        while ((got = read_part(part)) > 0)
            keep_input(file, part, got);
    if (file < 0 || lseek(file, 0, SEEK_SET) != 0 || dup2(file, 0) != 0)
        fail("what was read from stdin cannot be kept", strerror(errno));
}

/* ---- what this call is */

typedef int comparison(const char *, const char *);

static bool is_one_of(const char *text, const char *const *words, size_t count, comparison *compare)
{
    for (size_t n = 0; n < count; n++)
        if (compare(text, words[n]) == 0)
            return true;
    return false;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the command reads stdin, as reads() in client.py. What only the command itself can tell, it does. */
static bool reads_input(void)
{
    bool reads = true;

    for (int n = 0; arguments[n] != NULL; n++)
        if (strcmp(arguments[n], "-h") == 0 || strcmp(arguments[n], "--help") == 0)
            doubt();
    for (int n = 1; reads && arguments[n] != NULL; n++) {
        const char *before = arguments[n - 1];
        if (strcmp(arguments[n], "--input") != 0 && !begins_with(arguments[n], "--input="))
            continue;
        if (begins_with(before, "--") && strchr(before, '=') == NULL && !is_one_of(before, FLAGS, COUNT(FLAGS), strcmp))
            doubt();
        reads = false;
    }
    return reads;
}

static const char **variables; /* the environment as Python keeps it, sorted */
static size_t count_of_variables;

static int compare_text(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void sort_variables(void)
{
    qsort(variables, count_of_variables, sizeof *variables, compare_text);
}

static void read_variables(void)
{
    size_t count = 0;

    while (environ[count] != NULL)
        count++;
    if (count > MOST_VARIABLES)
        doubt();
    variables = calloc(count + 2, sizeof *variables);
    if (variables == NULL)
        doubt();
    for (size_t n = 0; n < count; n++)
        if (strchr(environ[n], '=') != NULL)
            variables[count_of_variables++] = environ[n];
    sort_variables();
    for (size_t n = 1; n < count_of_variables; n++) {
        size_t length = (size_t)(strchr(variables[n], '=') - variables[n]) + 1;
        if (strncmp(variables[n - 1], variables[n], length) == 0)
            doubt(); /* which of the two counts is for Python to say */
    }
}

/* Set LC_CTYPE as Python does at its start; an empty entry stands for none. */
static void set_locale(const char *entry)
{
    size_t kept = 0;

    for (size_t n = 0; n < count_of_variables; n++)
        if (!begins_with(variables[n], "LC_CTYPE="))
            variables[kept++] = variables[n];
    if (*entry != '\0')
        variables[kept++] = entry;
    count_of_variables = kept;
    sort_variables();
}

/* The name of the record: a hash of what decides how Python starts. */
static void name_record(char record[])
{
    static const char *const starts[] = {"HOME=", "LANG=", "LC_ALL=", "LC_CTYPE=", "PYTHON"};
    struct buffer about = {NULL, 0, 0};
    unsigned char name[DIGEST];
    char cwd[PATH_MAX];

    add_text(&about, program);
    for (size_t n = 0; n < count_of_variables; n++)
        for (size_t start = 0; start < COUNT(starts); start++)
            if (begins_with(variables[n], starts[start]))
                add_text(&about, variables[n]);
    for (size_t n = 0; n < COUNT(SEARCHED); n++)
        if (getenv(SEARCHED[n]) != NULL) {
            if (getcwd(cwd, sizeof cwd) == NULL)
                doubt();
            add_text(&about, cwd);
        }
    name_bytes(&about, name);
    put_hex(record, name);
    free(about.data);
}

/* ---- the server's folder */

/* Whether a file or folder is open to us alone. */
static bool is_safe(int file)
{
    struct stat about;

    return fstat(file, &about) == 0 && about.st_uid == geteuid() && (about.st_mode & 077) == 0;
}

/* Read a small file of the folder; -1 if it is not there, or not ours alone. */
static ssize_t read_file(int folder, const char *name, char *data, size_t size)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = -1;

    if (file < 0)
        return -1;
    if (is_safe(file))
        got = read(file, data, size);
    close(file);
    return got;
}

struct record {
    char data[RECORD + 1];
    const char *server, *commands, *out, *err, *locale, *paths, *end;
};

/* The part of a record at a place, and the place after it; NULL if it is not whole. */
static const char *next_part(const char **place, const char *end)
{
    const char *part = *place;
    const char *found = part < end ? memchr(part, '\0', (size_t)(end - part)) : NULL;

    if (found == NULL)
        return NULL;
    *place = found + 1;
    return part;
}

static bool split_record(struct record *record, size_t size)
{
    const char *place = record->data, *format;
    const char **parts[] = {&format, &record->server, &record->commands, &record->out, &record->err, &record->locale};

    record->end = record->data + size;
    for (size_t n = 0; n < COUNT(parts); n++) {
        *parts[n] = next_part(&place, record->end);
        if (*parts[n] == NULL)
            return false;
    }
    record->paths = place;
    return strcmp(format, FORMAT) == 0 && strlen(record->server) == HEX &&
           strspn(record->server, "0123456789abcdef") == HEX;
}

/* Whether every file that decides how Python starts is as it was. */
static bool is_current(const struct record *record)
{
    const char *place = record->paths;
    const char *path, *expected;
    char found[64];
    struct stat about;

    while (place < record->end) {
        path = next_part(&place, record->end);
        expected = path == NULL ? NULL : next_part(&place, record->end);
        if (expected == NULL || stat(path, &about) != 0)
            return false;
        snprintf(found, sizeof found, "%lld %llu",
                 (long long)about.st_mtim.tv_sec * 1000000000LL + about.st_mtim.tv_nsec,
                 (unsigned long long)about.st_ino);
        if (strcmp(found, expected) != 0)
            return false;
    }
    return true;
}

static int open_folder(const char *base, const char *rest)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s", base, rest);
    int folder;

    if (length < 0 || (size_t)length >= sizeof path)
        return -1;
    folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && !is_safe(folder)) {
        close(folder);
        return -1;
    }
    return folder;
}

/* Open the server's folder and read the record that has this name in it. Without one the Python command is executed. */
static int find_record(const char *name, struct record *record)
{
    char file[sizeof PREFIX + HEX], spaced[16];
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int folders[] = {-1, -1};

    snprintf(file, sizeof file, "%s%s", PREFIX, name);
    snprintf(spaced, sizeof spaced, " %s ", command->name);
    if (runtime != NULL && *runtime == '/')
        folders[0] = open_folder(runtime, "/tenterhook");
    if (state != NULL && *state == '/')
        folders[1] = open_folder(state, "/tenterhook/serve");
    else if (home != NULL && *home == '/')
        folders[1] = open_folder(home, "/.local/state/tenterhook/serve");
    for (size_t n = 0; n < COUNT(folders); n++) {
        ssize_t size = folders[n] < 0 ? -1 : read_file(folders[n], file, record->data, sizeof record->data);
        if (size > 0 && (size_t)size <= RECORD && split_record(record, (size_t)size)) {
            if (strstr(record->commands, spaced) == NULL)
                doubt();
            if (is_current(record))
                return folders[n];
        }
    }
    run_python(name);
}

/* ---- the context */

static void add_limits(struct buffer *context)
{
    int file = open("/proc/self/limits", O_RDONLY | O_CLOEXEC);
    ssize_t got;

    reserve(context, LIMITS);
    got = file < 0 ? -1 : read(file, context->data + context->used, LIMITS);
    if (got < 0)
        doubt();
    context->used += (size_t)got;
    close(file);
}

static void add_place(struct buffer *context, const char *path)
{
    struct stat about;
    char text[64];

    if (stat(path, &about) != 0)
        doubt();
    snprintf(text, sizeof text, "%llu %llu", (unsigned long long)about.st_dev, (unsigned long long)about.st_ino);
    add_text(context, text);
}

/* The signals that Python would ignore, as /proc has them. */
static void add_ignored_signals(struct buffer *context)
{
    struct sigaction action;
    uint64_t ignored = 0;
    char text[HEX + 1];

    for (int number = 1; number <= 64; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            ignored |= (uint64_t)1 << (number - 1);
    for (size_t n = 0; n < COUNT(IGNORED_BY_PYTHON); n++)
        ignored |= (uint64_t)1 << (IGNORED_BY_PYTHON[n] - 1);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)ignored);
    add_text(context, text);
}

static void add_manners(struct buffer *context)
{
    mode_t mask = umask(077);
    char text[64];
    const char *comma = "";
    int niceness;
    cpu_set_t processors;

    umask(mask);
    errno = 0;
    niceness = getpriority(PRIO_PROCESS, 0);
    if (errno != 0 || sched_getaffinity(0, sizeof processors, &processors) != 0)
        doubt();
    add(context, text, (size_t)snprintf(text, sizeof text, "%u %d ", (unsigned)mask, niceness));
    for (int n = 0; n < CPU_SETSIZE; n++)
        if (CPU_ISSET(n, &processors)) {
            add(context, text, (size_t)snprintf(text, sizeof text, "%s%d", comma, n));
            comma = ",";
        }
    add_text(context, "");
}

static void add_namespaces(struct buffer *context)
{
    char path[64], target[64];

    for (size_t n = 0; n < COUNT(NAMESPACES); n++) {
        ssize_t length;
        snprintf(path, sizeof path, "/proc/self/ns/%s", NAMESPACES[n]);
        length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            doubt();
        target[length] = '\0';
        add_text(context, target);
    }
}

/* The same bytes as context() in client.py makes. */
static void make_context(struct buffer *context, const struct record *record)
{
    char cwd[PATH_MAX];

    if (getcwd(cwd, sizeof cwd) == NULL)
        doubt();
    add_text(context, command->name);
    add_text(context, cwd);
    add_place(context, ".");
    add_place(context, "/");
    add_ignored_signals(context);
    add_manners(context);
    add_namespaces(context);
    add_text(context, record->out);
    add_text(context, record->err);
    add_limits(context);
    for (size_t n = 0; n < count_of_variables; n++) {
        add(context, "", 1);
        add(context, variables[n], strlen(variables[n]));
    }
}

static void make_call(struct buffer *call)
{
    add(call, isatty(1) ? "1" : "0", 1);
    for (int n = 1; arguments[n] != NULL; n++) {
        add(call, "", 1);
        add(call, arguments[n], strlen(arguments[n]));
    }
}

/* ---- signals */

/* End at once; or, when hooks may run, hang up, so that the server ends them, and wait for that. */
static void leave(int number)
{
    int before = errno;

    if (answering < 0 || caught != 0)
        _exit(128 + number);
    caught = number;
    shutdown(answering, SHUT_WR);
    alarm(ENDING);
    errno = before;
}

static void give_up(int number)
{
    (void)number;
    _exit(128 + caught);
}

/* Handle a signal, if the caller left it at its default. System calls are not restarted. */
static void handle(int number)
{
    struct sigaction action = {.sa_handler = leave}, before;

    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

static void ignore_broken_pipes(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};

    pipe_is_ignored = sigaction(SIGPIPE, &action, &pipe_action) == 0;
}

static void begin_answer(int wire)
{
    struct sigaction action = {.sa_handler = give_up};
    sigset_t alarms;

    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigaction(SIGALRM, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    answering = wire;
    if (command->input == SENDS_STDIN) {
        handle(SIGTERM);
        handle(SIGHUP);
    }
}

/* ---- the connection */

enum { NONE = -1, BUSY = -2 };

static long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool wait_for_greeting(int wire)
{
    struct pollfd waiting = {.fd = wire, .events = POLLIN};
    long end = milliseconds() + PATIENCE * 1000, left = PATIENCE * 1000;
    int ready = -1;

    while (ready < 0 && left > 0) {
        ready = poll(&waiting, 1, (int)left);
        if (ready < 0 && errno != EINTR)
            return false;
        left = end - milliseconds();
    }
    return ready > 0;
}

static bool send_request(int wire, struct iovec *parts, size_t count);

/* A request. It is sent whole; early: before the greeting. */
struct request {
    struct iovec parts[4];
    bool early;
};

/* Give up on a server that has not greeted in time, and take back the request, if it was sent. If the server has greeted
 * meanwhile, it may do what was asked, and the result is unknown; from now on it cannot greet, and does nothing then. */
static void take_back(int wire)
{
    char greeting;

    shutdown(wire, SHUT_RDWR);
    if (recv(wire, &greeting, 1, MSG_DONTWAIT) == 1) {
        answering = wire;
        doubt();
    }
}

/* Send a copy of the request, because it may be sent again to another server. */
static bool send_copy(int wire, const struct request *request)
{
    struct request copy = *request;

    return send_request(wire, copy.parts, COUNT(copy.parts));
}

/* Connect, and wait for the greeting of our own user's process; NONE if no server listens, BUSY if it has no time.
 *
 * A small request is sent at once, which saves the server a turn. It begins nothing before it has greeted. */
static int connect_to(int folder, const char *name, const struct request *request)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer;
    socklen_t size = sizeof peer;
    char greeting;
    int wire = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int result = NONE;

    if (wire < 0)
        return BUSY;
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
    if (connect(wire, (struct sockaddr *)&address, sizeof address) != 0) {
        if (errno == EAGAIN || errno == EINPROGRESS || errno == ETIMEDOUT)
            result = BUSY;
    } else if (getsockopt(wire, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid()) {
        if (request->early && !send_copy(wire, request)) {
            result = errno == EAGAIN ? BUSY : NONE; /* what is not whole is not begun */
        } else if (!wait_for_greeting(wire)) {
            if (request->early)
                take_back(wire);
            result = BUSY;
        } else if (recv(wire, &greeting, 1, 0) == 1 && greeting == HELLO && fcntl(wire, F_SETFL, 0) == 0) {
            return wire;
        }
    }
    close(wire);
    return result;
}

static void put_streams(struct msghdr *message, unsigned char *control, size_t size)
{
    static const int streams[] = {0, 1, 2};
    struct cmsghdr *header;

    message->msg_control = control;
    message->msg_controllen = size;
    header = CMSG_FIRSTHDR(message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof streams);
    memcpy(CMSG_DATA(header), streams, sizeof streams);
}

/* Send the request. Returns whether the server has all of it; no further call is made on the connection. */
static bool send_request(int wire, struct iovec *parts, size_t count)
{
    union {
        struct cmsghdr aligned;
        unsigned char data[CMSG_SPACE(3 * sizeof(int))];
    } control = {.data = {0}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};

    if (command->input == PASSES_STREAMS)
        put_streams(&message, control.data, sizeof control.data);
    while (message.msg_iovlen > 0) {
        ssize_t put = sendmsg(wire, &message, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        message.msg_control = NULL;
        message.msg_controllen = 0;
        while (message.msg_iovlen > 0 && (size_t)put >= message.msg_iov->iov_len) {
            put -= (ssize_t)message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen > 0) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + put;
            message.msg_iov->iov_len -= (size_t)put;
        }
    }
    return true;
}

/* ---- the answer */

/* The server ends the hooks, then closes the connection. */
static _Noreturn void wait_for_hooks(int wire)
{
    char part[4096];
    ssize_t got;

    do
        got = recv(wire, part, sizeof part, 0);
    while (got > 0 || (got < 0 && errno == EINTR));
    _exit(128 + caught);
}

/* Receive some bytes, at least one. If the connection ends here, the result is unknown, and nothing is repeated; unless
 * the server has not even read the request, which is what the kernel says by a reset. */
static size_t receive_some(int wire, unsigned char *data, size_t size)
{
    static bool heard;
    ssize_t got;

    do {
        got = recv(wire, data, size, 0);
        if (caught != 0)
            wait_for_hooks(wire);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && errno == ECONNRESET && !heard)
        answering = -1;
    if (got <= 0)
        doubt();
    heard = true;
    return (size_t)got;
}

static size_t smaller(uint64_t one, size_t other)
{
    return one < other ? (size_t)one : other;
}

/* Write everything; returns 0, or the error. */
static int print(int wire, int file, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(file, data, size);
        if (caught != 0)
            wait_for_hooks(wire);
        if (put < 0 && errno != EINTR)
            return errno;
        if (put > 0) {
            data += put;
            size -= (size_t)put;
        }
    }
    return 0;
}

/* Receive so many bytes; print them, or leave them, if `file` is -1. */
static void pass_on(int wire, uint64_t left, int file)
{
    unsigned char part[CHUNK];

    while (left > 0) {
        size_t got = receive_some(wire, part, smaller(left, sizeof part));
        left -= got;
        if (file >= 0 && print(wire, file, part, got) != 0)
            file = -1;
    }
}

/* Receive the exit code and all of stdout before any of it is printed: a part of an answer may mean the opposite. */
static _Noreturn void finish(int wire, uint64_t left)
{
    struct buffer out = {NULL, 0, 0};
    int code, problem;

    if (left == 0 || left > LARGEST)
        doubt(); /* our server sends no such frame */
    while (left > 0) {
        size_t got;
        reserve(&out, CHUNK);
        got = receive_some(wire, out.data + out.used, smaller(left, CHUNK));
        out.used += got;
        left -= got;
    }
    code = out.data[0];
    problem = print(wire, 1, out.data + 1, out.used - 1);
    if (problem != 0 && code == 0) {
        code = COULD_NOT_RUN;
        if (problem != EPIPE)
            dprintf(2, "tenter: the outcome could not be printed: [Errno %d] %s\n", problem, strerror(problem));
    }
    if (caught != 0)
        wait_for_hooks(wire);
    _exit(code);
}

/* Print what the server says. Returns whether to ask once more. */
static bool read_answer(int wire)
{
    unsigned char frame[FRAME];

    begin_answer(wire);
    for (;;) {
        uint64_t left;
        for (size_t got = 0; got < sizeof frame;)
            got += receive_some(wire, frame + got, sizeof frame - got);
        left = number_at(frame + 1, LENGTH);
        if (frame[0] == END)
            finish(wire, left);
        pass_on(wire, left, frame[0] == STDERR ? 2 : -1);
        if (frame[0] == AGAIN || frame[0] == NOT_HERE) {
            answering = -1;
            return frame[0] == AGAIN;
        }
    }
}

/* ---- one call */

/* Ask a worker that serves this context; else the server, which forks one. */
static int connect_to_either(int folder, const char *server, const char *context_name, const struct request *request)
{
    char worker[2 * HEX + 2];
    int wire;

    snprintf(worker, sizeof worker, "%s.%s", server, context_name);
    wire = connect_to(folder, worker, request);
    return wire == NONE ? connect_to(folder, server, request) : wire;
}

/* Make the request. False if there is no server, whose key it needs. */
static bool make_request(struct request *request, int folder, const struct buffer *context, const struct buffer *call,
                         bool reads)
{
    static unsigned char head[HEAD];

    if (read_file(folder, "key", (char *)head, KEY) != KEY)
        return false;
    if (command->input == SENDS_STDIN && reads && !isatty(0))
        read_input();
    name_bytes(context, head + KEY);
    put_number(head + KEY + DIGEST, context->used);
    put_number(head + KEY + DIGEST + LENGTH, call->used);
    put_number(head + KEY + DIGEST + 2 * LENGTH, input.used);
    request->parts[0] = (struct iovec){head, sizeof head};
    request->parts[1] = (struct iovec){context->data, context->used};
    request->parts[2] = (struct iovec){call->data, call->used};
    request->parts[3] = (struct iovec){input.data, input.used};
    request->early = command->input == SENDS_STDIN && context->used + call->used + input.used <= EARLY;
    return true;
}

static _Noreturn void run_on_server(void)
{
    static struct record record;
    struct request request;
    struct buffer context = {NULL, 0, 0}, call = {NULL, 0, 0};
    unsigned char name[DIGEST];
    char start[HEX + 1], hex[HEX + 1];
    const char *serve = getenv(SWITCH);
    bool reads = reads_input();
    int folder;

    for (int file = 0; file < 3; file++)
        if (fcntl(file, F_GETFD) < 0)
            doubt();
    if (serve != NULL && is_one_of(serve, OFF, COUNT(OFF), strcasecmp))
        doubt();
    handle(SIGINT);
    ignore_broken_pipes();
    read_variables();
    name_record(start);
    folder = find_record(start, &record);
    set_locale(record.locale);
    make_context(&context, &record);
    make_call(&call);
    if (context.used > LARGEST || call.used > LARGEST)
        doubt();
    name_bytes(&context, name);
    put_hex(hex, name);
    for (int n = 0; n < TRIES; n++) {
        int wire = NONE;
        if (make_request(&request, folder, &context, &call, reads))
            wire = connect_to_either(folder, record.server, hex, &request);
        if (wire == NONE && n == 0)
            run_python(start);
        if (wire < 0 || (!request.early && !send_copy(wire, &request)) || !read_answer(wire))
            break;
        close(wire);
    }
    doubt();
}

#endif

int main(int count, char **words)
{
    if (count < 1)
        return COULD_NOT_RUN;
    arguments = words + 1;
    for (size_t n = 0; count > 1 && n < sizeof COMMANDS / sizeof COMMANDS[0]; n++)
        if (strcmp(words[1], COMMANDS[n].name) == 0)
            command = &COMMANDS[n];
    find_program(words[0]);
    unsetenv(NATIVE);
#ifdef __linux__
    if (command != NULL)
        run_on_server();
#endif
    run_python(NULL);
}
