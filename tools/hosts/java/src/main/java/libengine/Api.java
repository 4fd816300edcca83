package libengine;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;

/** The functions of libengine as they are in C, except those of structs by value. Made of engine/engine.h by tools/hosts/api/describe.py; do not edit. */
public final class Api {
    private Api() {}

    public static final int ENGINE_TRUNCATE_LONGEST_FIRST = 0;
    public static final int ENGINE_TRUNCATE_ONLY_FIRST = 1;
    public static final int ENGINE_TRUNCATE_ONLY_SECOND = 2;

    public static final int ENGINE_F32 = 0;
    public static final int ENGINE_F16 = 1;
    /** a float32 `scale`, then width int8: column = scale * value; the scale is the row's largest magnitude / 127, 0 for a row of zeros */
    public static final int ENGINE_INT8 = 2;
    /** a bit for each column, 1: above 0; the first one is the highest bit of the first byte; zeros pad the last byte (numpy.packbits) */
    public static final int ENGINE_BINARY = 3;

    /** q·v / (|q| |v|); 0 where either is all zeros */
    public static final int ENGINE_METRIC_COSINE = 0;
    /** q·v */
    public static final int ENGINE_METRIC_DOT = 1;
    /** -|q - v| */
    public static final int ENGINE_METRIC_EUCLIDEAN = 2;
    /** -Σ |q_i - v_i| */
    public static final int ENGINE_METRIC_MANHATTAN = 3;

    public static final int ENGINE_OK = 0;
    /** an invalid NULL, count, option or id */
    public static final int ENGINE_ERROR_ARGUMENT = 1;
    /** an allocation failed */
    public static final int ENGINE_ERROR_MEMORY = 2;
    /** the file cannot be opened, mapped or read */
    public static final int ENGINE_ERROR_IO = 3;
    /** not a weight file, or a damaged one */
    public static final int ENGINE_ERROR_FORMAT = 4;
    /** a weight file of a version or byte order that is not supported */
    public static final int ENGINE_ERROR_VERSION = 5;
    /** the file needs a feature that this library does not have */
    public static final int ENGINE_ERROR_UNSUPPORTED = 6;
    /** the buffer is too small; `needed` is the required size */
    public static final int ENGINE_ERROR_BUFFER = 7;
    /** more tokens than the model or the session accepts */
    public static final int ENGINE_ERROR_LENGTH = 8;
    /** the text cannot be tokenized */
    public static final int ENGINE_ERROR_TEXT = 9;
    /** another call is using the session */
    public static final int ENGINE_ERROR_BUSY = 10;
    /** NaN or an infinity: in the weights, or by overflow */
    public static final int ENGINE_ERROR_NOT_FINITE = 11;
    /** by engine_session_interrupt or a progress callback */
    public static final int ENGINE_ERROR_INTERRUPTED = 12;
    /** a defect of the library: please report it */
    public static final int ENGINE_ERROR_INTERNAL = 99;

    public static final int ENGINE_REASON_NONE = 0;
    /** ENGINE_ERROR_LENGTH: it may be cut or split into windows */
    public static final int ENGINE_REASON_LONG_TEXT = 1;
    /** ENGINE_ERROR_LENGTH: ids and tokens are never cut */
    public static final int ENGINE_REASON_LONG_IDS = 2;
    /** ENGINE_ERROR_LENGTH: tokens that are never cut exceed it */
    public static final int ENGINE_REASON_NO_ROOM = 3;
    /** ENGINE_ERROR_ARGUMENT: an id or a type is out of range */
    public static final int ENGINE_REASON_BAD_ID = 4;
    /** ENGINE_ERROR_NOT_FINITE: the weights have NaN or infinities */
    public static final int ENGINE_REASON_WEIGHTS = 5;
    /** ENGINE_ERROR_NOT_FINITE: finite weights, but an overflow */
    public static final int ENGINE_REASON_OVERFLOW = 6;

    public static final int ENGINE_POSITION_MODEL = 0;
    public static final int ENGINE_POSITION_NONE = 1;
    /** 2i: sin(p/base^(2i/D)), 2i+1: cos(same) */
    public static final int ENGINE_POSITION_SINUSOIDAL = 2;
    /** a row of a table, if the file has one */
    public static final int ENGINE_POSITION_LEARNED = 3;
    /** p/T */
    public static final int ENGINE_POSITION_INDEX = 4;
    /** bit i of p, the lowest first */
    public static final int ENGINE_POSITION_BINARY = 5;
    /** 2i: sin(2*pi*f_i*p), 2i+1: cos(same); f_i cycles a token */
    public static final int ENGINE_POSITION_FOURIER = 6;
    /** exp(-p/base^(i/D)) */
    public static final int ENGINE_POSITION_EXPONENTIAL = 7;

    public static final int ENGINE_MASK_MODEL = 0;
    /** every token sees every token of its sequence */
    public static final int ENGINE_MASK_FULL = 1;
    /** look-ahead mask: a token sees itself and earlier tokens */
    public static final int ENGINE_MASK_CAUSAL = 2;

    /** the model's own pooling and normalisation */
    public static final int ENGINE_POOLING_MODEL = 0;
    /** one vector per token */
    public static final int ENGINE_POOLING_NONE = 1;
    public static final int ENGINE_POOLING_MEAN = 2;
    /** the first token's vector */
    public static final int ENGINE_POOLING_CLS = 3;
    /** the largest value of each column */
    public static final int ENGINE_POOLING_MAX = 4;
    /** the sum, divided by the root of the number of tokens */
    public static final int ENGINE_POOLING_MEAN_SQRT = 5;
    /** token t has the weight t, from 1 */
    public static final int ENGINE_POOLING_WEIGHTED_MEAN = 6;
    /** the last token's vector */
    public static final int ENGINE_POOLING_LAST = 7;
    /** the pooler of the first token, if the file has one */
    public static final int ENGINE_POOLING_POOLER = 8;
    /** a weight for each id, if the file's setting `sparse` is set */
    public static final int ENGINE_POOLING_SPARSE = 9;
    /** vectors [W] of tokens, if `token_vectors` is set */
    public static final int ENGINE_POOLING_COLBERT = 10;
    /** one vector of a text: the model's own pooling if that is a row of a text, else the mean */
    public static final int ENGINE_POOLING_TEXT = 11;
    /** scores of labels, by a head that gives some */
    public static final int ENGINE_POOLING_LABELS = 12;

