package libengine;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** A model, opened from a weight file. Any number of threads may share it: each call has a session. */
public final class Encoder implements AutoCloseable {
    /** The purpose of a text, which chooses the model's prompt. */
    public enum Role { TEXT, QUERY, DOCUMENT }

    /** What becomes of a text that is longer than the model takes; MODEL: what its file says. */
    public enum OnLong { MODEL, TRUNCATE, ERROR }

    /** A text; with pair, two texts; or ids alone, which are used as they are. */
    public record Input(String text, String pair, int[] ids) {
        public static Input of(String text) { return new Input(text, null, null); }
    }

    /** A text of rank, or a row of search. */
    public record Hit(int index, float score) {}

    /** A label of a text, and its score. */
    public record Label(String name, float score) {}

    /** A token; begin and end are offsets in the UTF-8 of the text. */
    public record Token(String text, int id, int begin, int end, boolean special, boolean inPair) {}

    /** Options of a call; prompt: of the model, by its name ("": none; null: the role's); dimensions 0: all. */
    public record Options(Role role, String prompt, int dimensions, boolean normalize, OnLong onLong, Cancel cancel) {
        public static final Options DEFAULT = new Options(Role.TEXT, null, 0, false, OnLong.MODEL, null);

        public static Options of(Role role) { return new Options(role, null, 0, false, OnLong.MODEL, null); }
    }

    /** Interrupts the calls that have it in their options. */
    public static final class Cancel {
        private volatile boolean isLate;
        private final Set<Pointer> running = ConcurrentHashMap.newKeySet();

        /** Returns when these calls have ended, within a step of a layer; later ones are interrupted at once. */
        public void cancel() throws InterruptedException {
            isLate = true;
            for (; !running.isEmpty(); Thread.sleep(1)) { // again: a call may not have begun
                running.forEach(Api::engine_session_interrupt);
            }
        }
    }

    private static final Cleaner CLEANER = Cleaner.create();

    /** What is freed when the encoder is closed or forgotten, and no call uses it. */
    private static final class Held implements Runnable {
        Pointer model;
        int running;
        boolean isClosed;
        final ArrayDeque<Pointer> sessions = new ArrayDeque<>();

        @Override public synchronized void run() {
            isClosed = true;
            if (running > 0 || model == null) return;
            sessions.forEach(Api::engine_session_free);
            Api.engine_model_close(model);
            model = null;
        }

        synchronized Pointer take() {
            if (isClosed) throw new IllegalStateException("the encoder is closed: make another one");
            running++;
            return sessions.poll();
        }

        synchronized void give(Pointer session) {
            running--;
            if (session != null) sessions.push(session);
            if (isClosed) run();
        }
    }

    /** Memory of a call. */
    private static final class Arena implements AutoCloseable {
        private final List<Memory> blocks = new ArrayList<>();
        final Memory error = bytes(Api.engine_error.BYTES);

        Memory bytes(long n) {
            Memory block = new Memory(Math.max(n, 1));
            block.clear();
            blocks.add(block);
            return block;
        }

        Memory struct(int bytes) { // that begins with struct_bytes
            Memory block = bytes(bytes);
            block.setLong(0, bytes);
            return block;
        }

        Memory floats(float[] values) {
            Memory block = bytes(4L * values.length);
            block.write(0, values, 0, values.length);
            return block;
        }

        void text(Pointer block, int at, int lengthAt, String text) {
            if (text == null) return;
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            Memory copy = bytes(utf8.length + 1L);
            copy.write(0, utf8, 0, utf8.length);
            block.setPointer(at, copy);
            if (lengthAt >= 0) block.setLong(lengthAt, utf8.length);
        }

        void check(int status) {
            if (status != 0) throw new EngineException(error);
        }

        @Override public void close() { blocks.forEach(Memory::close); }
    }

    private final Held held = new Held();
    private final Cleaner.Cleanable cleanable;
    private final int threads;
    private final int metric;
    /** Columns of vectors. */
    public final int width;
    /** Names of the labels of a classifier. */
    public final List<String> labels;

