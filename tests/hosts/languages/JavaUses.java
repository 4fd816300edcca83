import com.sun.jna.Native;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import libengine.Encoder;
import libengine.Encoder.Input;
import libengine.EngineException;

/** Makes the calls of a table, see language.sh: JavaUses CASES FOLDER. */
public final class JavaUses {
    private static final long START = System.nanoTime();

    static List<String> lines(String file) throws IOException { return Files.readAllLines(Path.of(file)); }

    static List<Input> texts(List<String> lines) { return lines.stream().map(Input::of).toList(); }

    static ByteBuffer buffer(int bytes) { return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN); }

    static byte[] bytes(List<float[]> rows) {
        ByteBuffer out = buffer(4 * rows.stream().mapToInt(row -> row.length).sum());
        rows.forEach(row -> { for (float value : row) out.putFloat(value); });
        return out.array();
    }

    static int[] numbers(String line) { return Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray(); }

    static long memory() throws IOException {
        System.gc();
        return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
    }

    static byte[] answer(String call, Encoder e, String file, Encoder.Options o, double first) throws Exception {
        List<String> given = lines(file);
        switch (call) {
            case "encode": return bytes(e.encode(texts(given), o));
            case "pairs": return bytes(e.encode(given.stream().map(line -> line.split("\t")).map(p -> new Input(p[0], p[1], null)).toList(), o));
            case "ids": return bytes(e.encode(given.stream().map(line -> new Input(null, null, numbers(line))).toList(), o));
            case "labels": {
                List<float[]> best = new ArrayList<>();
                int n = e.labels.size();
                for (List<Encoder.Label> row : e.classify(texts(given), o)) {
                    for (int i = 0; i < row.size(); i += n) {
                        best.add(new float[] {row.subList(i, i + n).stream().map(Encoder.Label::score).max(Float::compare).get()});
                    }
                }
                return bytes(best);
            }
            case "rank": {
                float[] scores = new float[given.size() - 1];
                e.rank(given.get(0), given.subList(1, given.size()), o).forEach(hit -> scores[hit.index()] = hit.score());
                return bytes(List.of(scores));
            }
            case "tokens": {
                StringBuilder out = new StringBuilder();
                e.tokenize(Input.of(given.get(0))).forEach(t -> out.append(t.id() + " " + t.begin() + " " + t.end() + "\n"));
                return out.toString().getBytes();
            }
            case "search": {
                List<float[]> rows = e.encode(texts(given), o);
                ByteBuffer out = buffer(12 * 3 * rows.size());
                e.search(rows, rows, 3).forEach(hits -> hits.forEach(hit -> out.putLong(hit.index()).putFloat(hit.score())));
                return out.array();
            }
            case "threads": {
                byte[] expected = bytes(e.encode(texts(given), o));
                var pool = Executors.newFixedThreadPool(8);
                Callable<byte[]> one = () -> bytes(e.encode(texts(given), o));
                boolean same = true;
                for (Future<byte[]> found : pool.invokeAll(java.util.Collections.nCopies(32, one))) same &= Arrays.equals(found.get(), expected);
                pool.shutdown();
                return (same ? "same\n" : "others\n").getBytes();
            }
            case "cancel": {
                var cancel = new Encoder.Cancel();
                var options = new Encoder.Options(o.role(), null, 0, false, o.onLong(), cancel);
                var pool = Executors.newSingleThreadExecutor();
                Future<List<float[]>> running = pool.submit(() -> e.encode(texts(given), options));
                Thread.sleep(30);
                cancel.cancel();
                pool.shutdown();
                e.encode("usable");
                try {
                    running.get();
                } catch (java.util.concurrent.ExecutionException error) {
                    return ("error " + ((EngineException) error.getCause()).status + " -1\n").getBytes();
                }
                return "not cancelled\n".getBytes();
            }
            case "many": {
                int n = Integer.parseInt(System.getenv("MANY"));
                long before = 0;
                for (int i = 0; i < n; i++) {
                    if (i == n / 2) before = memory();
                    e.encode("I ride bike");
                }
                long more = memory() - before;
                return (more < 32 << 20 ? "flat\n" : more + " bytes more\n").getBytes();
            }
            case "closed": {
                long before = memory();
                for (int i = 0; i < 150; i++) {
                    new Encoder(null, 1).encode("a"); // forgotten, not closed
                    if (i % 25 == 24) { System.gc(); Thread.sleep(50); }
                }
                if (memory() - before > 150 << 20) return (memory() - before + " bytes of forgotten encoders\n").getBytes();
                Encoder other = new Encoder();
                other.close();
                other.close();
                try { other.encode("a"); } catch (IllegalStateException error) { return "closed\n".getBytes(); }
                return "open\n".getBytes();
            }
            default: {
                long begin = System.nanoTime();
                for (int i = 0; i < 50; i++) for (String text : given) e.encode(text);
                return String.format("%.1f ms, %.0f µs%n", first, (System.nanoTime() - begin) / 5e4 / given.size()).getBytes("UTF-8");
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) { // the jar alone
            System.out.write(bytes(new Encoder().encode("I ride bike")));
            System.out.flush();
            return;
        }
        new Encoder().encode("I ride bike");
        double first = (System.nanoTime() - START) / 1e6;
        Map<String, Encoder> encoders = new HashMap<>();
        for (String line : lines(arguments[0])) {
            String[] c = line.split("\t");
            var options = new Encoder.Options(Encoder.Role.valueOf(c[3].toUpperCase()), c[6].equals("-") ? null : c[6],
                Integer.parseInt(c[4]), c[5].equals("1"), Encoder.OnLong.valueOf(c[7].toUpperCase()), null);
            byte[] answer;
            try {
                if (!encoders.containsKey(c[2])) encoders.put(c[2], new Encoder(c[2], 0));
                answer = answer(c[0], encoders.get(c[2]), c[8], options, first);
            } catch (EngineException error) {
                answer = ("error " + error.status + " " + error.index + " " + error.getMessage() + "\n").getBytes("UTF-8");
            }
            Files.write(Path.of(arguments[1], c[1]), answer);
        }
    }
}