    public static final int ENGINE_HEAD_NONE = 0;
    /** a pooler alone */
    public static final int ENGINE_HEAD_POOLER = 1;
    /** labels of a text or a pair */
    public static final int ENGINE_HEAD_SEQUENCE = 2;
    /** labels of every token */
    public static final int ENGINE_HEAD_TOKEN = 3;
    /** words for [MASK] */
    public static final int ENGINE_HEAD_MASK = 4;

    /** they stay logits */
    public static final int ENGINE_SCORES_NONE = 0;
    public static final int ENGINE_SCORES_SOFTMAX = 1;
    public static final int ENGINE_SCORES_SIGMOID = 2;

    public static final int ENGINE_TOKENIZER_BLANKS = 0;
    public static final int ENGINE_TOKENIZER_KERAS = 1;
    public static final int ENGINE_TOKENIZER_WORDPIECE = 2;
    public static final int ENGINE_TOKENIZER_WORDS = 3;
    public static final int ENGINE_TOKENIZER_UNIGRAM = 4;
    public static final int ENGINE_TOKENIZER_BPE = 5;

    public static final int ENGINE_PRECISION_EXACT = 0;
    public static final int ENGINE_PRECISION_BF16 = 1;
    public static final int ENGINE_PRECISION_FAST = 2;

    /** cut it if the file's tokenizer settings say so and `results`, or n_cut of engine_rank, is given to report it; else an error */
    public static final int ENGINE_ON_LONG_MODEL = 0;
    /** cut the end of the text (of the longer text of a pair) */
    public static final int ENGINE_ON_LONG_TRUNCATE = 1;
    public static final int ENGINE_ON_LONG_ERROR = 2;

    /** any text, or pair: the file's default prompt, if it has one */
    public static final int ENGINE_ROLE_TEXT = 0;
    /** a query: the file's prompt "query", else none */
    public static final int ENGINE_ROLE_QUERY = 1;
    /** a text to be found: the file's prompt "document", else none */
    public static final int ENGINE_ROLE_DOCUMENT = 2;

    public static final int ENGINE_STRATEGY_SIMPLE = 0;
    public static final int ENGINE_STRATEGY_FIRST = 1;
    public static final int ENGINE_STRATEGY_AVERAGE = 2;
    public static final int ENGINE_STRATEGY_MAX = 3;
    public static final int ENGINE_STRATEGY_NONE = 4;

    public static final int ENGINE_SETTINGS_CONFIG = 0;
    public static final int ENGINE_SETTINGS_TOKENIZER = 1;
    public static final int ENGINE_SETTINGS_METADATA = 2;

    /** hidden states [T, D]: index 0 after the embedding step, index l after layer l (before the final norm, if any) */
    public static final int ENGINE_TRACE_HIDDEN = 1;
    /** attention weights [H, T, T] of layer `index` (from 0): row = query, column = key; each row sums to 1; computed in f32 with ENGINE_PRECISION_BF16, too */
    public static final int ENGINE_TRACE_ATTENTION = 2;
    /** Further results of layer `index` (from 0), in this order, C columns wide each. The norms of pre-norm models precede their sublayers, the norms of post-norm models follow the sums. */
    public static final int ENGINE_TRACE_PROJECTIONS = 4;
    /** [T, C] the heads' sums of weighted values: C = H·K */
    public static final int ENGINE_TRACE_HEADS = 8;
    /** [T, D] a sublayer's output and its residual: index 2·l of attention, 2·l + 1 of the feed-forward layer */
    public static final int ENGINE_TRACE_SUM = 16;
    /** [T, D] a norm's output, of the same index */
    public static final int ENGINE_TRACE_NORM = 32;
    /** [T, C] the feed-forward layer's middle, activated; not in layers with experts */
    public static final int ENGINE_TRACE_MIDDLE = 64;

    public static final int ENGINE_STEP_TOKENIZE = 0;
    public static final int ENGINE_STEP_EMBED = 1;
    /** with its fused operations: bias, activation, gate, residual */
    public static final int ENGINE_STEP_LINEAR = 2;
    public static final int ENGINE_STEP_ATTENTION = 3;
    public static final int ENGINE_STEP_NORM = 4;
    /** activations to int8, for layers with int8 weights */
    public static final int ENGINE_STEP_QUANTIZE = 5;
    /** pooling, projections, scores, copying rows to the caller */
    public static final int ENGINE_STEP_ANSWER = 6;
    /** for the other threads */
    public static final int ENGINE_STEP_WAIT = 7;
    public static final int ENGINE_N_STEPS = 8;

    /** Limits of a base and of the magnitude of frequencies: within them every position is a number. */
    public static final double ENGINE_POSITION_BASE_LEAST = 1e-100;
    public static final double ENGINE_POSITION_BASE_MOST = 1e+100;
    public static final double ENGINE_POSITION_FREQUENCY_MOST = 1e+38;
    /** Names for options and messages, as in weight files: of positions; of those that have a base; of poolings that make one vector of a text. Tests compare them with engine_position_name() and engine_pooling_name(). */
    public static final String ENGINE_POSITIONS = "none, sinusoidal, learned, index, binary, fourier, exponential";
    public static final String ENGINE_POSITIONS_WITH_BASE = "sinusoidal or exponential";
    public static final String ENGINE_TEXT_POOLINGS = "mean, cls, max, mean_sqrt, weighted_mean, last, pooler";
    public static final String ENGINE_VERSION = "0.1.0";
    /** Values of engine_error.input that are not an index. */
    public static final long ENGINE_NO_INPUT = -1;
    /** the query of engine_rank */
    public static final long ENGINE_QUERY_INPUT = -2;
    /** as the length of a text: up to its NUL byte */
    public static final long ENGINE_NUL_TERMINATED = -1;
    public static final long ENGINE_TRACE_ALL = 127;

    /** A token of engine_tokenize. */
    public static final class engine_token {
        private engine_token() {}