    /** Opens the file that ENCODE_MODEL names, else the default weights. */
    public Encoder() { this(null, 0); }

    /** Opens a weight file. threads: of each call; 0: all CPUs. */
    public Encoder(String path, int threads) {
        this.threads = threads;
        Path beside = FOLDER.resolve("default.weights");
        boolean isDefault = path == null && System.getenv("ENCODE_MODEL") == null && Files.exists(beside);
        try (Arena arena = new Arena()) {
            Memory slot = arena.bytes(8), info = arena.struct(Api.engine_info.BYTES), shape = arena.struct(Api.engine_shape.BYTES);
            arena.text(slot, 0, -1, isDefault ? beside.toString() : path);
            arena.check(Api.engine_model_open(slot.getPointer(0), null, slot, arena.error));
            held.model = slot.getPointer(0);
            cleanable = CLEANER.register(this, held);
            arena.check(Api.engine_model_info(held.model, info, arena.error));
            width = (int) info.getLong(Api.engine_info.output_width);
            labels = IntStream.range(0, (int) info.getLong(Api.engine_info.n_labels)).mapToObj(this::label).toList();
            Api.engine_shape_of(held.model, options(arena, new Options(Role.TEXT, "", 0, false, OnLong.MODEL, null), 0), shape, null);
            metric = shape.getInt(Api.engine_shape.metric);
        }
    }

    private String label(int i) {
        Pointer name = Api.engine_label(held.model, i);
        return name == null ? "LABEL_" + i : name.getString(0, "UTF-8");
    }

    private static Memory options(Arena arena, Options options, int pooling) {
        Memory made = arena.struct(Api.engine_encode_options.BYTES);
        made.setInt(Api.engine_encode_options.pooling, pooling);
        made.setInt(Api.engine_encode_options.role, options.role.ordinal());
        made.setInt(Api.engine_encode_options.on_long, options.onLong.ordinal());
        made.setInt(Api.engine_encode_options.normalize, options.normalize ? 1 : 0);
        made.setLong(Api.engine_encode_options.dimensions, options.dimensions);
        arena.text(made, Api.engine_encode_options.prompt, -1, options.prompt);
        return made;
    }

    private static Memory inputs(Arena arena, List<Input> inputs) {
        Memory made = arena.bytes((long) Api.engine_input.BYTES * inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            Pointer one = made.share((long) i * Api.engine_input.BYTES);
            Input input = inputs.get(i);
            arena.text(one, Api.engine_input.text, Api.engine_input.text_len, input.text);
            arena.text(one, Api.engine_input.pair, Api.engine_input.pair_len, input.pair);
            if (input.ids == null) continue;
            Memory ids = arena.bytes(4L * input.ids.length);
            ids.write(0, input.ids, 0, input.ids.length);
            one.setPointer(Api.engine_input.ids, ids);
            one.setLong(Api.engine_input.n_ids, input.ids.length);
        }
        return made;
    }

    /** Calls f with a session; returns its status if that is ENGINE_OK or ENGINE_ERROR_BUFFER. */
    private int call(Arena arena, Cancel cancel, ToIntFunction<Pointer> f) {
        Pointer session = held.take();
        try {
            if (session == null) {
                Memory slot = arena.bytes(8), made = arena.struct(Api.engine_session_options.BYTES);
                made.setLong(Api.engine_session_options.n_threads, threads);
                arena.check(Api.engine_session_new(held.model, made, slot, arena.error));
                session = slot.getPointer(0);
            }
            if (cancel != null) cancel.running.add(session);
            int status = cancel != null && cancel.isLate ? Api.ENGINE_ERROR_INTERRUPTED : f.applyAsInt(session);
            if (status == Api.ENGINE_ERROR_INTERRUPTED) {
                arena.error.setInt(Api.engine_error.status, status);
                arena.error.setLong(Api.engine_error.input, -1);
                arena.error.setString(Api.engine_error.message, "the call was cancelled", "UTF-8");
                throw new EngineException(arena.error);
            }
            if (status != 0 && status != Api.ENGINE_ERROR_BUFFER) throw new EngineException(Api.engine_session_error(session));
            return status;
        } finally {
            if (cancel != null && session != null) cancel.running.remove(session);
            held.give(session);
            Reference.reachabilityFence(this);
        }
    }