        public static final int BYTES = 32;
        public static final int id = 0;
        /** 0: first text, 1: second text, as the file's template says */
        public static final int type = 4;
        /** bytes of the text, or of `pair`; 0, 0: of neither */
        public static final int begin = 8;
        /** bytes of the text, or of `pair`; 0, 0: of neither */
        public static final int end = 16;
        /** 1: added by the template */
        public static final int special = 24;
        /** 1: the span is in the second text */
        public static final int in_pair = 25;
        /** 1: from the prompt before the text: it has no span */
        public static final int in_prompt = 26;
        /** 1: one of those that a model leaves out of vectors, as its prompts' */
        public static final int unpooled = 27;
    }

    /** A word is a run of characters that are neither blanks nor punctuation; from U+2E80 on (most scripts there write no blanks) each token is a word. */
    public static final class engine_word_counts {
        private engine_word_counts() {}

        public static final int BYTES = 32;
        /** words; words whose tokens are all the unknown token */
        public static final int n = 0;
        /** words; words whose tokens are all the unknown token */
        public static final int n_unknown = 8;
        /** known words of 3 bytes or more that begin with a Latin letter; those of them that are one token: few in texts of another language */
        public static final int n_latin = 16;
        /** known words of 3 bytes or more that begin with a Latin letter; those of them that are one token: few in texts of another language */
        public static final int n_whole = 24;
    }

    /** A part of a long text. Each window has the special tokens, the prompt and, for a pair, the other text. */
    public static final class engine_window {
        private engine_window() {}

        public static final int BYTES = 48;
        /** of the window */
        public static final int n_tokens = 0;
        /** its part of the text: n of the text's tokens, from tokens[first] on */
        public static final int first = 8;
        /** its part of the text: n of the text's tokens, from tokens[first] on */
        public static final int n = 16;
        /** bytes of that part of the text, or of `pair` */
        public static final int begin = 24;
        /** bytes of that part of the text, or of `pair` */
        public static final int end = 32;
        /** 1: the second text is split, not the first */
        public static final int in_pair = 40;
    }

    /** A run of tokens, not ids, with one label, by head token; engine_strategy tells its name. */
    public static final class engine_entity {
        private engine_entity() {}

        public static final int BYTES = 40;
        /** of its first token */
        public static final int label = 0;
        /** mean of its tokens' scores */
        public static final int score = 8;
        /** bytes of the text */
        public static final int begin = 16;
        /** bytes of the text */
        public static final int end = 24;
        public static final int in_pair = 32;
    }

    /** A word for a mask token of an input: engine_fill. */
    public static final class engine_candidate {
        private engine_candidate() {}

        public static final int BYTES = 16;
        /** index of the mask token */
        public static final int token = 0;
        public static final int id = 8;
        /** probability; options-&gt;raw_scores: logit */
        public static final int score = 12;
    }

    /** A weight of a sparse row, which has no others. */
    public static final class engine_weight {
        private engine_weight() {}

        public static final int BYTES = 8;
        public static final int id = 0;
        public static final int weight = 4;
    }

    /** A row that engine_search found. */
    public static final class engine_hit {
        private engine_hit() {}

        public static final int BYTES = 16;
        public static final int row = 0;
        public static final int score = 8;
    }

    /** How a query's two scores are added: score = vector * v + (sparse * s + offset), vector &gt;= 0. */
    public static final class engine_fusion {
        private engine_fusion() {}

        public static final int BYTES = 12;
        public static final int vector = 0;
        public static final int sparse = 4;
        public static final int offset = 8;
    }

    public static final class engine_error {
        private engine_error() {}

        public static final int BYTES = 280;
        public static final int status = 0;
        public static final int reason = 4;
        /** index of the input (of engine_search: the query) that failed */
        public static final int input = 8;
        /** bytes of `message` that name the input ("input 6"), or 0 */
        public static final int name_len = 16;
        /** what is wrong, where, expected and found, and what to do: for people. Programs read the members above; the words may change in any version */
        public static final int message = 24;
    }

    public static final class engine_model_options {
        private engine_model_options() {}

        public static final int BYTES = 24;
        public static final int struct_bytes = 0;
        /** 0: compare the checksums of files up to 16 MiB (4 ms), 1: of any file, -1: none. A file is verified again if its inode, size or change time has changed */
        public static final int verify = 8;
        /** 1: read the file into memory and verify it: the file may change afterwards */
        public static final int copy = 12;
        public static final int precision = 16;
    }

    /** Properties of a model. Strings are borrowed from the model. */
    public static final class engine_info {
        private engine_info() {}

        public static final int BYTES = 248;
        public static final int struct_bytes = 0;
        /** metadata "name", or "" */
        public static final int name = 8;
        /** L */
        public static final int n_layers = 16;
        /** D */
        public static final int width = 24;
        /** H */
        public static final int n_heads = 32;
        /** width of the feed-forward layer's middle */
        public static final int feed_forward = 40;
        /** rows of the embedding table: ids are 0 .. n_vocabulary-1 */
        public static final int n_vocabulary = 48;
        /** rows of the token-type table; 0: no table */
        public static final int n_types = 56;
        /** longest sequence, including special tokens */
        public static final int max_tokens = 64;
        public static final int tokenizer = 72;
        public static final int position = 76;
        /** the names of the settings in weights/FORMAT.md */
        public static final int norm = 80;
        public static final int norm_place = 88;
        public static final int activation = 96;
        public static final int gate = 104;
        public static final int mask = 112;
        /** NONE; or SPARSE or COLBERT if the model has no other */
        public static final int pooling = 116;
        /** 1: pooled vectors have length 1 */
        public static final int normalize = 120;
        /** numbers in all tensors */
        public static final int n_parameters = 128;
        public static final int file_bytes = 136;
        /** kernels in use: "portable", "avx2" and so on, see ENGINE_ISA */
        public static final int isa = 144;
        /** of rows by that pooling: D, or the last projection's; n_vocabulary or token_vectors */
        public static final int output_width = 152;
        public static final int head = 160;
        /** of head sequence or token */
        public static final int n_labels = 168;
        /** of labels */
        public static final int scores = 176;
        /** id of [MASK], or -1 */
        public static final int mask_token = 180;
        /** default limit for texts, not for ids */
        public static final int max_text_tokens = 184;
        /** 0: the file has a tokenizer alone: only engine_tokenize works */
        public static final int has_model = 192;
        /** of the weight file; "" for one in memory */
        public static final int path = 200;
        /** W, of ENGINE_POOLING_COLBERT; 0: absent */
        public static final int token_vectors = 208;
        /** 1: ENGINE_POOLING_SPARSE works */
        public static final int has_sparse = 216;
        /** "fma" or "portable": kernels of one family give the same bits */
        public static final int kernels = 224;
        /** of the weight file: CRC-32C of its sections' sizes and checksums */
        public static final int checksum = 232;
        /** 1: a cross-encoder: engine_rank scores pairs by the head */
        public static final int ranks_pairs = 236;
        /** in use: EXACT or BF16 */
        public static final int precision = 240;
        /** 1: BF16 without an instruction for it: slower than EXACT, the same bits */
        public static final int is_emulated = 244;
    }

    public static final class engine_session_options {
        private engine_session_options() {}

        public static final int BYTES = 120;
        public static final int struct_bytes = 0;
        /** 0: OMP_NUM_THREADS, else the CPUs of this process (affinity, cgroup); the larger of the two is the limit, as more would wait for each other. If the system refuses some, 0 continues with fewer; a number fails */
        public static final int n_threads = 8;
        /** longest sequence of this session; 0: the model's max_tokens */
        public static final int max_tokens = 16;
        public static final int position = 24;
        public static final int mask = 28;
        /** engine_trace kinds, or-ed; tracing encodes one input at a time */
        public static final int trace = 32;
        public static final int trace_callback = 40;
        public static final int trace_user = 48;
        /** or NULL */
        public static final int progress = 56;
        public static final int progress_user = 64;
        /** 1: measure times for engine_session_profile */
        public static final int profile = 72;
        /** Each token becomes embedding_scale * token + type + position_scale * PE. An option that the selected position scheme does not use is an error. */
        public static final int position_base = 80;
        /** Frequencies of fourier, [n_frequencies], copied: cycles per token, at most 1e38, one for two columns (others stay 0); float32 as in a weight file, so that both give the same vectors. NULL: the model's, else f_i = (i + 1) / the model's max_tokens. */
        public static final int frequencies = 88;
        public static final int n_frequencies = 96;
        /** 0 or more; NULL: the model's */
        public static final int embedding_scale = 104;
        /** 0 or more; NULL: the model's */
        public static final int position_scale = 112;
    }

    /** A text, a pair of texts, token ids, or tokens: set `text`, or `text` and `pair`, or `ids`, or `tokens`, and its length; engine_text() and engine_text_pair() set both. An all-zero input is the empty text. */
    public static final class engine_input {
        private engine_input() {}

        public static final int BYTES = 80;
        public static final int text = 0;
        public static final int text_len = 8;
        /** second text, or NULL */
        public static final int pair = 16;
        public static final int pair_len = 24;
        /** [n_ids], including special tokens, used unchanged: never truncated */
        public static final int ids = 32;
        /** [n_ids], or NULL: all 0 */
        public static final int types = 40;
        /** [n_ids] or [n_tokens], or NULL: all 1. 0 is padding: not computed, seen by no token, its rows zeros. Positions count from the first token that is not padding, T of ENGINE_POSITION_INDEX from there to the last. */
        public static final int mask = 48;
        public static final int n_ids = 56;
        /** [n_tokens] from engine_tokenize or engine_window_tokens: used like ids and types, and entities have their spans */
        public static final int tokens = 64;
        public static final int n_tokens = 72;
    }

    public static final class engine_encode_options {
        private engine_encode_options() {}

        public static final int BYTES = 128;
        public static final int struct_bytes = 0;
        public static final int pooling = 8;
        /** 1: scale pooled vectors to length 1; 0: as the model says, with its own pooling (ENGINE_POOLING_MODEL, _TEXT) alone */
        public static final int normalize = 12;
        /** 1: no special tokens around texts */
        public static final int no_special = 16;
        /** 0: the session's, for texts at most max_text_tokens; or any up to it */
        public static final int max_tokens = 24;
        public static final int on_long = 32;
        public static final int truncation = 36;
        /** 1: texts lose their start, not their end */
        public static final int truncate_left = 40;
        /** 1: logits, if the model's scores are softmax or sigmoid */
        public static final int raw_scores = 44;
        /** A prompt is words before each text (not before ids and tokens), tokenized as one text with it. Either `prompt` names one of the file ("": none), or prompt_text is one; not both. If both are NULL, the role chooses one of the file with ENGINE_POOLING_MODEL, _TEXT, _SPARSE and _COLBERT, as encode, encode_query and encode_document of sentence-transformers do. Labels of texts and pairs have the file's default prompt; of a cross-encoder it is the query's. */
        public static final int prompt = 48;
        /** A prompt is words before each text (not before ids and tokens), tokenized as one text with it. Either `prompt` names one of the file ("": none), or prompt_text is one; not both. If both are NULL, the role chooses one of the file with ENGINE_POOLING_MODEL, _TEXT, _SPARSE and _COLBERT, as encode, encode_query and encode_document of sentence-transformers do. Labels of texts and pairs have the file's default prompt; of a cross-encoder it is the query's. */
        public static final int prompt_text = 56;
        /** bytes of prompt_text, or ENGINE_NUL_TERMINATED */
        public static final int prompt_len = 64;
        public static final int role = 72;
        /** engine_rank: like `prompt`, for the query */
        public static final int query_prompt = 80;
        /** engine_windows: tokens shared by neighbouring windows */
        public static final int stride = 88;
        /** engine_windows: 1: windows begin and end between words */
        public static final int whole_words = 96;
        /** 0: all; else vectors of texts, and of ENGINE_POOLING_COLBERT, are cut to their first columns, and scaled to length 1 if uncut ones are */
        public static final int dimensions = 104;
        /** engine_entities */
        public static final int strategy = 112;
        /** engine_rank: receives how many of the query and the texts were cut; or NULL */
        public static final int n_cut = 120;
    }