    private List<float[]> rows(List<Input> inputs, Options options, int pooling) {
        try (Arena arena = new Arena()) {
            int n = inputs.size();
            Memory given = inputs(arena, inputs), settings = options(arena, options, pooling), needed = arena.bytes(8);
            Memory shape = arena.struct(Api.engine_shape.BYTES), results = arena.bytes((long) n * Api.engine_result.BYTES);
            call(arena, null, session -> {
                arena.check(Api.engine_shape_of(held.model, settings, shape, arena.error));
                return 0;
            });
            long columns = shape.getLong(Api.engine_shape.width);
            boolean perToken = shape.getInt(Api.engine_shape.per_token) != 0;
            long cap = perToken ? 0 : n * columns;
            Memory out = arena.bytes(4 * cap);
            while (true) {
                Memory into = out;
                long size = cap;
                if (call(arena, options.cancel, s -> Api.engine_encode(s, given, n, settings, into, size, needed, results)) == 0) break;
                cap = needed.getLong(0);
                out = arena.bytes(4 * cap);
            }
            long[] starts = new long[n + 1];
            for (int i = 0; i < n; i++) {
                starts[i] = columns * (perToken ? results.getLong((long) i * Api.engine_result.BYTES + Api.engine_result.row) : i);
            }
            starts[n] = cap;
            Memory found = out;
            return IntStream.range(0, n).mapToObj(i -> found.getFloatArray(4 * starts[i], (int) (starts[i + 1] - starts[i]))).toList();
        }
    }

    /** Returns a vector for each text. */
    public List<float[]> encode(String... texts) {
        return encode(Arrays.stream(texts).map(Input::of).toList(), Options.DEFAULT);
    }

    /** Returns a vector for each input. */
    public List<float[]> encode(List<Input> inputs, Options options) {
        return rows(inputs, options, Api.ENGINE_POOLING_TEXT);
    }

    /** Returns the labels of each input with their scores; of a model that labels tokens, those of each token in turn. */
    public List<List<Label>> classify(List<Input> inputs, Options options) {
        return rows(inputs, options, Api.ENGINE_POOLING_LABELS).stream().map(row -> IntStream.range(0, row.length)
            .mapToObj(i -> new Label(labels.get(i % labels.size()), row[i])).toList()).toList();
    }

    /** Returns texts by how well they answer a query, best first: by cross-encoder or vectors, as the model does it. */
    public List<Hit> rank(String query, List<String> texts, Options options) {
        try (Arena arena = new Arena()) {
            Memory asked = inputs(arena, List.of(Input.of(query))), given = inputs(arena, texts.stream().map(Input::of).toList());
            Memory settings = options(arena, options, Api.ENGINE_POOLING_MODEL), scores = arena.bytes(4L * texts.size());
            settings.setPointer(Api.engine_encode_options.n_cut, arena.bytes(8)); // so that the model's file decides about long texts
            call(arena, options.cancel, session -> Api.engine_rank(session, asked, given, texts.size(), settings, scores));
            return IntStream.range(0, texts.size()).mapToObj(i -> new Hit(i, scores.getFloat(4L * i)))
                .sorted(Comparator.comparingDouble(hit -> -hit.score)).toList();
        }
    }