    public static final class engine_result {
        private engine_result() {}

        public static final int BYTES = 24;
        /** T, including special tokens */
        public static final int n_tokens = 0;
        /** with a row per token, index of its first row in out; else the input's */
        public static final int row = 8;
        /** tokens that were cut off: &gt; 0 means truncated */
        public static final int n_dropped = 16;
    }

    /** What engine_encode writes with these options: ask here instead of deriving it. */
    public static final class engine_shape {
        private engine_shape() {}

        public static final int BYTES = 56;
        public static final int struct_bytes = 0;
        /** as resolved: neither MODEL nor TEXT */
        public static final int pooling = 8;
        /** numbers of a row: `dimensions` is applied */
        public static final int width = 16;
        /** 1: a row for each token, or for each that has a vector (_COLBERT) */
        public static final int per_token = 24;
        /** 1: rows have length 1 */
        public static final int normalized = 28;
        /** how rows are compared: as the file says of its own pooling, else by ENGINE_METRIC_DOT if they are sparse, by cosine if not */
        public static final int metric = 32;
        /** before each text; borrowed from the model or the options */
        public static final int prompt = 40;
        /** 0: none */
        public static final int prompt_len = 48;
    }

    public static final class engine_span {
        private engine_span() {}

        public static final int BYTES = 16;
        /** bytes of the text, end excluded */
        public static final int begin = 0;
        /** bytes of the text, end excluded */
        public static final int end = 8;
    }

    public static final class engine_section_info {
        private engine_section_info() {}

        public static final int BYTES = 40;
        public static final int tag = 0;
        public static final int required = 8;
        public static final int offset = 16;
        public static final int n_bytes = 24;
        public static final int crc32c = 32;
    }

    public static final class engine_tensor_info {
        private engine_tensor_info() {}

        public static final int BYTES = 80;
        /** borrowed, NUL-terminated */
        public static final int name = 0;
        /** "f32", "f16", "bf16", "int8"; "int8a8", "int8a7": int8 that multiplies activations of 8 or 7 bits; "int8k": int8a8 with columns in f32 */
        public static final int type = 8;
        /** "rows", "panels" */
        public static final int layout = 16;
        public static final int n_dims = 24;
        public static final int shape = 32;
        public static final int offset = 64;
        public static final int n_bytes = 72;
    }

    public static final class engine_trace_view {
        private engine_trace_view() {}

        public static final int BYTES = 56;
        public static final int kind = 0;
        /** index of the input in the call */
        public static final int input = 8;
        /** see engine_trace */
        public static final int index = 16;
        /** width: columns of `values`; of attention weights, D */
        public static final int n_tokens = 24;
        /** width: columns of `values`; of attention weights, D */
        public static final int n_heads = 32;
        /** width: columns of `values`; of attention weights, D */
        public static final int width = 40;
        /** borrowed until the callback returns; without masked tokens */
        public static final int values = 48;
    }

    public static final class engine_profile {
        private engine_profile() {}

        public static final int BYTES = 128;
        /** [ENGINE_N_STEPS], then zeros: nanoseconds, summed over the threads */
        public static final int ns = 0;
    }

    /** An index whose bytes are borrowed, for example of a mapped file, aligned to 8. */
    public static final class engine_index {
        private engine_index() {}

        public static final int BYTES = 48;
        public static final int bytes = 0;
        public static final int len = 8;
        public static final int n_rows = 16;
        public static final int n_ids = 24;
        public static final int stamp = 32;
        public static final int has_words = 40;
    }

    /** Queries of sparse weights: those of query i are weights[starts[i]] to weights[starts[i + 1] - 1], of ascending ids. */
    public static final class engine_sparse_queries {
        private engine_sparse_queries() {}

        public static final int BYTES = 32;
        public static final int index = 0;
        public static final int weights = 8;
        /** [n_queries + 1], the first is 0 */
        public static final int starts = 16;
        /** [n_queries]; NULL: both scores are added as they are */
        public static final int fusions = 24;
    }

    /** Rows [n, width], borrowed, of any alignment: they may be in a mapped file. */
    public static final class engine_vectors {
        private engine_vectors() {}

        public static final int BYTES = 32;
        public static final int rows = 0;
        public static final int n = 8;
        public static final int width = 16;
        public static final int type = 24;
    }

    public static final class engine_search_options {
        private engine_search_options() {}

        public static final int BYTES = 72;
        public static final int struct_bytes = 0;
        public static final int metric = 8;
        /** as in engine_session_options; fewer if the system refuses some */
        public static final int n_threads = 16;
        /** receives the number of rows without scores, which are skipped; NULL: such a row is ENGINE_ERROR_NOT_FINITE */
        public static final int n_skipped = 24;
        /** or NULL */
        public static final int progress = 32;
        public static final int progress_user = 40;
        /** or NULL. The index has a row for each of the vectors, whose width may be 0: then they score 0 */
        public static final int sparse = 48;
        /** [n_texts + 1], or NULL; not with sparse. Rows are vectors of tokens: text i has those from text_starts[i] to text_starts[i + 1] - 1 */
        public static final int text_starts = 56;
        public static final int n_texts = 64;
    }

    /** The sums that a mean and a standard deviation need, of n scores. */
    public static final class engine_moments {
        private engine_moments() {}

        public static final int BYTES = 24;
        public static final int n = 0;
        public static final int sum = 8;
        public static final int squares = 16;
    }

    /** Return static strings: "0.1.0"; how the library was built, and the instruction sets in use, two where AMX multiplies int8; "ENGINE_OK" and so on ("unknown status" for any other number). */
    public static native Pointer engine_version();

    /** Return static strings: "0.1.0"; how the library was built, and the instruction sets in use, two where AMX multiplies int8; "ENGINE_OK" and so on ("unknown status" for any other number). */
    public static native Pointer engine_build_info();

    /** Return static strings: "0.1.0"; how the library was built, and the instruction sets in use, two where AMX multiplies int8; "ENGINE_OK" and so on ("unknown status" for any other number). */
    public static native Pointer engine_status_name(int status);

    /** Opens a weight file: maps it and checks everything that addresses are computed from. path NULL: the file named by ENCODE_MODEL, else the default weights, beside the program or where they were installed. *model is NULL on failure. A mapped file must not change (wrong numbers, an error, or the end of the process): rename a new file over it; open models keep the old one. */
    public static native int engine_model_open(Pointer path, Pointer options, Pointer model, Pointer error);

    /** Opens a weight file in memory, which must be aligned to 64 bytes and must not change until the model is closed; ignores options-&gt;copy. */
    public static native int engine_model_open_memory(Pointer data, long len, Pointer options, Pointer model, Pointer error);

    /** Closes a model. Every session of it must be freed first. NULL is a harmless no-op. */
    public static native void engine_model_close(Pointer model);

    /** Reads the complete file and compares every checksum; all numbers must be finite, padding zero. */
    public static native int engine_model_verify(Pointer model, Pointer error);

    /** Fills info, which must be initialised with ENGINE_INFO(). */
    public static native int engine_model_info(Pointer model, Pointer info, Pointer error);

    /** Returns the value of a metadata key, NUL-terminated, borrowed; NULL if the key is absent. */
    public static native Pointer engine_model_metadata(Pointer model, Pointer key);

    /** *text is borrowed, not NUL-terminated. ENGINE_ERROR_ARGUMENT: no such id, or it has no text. */
    public static native int engine_token_text(Pointer model, int id, Pointer text, Pointer len);

    /** Creates a session. Nothing is allocated afterwards, except a copy of a text with its prompt, which is reused, and by OpenMP in a thread's first call. The model must outlive the session. */
    public static native int engine_session_new(Pointer model, Pointer options, Pointer session, Pointer error);

    /** Creates a session. Nothing is allocated afterwards, except a copy of a text with its prompt, which is reused, and by OpenMP in a thread's first call. The model must outlive the session. */
    public static native void engine_session_free(Pointer session);

    /** Interrupts the call that is using the session, if any, with ENGINE_ERROR_INTERRUPTED, at the latest after one step of a layer or some KB of a text. A call that is nearly done still succeeds, and so do engine_windows and texts of a few KB. Any thread and any signal handler may call this. Vectors of that call are unspecified; the session stays usable. NULL is a no-op. */
    public static native void engine_session_interrupt(Pointer session);

    /** Return the error of the last call, never NULL, and its message, "" if it succeeded. Valid until the next call with this session. During a call they report that the session is busy. */
    public static native Pointer engine_session_error(Pointer session);

    /** Return the error of the last call, never NULL, and its message, "" if it succeeded. Valid until the next call with this session. During a call they report that the session is busy. */
    public static native Pointer engine_session_message(Pointer session);

    /** Return the error of the last call, never NULL, and its message, "" if it succeeded. Valid until the next call with this session. During a call they report that the session is busy. */
    public static native long engine_session_threads(Pointer session);

    /** Writes the tokens of one text or pair, with its prompt if the options or the model have one. If options-&gt;max_tokens is 0, the text is never cut and may have any length, else options-&gt;on_long applies. Inputs with ids or tokens are refused (ENGINE_ERROR_ARGUMENT). result may be NULL. */
    public static native int engine_tokenize(Pointer session, Pointer input, Pointer options, Pointer out, long cap, Pointer needed, Pointer result);

    /** Counts the words of a text or pair, without its prompt, from the tokens of engine_tokenize. Texts whose words are all unknown have nearly the same vector. */
    public static native int engine_count_words(Pointer model, Pointer input, Pointer tokens, long n_tokens, Pointer counts);

    /** Returns 1 if one of the tokens is of the text itself: neither special nor of its prompt. A text without such tokens (empty, only blanks) has a vector all the same: that of the others. */
    public static native int engine_has_text(Pointer tokens, long n_tokens);

    /** Writes the text of ids, not NUL-terminated, as HuggingFace's usual decoder of that kind of tokenizer joins tokens; a file's own decoder is not kept. What the tokenizer changed or dropped (case, blanks) is lost; ids that split a character give invalid UTF-8. skip_special: 1 leaves out those of the file's templates, and added ones like [PAD] or &lt;pad&gt;. ENGINE_ERROR_ARGUMENT: the id of index error-&gt;input has no text. */
    public static native int engine_decode(Pointer model, Pointer ids, long n, int skip_special, Pointer out, long cap, Pointer needed, Pointer error);

    /** Divides all tokens [n_tokens] of a text, from engine_tokenize without a limit, into windows of at most options-&gt;max_tokens (0: this session's limit for texts), each of which shares options-&gt;stride tokens (with whole_words or more) with the window before. Of a pair the longer text is split, or the one that options-&gt;truncation names. out is [windows]: one if the text is not too long. ENGINE_ERROR_UNSUPPORTED: it is too long, and the model's texts have padding. */
    public static native int engine_windows(Pointer session, Pointer tokens, long n_tokens, Pointer options, Pointer out, long cap, Pointer needed);

    /** Writes a window's tokens to out [window-&gt;n_tokens], an input for engine_encode. NULL: a no-op. */
    public static native void engine_window_tokens(Pointer window, Pointer tokens, long n_tokens, Pointer out);

    /** Fills shape, which must be initialised with ENGINE_SHAPE(). Failures are those of engine_encode. ENGINE_ERROR_UNSUPPORTED: the model has no such answer, or it was made to give labels and pooling is MODEL or TEXT: the message names the labels. Then the prompt alone is set, that of engine_tokenize. ENGINE_ERROR_ARGUMENT: among others for the name of a prompt that the file does not have; the message lists the file's names. */
    public static native int engine_shape_of(Pointer model, Pointer options, Pointer shape, Pointer error);

    /** Encodes n inputs. out is [n, width], or [sum of T, width] if the shape is per token; engine_answers.h says more of ENGINE_POOLING_SPARSE, _COLBERT and _LABELS. results is [n] or NULL. An input without tokens has no rows, and its pooled vector is zeros. If inputs are wrong, engine_error.input is the first one, and the answers and results of those before it are valid; the rest of both is unspecified after a failure, except with ENGINE_ERROR_BUFFER, where results are filled. */
    public static native int engine_encode(Pointer session, Pointer inputs, long n, Pointer options, Pointer out, long cap, Pointer needed, Pointer results);