    /** Returns the tokens of an input, uncut, without a prompt. */
    public List<Token> tokenize(Input input) {
        try (Arena arena = new Arena()) {
            Options none = new Options(Role.TEXT, "", 0, false, OnLong.MODEL, null);
            Memory given = inputs(arena, List.of(input)), settings = options(arena, none, 0), needed = arena.bytes(8), slot = arena.bytes(16);
            call(arena, null, session -> Api.engine_tokenize(session, given, settings, null, 0, needed, null));
            long cap = needed.getLong(0);
            Memory out = arena.bytes(cap * Api.engine_token.BYTES);
            List<Token> tokens = new ArrayList<>();
            call(arena, null, session -> {
                int status = Api.engine_tokenize(session, given, settings, out, cap, needed, null);
                for (int i = 0; status == 0 && i < cap; i++) {
                    Pointer t = out.share((long) i * Api.engine_token.BYTES);
                    int id = t.getInt(Api.engine_token.id);
                    boolean isKnown = Api.engine_token_text(held.model, id, slot, slot.share(8)) == 0;
                    String text = isKnown ? new String(slot.getPointer(0).getByteArray(0, (int) slot.getLong(8)), StandardCharsets.UTF_8) : "";
                    tokens.add(new Token(text, id, (int) t.getLong(Api.engine_token.begin), (int) t.getLong(Api.engine_token.end),
                        t.getByte(Api.engine_token.special) != 0, t.getByte(Api.engine_token.in_pair) != 0));
                }
                return status;
            });
            return tokens;
        }
    }

    /** Returns the score of two vectors of one width by the model's metric: the larger, the nearer. */
    public double similarity(float[] a, float[] b) {
        if (a.length != b.length) throw new IllegalArgumentException("vectors of " + a.length + " and " + b.length + " columns");
        try (Arena arena = new Arena()) {
            return Api.engine_similarity(metric, arena.floats(a), arena.floats(b), a.length);
        }
    }

    /** Returns the k nearest of the rows for each query, exactly, by the model's metric. */
    public List<List<Hit>> search(List<float[]> rows, List<float[]> queries, int k) {
        try (Arena arena = new Arena()) {
            int n = rows.size(), m = queries.size(), count = Math.min(k, n), columns = n == 0 ? 0 : rows.get(0).length;
            Memory vectors = arena.bytes(Api.engine_vectors.BYTES), settings = arena.struct(Api.engine_search_options.BYTES);
            Memory hits = arena.bytes((long) m * count * Api.engine_hit.BYTES);
            vectors.setPointer(Api.engine_vectors.rows, matrix(arena, rows, columns));
            vectors.setLong(Api.engine_vectors.n, n);
            vectors.setLong(Api.engine_vectors.width, columns);
            settings.setInt(Api.engine_search_options.metric, metric);
            settings.setLong(Api.engine_search_options.n_threads, threads);
            if (m * count > 0) arena.check(Api.engine_search(vectors, matrix(arena, queries, columns), m, count, settings, hits, arena.error));
            return IntStream.range(0, m).mapToObj(q -> IntStream.range(0, count).mapToObj(i -> {
                Pointer hit = hits.share(((long) q * count + i) * Api.engine_hit.BYTES);
                return new Hit((int) hit.getLong(Api.engine_hit.row), hit.getFloat(Api.engine_hit.score));
            }).toList()).toList();
        }
    }

    private static Memory matrix(Arena arena, List<float[]> rows, int columns) {
        Memory block = arena.bytes(4L * rows.size() * columns);
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).length != columns) throw new IllegalArgumentException("vectors have different widths");
            block.write(4L * i * columns, rows.get(i), 0, columns);
        }
        return block;
    }

    /** Frees the model when the calls that run have ended; a forgotten encoder is freed with the garbage. */
    @Override public void close() { cleanable.clean(); }

    // ---- The library: in the folder that LIBENGINE_FOLDER names, or in the jar, or of the system ----

    private static final Path FOLDER = folder();

    static String library() {
        Path file = FOLDER.resolve("libengine.so.1");
        return Files.exists(file) ? file.toString() : "libengine.so.1";
    }

    private static Path folder() {
        String named = System.getenv("LIBENGINE_FOLDER");
        if (named != null) return Path.of(named).toAbsolutePath();
        try {
            Path folder = Files.createTempDirectory("libengine");
            folder.toFile().deleteOnExit(); // after its files: what is named last goes first
            var list = Encoder.class.getResourceAsStream("bundled/files");
            for (String name : list == null ? new String[0] : new String(list.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                try (var file = Encoder.class.getResourceAsStream("bundled/" + name)) {
                    Files.copy(file, folder.resolve(name));
                }
                folder.resolve(name).toFile().deleteOnExit();
            }
            return folder;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