    /** Returns the name of a label, borrowed; NULL past the last label, and for unnamed labels. */
    public static native Pointer engine_label(Pointer model, long label);

    /** Finds entities by options-&gt;strategy. If the input has tokens, its text, if given too, tells where words begin; else pieces do, and gaps. */
    public static native int engine_entities(Pointer session, Pointer input, Pointer options, Pointer out, long cap, Pointer needed, Pointer result);

    /** Finds the k most likely tokens (1 to n_vocabulary) of each mask token, best first: [masks, k]. */
    public static native int engine_fill(Pointer session, Pointer input, long k, Pointer options, Pointer out, long cap, Pointer needed, Pointer result);

    /** Writes the hypothesis of a label, `hypothesis` (NULL: "This example is {}.") with the label for its "{}", NUL-terminated, if cap is enough. *needed: bytes with the NUL. Errors: ENGINE_ERROR_BUFFER, and ENGINE_ERROR_ARGUMENT if there is not exactly one "{}". */
    public static native int engine_hypothesis(Pointer hypothesis, Pointer label, Pointer out, long cap, Pointer needed, Pointer error);

    /** Computes the scores [n] of n labels for one text, from the logits [n, n_labels] of its pairs: the softmax of entailment over the labels. If is_multi, or n is 1, each label is scored alone, by entailment against the model's first label, which is its last if entailment is the first. out may be logits. Other models: ENGINE_ERROR_UNSUPPORTED. */
    public static native int engine_zero_shot(Pointer model, Pointer logits, long n, int is_multi, Pointer out, Pointer error);

    /** Writes the ids of a row [n] whose weight is not 0, in ascending order, at most cap of them to out. Returns their number, which may exceed cap. row NULL: 0. */
    public static native long engine_sparse_entries(Pointer row, long n, Pointer out, long cap);

    /** Returns the sum of a's weight times b's over common ids, computed in double: how well two texts match. Entries must be in ascending order of ids. */
    public static native double engine_sparse_product(Pointer a, long n_a, Pointer b, long n_b);

    /** Returns 1 if a token of that id has a vector; `index` counts the text's tokens from 0, without padding. */
    public static native int engine_token_has_vector(Pointer model, int id, long index, int role);

    /** Returns MaxSim: the sum over the query's vectors [n_query, width] of the largest product with one of the text's vectors [n_text, width], in double. 0 if either has no vector. */
    public static native double engine_max_sim(Pointer query, long n_query, Pointer text, long n_text, long width);

    /** Encodes one text in one pass, and writes a vector for each of n spans of it, [n, width], each from the hidden states of the span's tokens, which have seen the whole text (late chunking). A token belongs to every span that has a byte of it; special tokens, those of a prompt and of a pair's second text to none. Vectors are pooled, projected and scaled as engine_encode does it by options-&gt;pooling, which must not resolve to cls, last or pooler. A span without tokens, as one that was cut off, has zeros. *needed: n * width. ENGINE_ERROR_ARGUMENT: a span ends before it begins or beyond the text, or the input has ids. */
    public static native int engine_encode_spans(Pointer session, Pointer input, Pointer spans, long n, Pointer options, Pointer out, long cap, Pointer needed, Pointer result);

    /** Encodes one input in one pass, and writes its vector as a sum: out is [T + 1, width], a part for each token (zeros for padding), and last that of the projections' biases (zeros without any). The sum of the rows is the vector that engine_encode writes with these options, so the dot product of two vectors is the sum of the products of all pairs of parts; divided by both lengths it is their cosine. ENGINE_ERROR_UNSUPPORTED, with the reason in the message, if a vector is no such sum: poolings other than mean, mean_sqrt and weighted_mean, and projections with an activation. *needed: (T + 1) * width; to ask for it takes a pass. */
    public static native int engine_encode_parts(Pointer session, Pointer input, Pointer options, Pointer out, long cap, Pointer needed, Pointer result);

    /** Scores how well each of n texts answers a query; out is [n]. A cross-encoder (info.ranks_pairs) scores each pair by engine_score_pairs; it needs plain texts (no ids, no pairs). Other models compare by options-&gt;pooling: ENGINE_POOLING_COLBERT by engine_max_sim, others by the metric of engine_shape_of. ENGINE_POOLING_MODEL of a model without any is the mean. There a text or a query without a token of its own (engine_has_text) gives the least score that can be: by engine_max_sim less 1 for each vector of the query, as a cosine -1, as a product of sparse weights 0, else -FLT_MAX. */
    public static native int engine_rank(Pointer session, Pointer query, Pointer texts, long n, Pointer options, Pointer out);

    /** Scores n pairs of texts, or their ids or tokens, by a cross-encoder, as engine_rank does; out is [n], parameters as in engine_encode. Of two labels the score is the probability of the second, or with raw_scores how much larger its logit is. Other models: ENGINE_ERROR_UNSUPPORTED. */
    public static native int engine_score_pairs(Pointer session, Pointer inputs, long n, Pointer options, Pointer out, long cap, Pointer needed, Pointer results);

    /** Return the score of two vectors [n], computed in double. NULL: that of a text without a token of its own, the least that engine_rank gives. */
    public static native double engine_similarity(int metric, Pointer a, Pointer b, long n);

    /** Return the score of two vectors [n], computed in double. NULL: that of a text without a token of its own, the least that engine_rank gives. */
    public static native double engine_cosine(Pointer a, Pointer b, long n);

    /** Returns the index-th key and value of the file's settings, borrowed, NUL-terminated. value_len (may be NULL) receives the value's length, as it may contain NUL bytes. ENGINE_ERROR_ARGUMENT past the last one. */
    public static native int engine_model_setting(Pointer model, int settings, long index, Pointer key, Pointer value, Pointer value_len);

    /** Return the index-th section or tensor, in file order. ENGINE_ERROR_ARGUMENT past the last one. */
    public static native int engine_model_section(Pointer model, long index, Pointer section);

    /** Return the index-th section or tensor, in file order. ENGINE_ERROR_ARGUMENT past the last one. */
    public static native int engine_model_tensor(Pointer model, long index, Pointer tensor);

    /** Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name. */
    public static native Pointer engine_position_name(int position);

    /** Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name. */
    public static native Pointer engine_mask_name(int mask);

    /** Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name. */
    public static native Pointer engine_pooling_name(int pooling);

    /** Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name. */
    public static native int engine_position_named(Pointer name);

    /** Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name. */
    public static native int engine_mask_named(Pointer name);

    /** Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name. */
    public static native int engine_pooling_named(Pointer name);

    /** Returns 1 if a session's position_base is used by these positions; 0 for the model's own. */
    public static native int engine_position_has_base(int position);

    /** Writes rows 0 .. n-1 of the positions that a session with these options adds, including position_scale: out is [n, D], D the width of the model's embedding tables; for ENGINE_POSITION_INDEX the rows of a text of n tokens. NONE gives zeros. width is 0 or D. If model is NULL, width is D, options-&gt;position must be a scheme without a table, and harmonics are those of options-&gt;max_tokens (0: n). Other options are ignored. ENGINE_ERROR_UNSUPPORTED for ENGINE_POSITION_LEARNED if the model has no table, and of a tokenizer alone; ENGINE_ERROR_LENGTH if the table has fewer rows. */
    public static native int engine_position_matrix(Pointer model, Pointer options, long width, long n, Pointer out, long cap, Pointer needed, Pointer error);

    /** The same in double, before rounding to float32: to measure the formulas themselves. Learned positions are the rows of the table, which are float32, times position_scale. */
    public static native int engine_position_matrix_exact(Pointer model, Pointer options, long width, long n, Pointer out, long cap, Pointer needed, Pointer error);

    /** Returns the bytes of a session's single block; 0 if the options are invalid. */
    public static native long engine_session_bytes(Pointer model, Pointer options);

    /** Returns the time of all calls since the session was created, if its options set `profile` (else ENGINE_ERROR_ARGUMENT). Must not be called during another call. */
    public static native int engine_session_profile(Pointer session, Pointer out);

    /** Returns "linear" and so on; NULL past the last step. */
    public static native Pointer engine_step_name(int step);

    /** Returns the bytes of a row; 0 for an unknown type, or if a size_t cannot hold them. */
    public static native long engine_row_bytes(int type, long width);

    /** Writes rows [n, width] as n rows of the type, n * engine_row_bytes() bytes, to out, which may have any alignment. Rounds to nearest, ties to even. A row with a number that is NaN, infinite, or too large for f16 has no scores in a search: in int8 its scale is NaN. Bits are 0 for NaN. */
    public static native void engine_rows_from_f32(Pointer rows, long n, long width, int type, Pointer out);

    /** NULL: no memory */
    public static native Pointer engine_index_new();

    /** NULL is allowed */
    public static native void engine_index_free(Pointer builder);

    /** Adds the next row: a text, or n finite weights, of ids from 0 to 2147483645, in any order; those of an id add up. All rows are of one kind. After a failure nothing is added. */
    public static native int engine_index_add_text(Pointer builder, Pointer text, long len, Pointer error);

    /** Adds the next row: a text, or n finite weights, of ids from 0 to 2147483645, in any order; those of an id add up. All rows are of one kind. After a failure nothing is added. */
    public static native int engine_index_add_weights(Pointer builder, Pointer weights, long n, Pointer error);

    /** Makes the index, *len bytes for a file, with a stamp for the caller. The builder owns them, takes no more rows, and needs 40 bytes for each weight until then. */
    public static native int engine_index_bytes(Pointer builder, long stamp, Pointer bytes, Pointer len, Pointer error);

    /** Fills in the other members from bytes and len. Reads all bytes: a damaged index is refused. */
    public static native int engine_index_open(Pointer index, Pointer error);

    /** Writes the weights of a query's words in indexes[which], of n that are searched together, in ascending order of ids, to out, which has room for (len + 1) / 2: a text of len bytes has no more words. Returns their number. Unknown words have none. */
    public static native long engine_index_query(Pointer indexes, long n, long which, Pointer text, long len, Pointer out);

    /** Returns the sum of the query's weights times the row's, of ascending ids, as searches do. A sum that float32 cannot hold becomes its largest number with the sum's sign, and so in searches. */
    public static native float engine_index_score(Pointer index, Pointer query, long n, long row);

    /** Finds the k rows with the best scores for each of n_queries queries, float32 [n_queries, width], among all rows: out is [n_queries, k], best first, equal scores by ascending row. If there are fewer than k rows, the rest of out has the score -INFINITY and the row UINT64_MAX. In binary rows a bit counts as ±1/sqrt(width), so that rows have length 1; queries are not rounded.  Scores are sums of float32. They depend on the query, the row and the kernels in use, and not on the number of queries, rows or threads. Rows with NaN or an infinity have no scores, nor, by cosine, rows whose length is neither 0 nor from 2^-115 to 2^125 (2.4e-35 to 4.2e37). A product q·v that float32 cannot hold becomes its largest number with the product's sign.  With text_starts the queries are all vectors of one query, and out, [k], has the texts with the best MaxSim: the sum over the query's vectors of the best score that a row of the text has, 0 without rows. `row` is then the text, here and in messages, and a text has no score if a row of it has none.  ENGINE_ERROR_NOT_FINITE: a query has NaN or an infinity, or a row has no scores: the message names the first such row. ENGINE_ERROR_MEMORY: no memory for the hits of each thread and some blocks of rows. `out` is unspecified after a failure. */
    public static native int engine_search(Pointer vectors, Pointer queries, long n_queries, long k, Pointer options, Pointer out, Pointer error);

    /** Adds the moments of each query's scores, to be searched with options-&gt;sparse, to vectors_out and sparse_out [n_queries]: of the vectors by at most 1,024 rows, evenly spaced, which stand for all; of sparse scores as if a query's ids were independent. Vectors that are searched together add theirs up. Rows without scores are left out. */
    public static native int engine_search_moments(Pointer vectors, Pointer queries, long n_queries, Pointer options, Pointer vectors_out, Pointer sparse_out, Pointer error);

    static {
        Native.register(Api.class, NativeLibrary.getInstance(Encoder.library()));
    }
}
