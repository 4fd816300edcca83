//! The functions of libengine, as they are in C. Made of engine/engine.h by tools/hosts/api/describe.py; do not edit.
#![allow(non_camel_case_types, rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::{offset_of, size_of};

/// Limits of a base and of the magnitude of frequencies: within them every position is a number.
pub const ENGINE_POSITION_BASE_LEAST: f64 = 1e-100;
pub const ENGINE_POSITION_BASE_MOST: f64 = 1e+100;
pub const ENGINE_POSITION_FREQUENCY_MOST: f64 = 1e+38;
/// Names for options and messages, as in weight files: of positions; of those that have a base; of poolings that make one vector of a text. Tests compare them with engine_position_name() and engine_pooling_name().
pub const ENGINE_POSITIONS: &str = "none, sinusoidal, learned, index, binary, fourier, exponential";
pub const ENGINE_POSITIONS_WITH_BASE: &str = "sinusoidal or exponential";
pub const ENGINE_TEXT_POOLINGS: &str = "mean, cls, max, mean_sqrt, weighted_mean, last, pooler";
pub const ENGINE_VERSION: &str = "0.1.0";
/// Values of engine_error.input that are not an index.
pub const ENGINE_NO_INPUT: usize = usize::MAX;
/// the query of engine_rank
pub const ENGINE_QUERY_INPUT: usize = usize::MAX - 1;
/// as the length of a text: up to its NUL byte
pub const ENGINE_NUL_TERMINATED: usize = usize::MAX;
pub const ENGINE_TRACE_ALL: usize = 127;

/// Which text of a pair loses tokens, and at which end.
pub type engine_truncation = c_int;
pub const ENGINE_TRUNCATE_LONGEST_FIRST: engine_truncation = 0;
pub const ENGINE_TRUNCATE_ONLY_FIRST: engine_truncation = 1;
pub const ENGINE_TRUNCATE_ONLY_SECOND: engine_truncation = 2;

/// The format of a row of `width` columns, without gaps; numbers are little-endian.
pub type engine_element = c_int;
pub const ENGINE_F32: engine_element = 0;
pub const ENGINE_F16: engine_element = 1;
/// a float32 `scale`, then width int8: column = scale * value; the scale is the row's largest magnitude / 127, 0 for a row of zeros
pub const ENGINE_INT8: engine_element = 2;
/// a bit for each column, 1: above 0; the first one is the highest bit of the first byte; zeros pad the last byte (numpy.packbits)
pub const ENGINE_BINARY: engine_element = 3;

/// How vectors q and v are compared: the larger the score, the nearer.
pub type engine_metric = c_int;
/// q·v / (|q| |v|); 0 where either is all zeros
pub const ENGINE_METRIC_COSINE: engine_metric = 0;
/// q·v
pub const ENGINE_METRIC_DOT: engine_metric = 1;
/// -|q - v|
pub const ENGINE_METRIC_EUCLIDEAN: engine_metric = 2;
/// -Σ |q_i - v_i|
pub const ENGINE_METRIC_MANHATTAN: engine_metric = 3;

pub type engine_status = c_int;
pub const ENGINE_OK: engine_status = 0;
/// an invalid NULL, count, option or id
pub const ENGINE_ERROR_ARGUMENT: engine_status = 1;
/// an allocation failed
pub const ENGINE_ERROR_MEMORY: engine_status = 2;
/// the file cannot be opened, mapped or read
pub const ENGINE_ERROR_IO: engine_status = 3;
/// not a weight file, or a damaged one
pub const ENGINE_ERROR_FORMAT: engine_status = 4;
/// a weight file of a version or byte order that is not supported
pub const ENGINE_ERROR_VERSION: engine_status = 5;
/// the file needs a feature that this library does not have
pub const ENGINE_ERROR_UNSUPPORTED: engine_status = 6;
/// the buffer is too small; `needed` is the required size
pub const ENGINE_ERROR_BUFFER: engine_status = 7;
/// more tokens than the model or the session accepts
pub const ENGINE_ERROR_LENGTH: engine_status = 8;
/// the text cannot be tokenized
pub const ENGINE_ERROR_TEXT: engine_status = 9;
/// another call is using the session
pub const ENGINE_ERROR_BUSY: engine_status = 10;
/// NaN or an infinity: in the weights, or by overflow
pub const ENGINE_ERROR_NOT_FINITE: engine_status = 11;
/// by engine_session_interrupt or a progress callback
pub const ENGINE_ERROR_INTERRUPTED: engine_status = 12;
/// a defect of the library: please report it
pub const ENGINE_ERROR_INTERNAL: engine_status = 99;

/// Why an input failed, if its status does not say so.
pub type engine_reason = c_int;
pub const ENGINE_REASON_NONE: engine_reason = 0;
/// ENGINE_ERROR_LENGTH: it may be cut or split into windows
pub const ENGINE_REASON_LONG_TEXT: engine_reason = 1;
/// ENGINE_ERROR_LENGTH: ids and tokens are never cut
pub const ENGINE_REASON_LONG_IDS: engine_reason = 2;
/// ENGINE_ERROR_LENGTH: tokens that are never cut exceed it
pub const ENGINE_REASON_NO_ROOM: engine_reason = 3;
/// ENGINE_ERROR_ARGUMENT: an id or a type is out of range
pub const ENGINE_REASON_BAD_ID: engine_reason = 4;
/// ENGINE_ERROR_NOT_FINITE: the weights have NaN or infinities
pub const ENGINE_REASON_WEIGHTS: engine_reason = 5;
/// ENGINE_ERROR_NOT_FINITE: finite weights, but an overflow
pub const ENGINE_REASON_OVERFLOW: engine_reason = 6;

/// Choices that replace a setting of the file. 0 is always "as the model says". Positions that act inside attention (rotary, alibi, distance, disentangled, a window) are never replaced. At position p, from 0, of a text of T tokens, D columns wide, column i of the added row is:
pub type engine_position = c_int;
pub const ENGINE_POSITION_MODEL: engine_position = 0;
pub const ENGINE_POSITION_NONE: engine_position = 1;
/// 2i: sin(p/base^(2i/D)), 2i+1: cos(same)
pub const ENGINE_POSITION_SINUSOIDAL: engine_position = 2;
/// a row of a table, if the file has one
pub const ENGINE_POSITION_LEARNED: engine_position = 3;
/// p/T
pub const ENGINE_POSITION_INDEX: engine_position = 4;
/// bit i of p, the lowest first
pub const ENGINE_POSITION_BINARY: engine_position = 5;
/// 2i: sin(2*pi*f_i*p), 2i+1: cos(same); f_i cycles a token
pub const ENGINE_POSITION_FOURIER: engine_position = 6;
/// exp(-p/base^(i/D))
pub const ENGINE_POSITION_EXPONENTIAL: engine_position = 7;

pub type engine_mask = c_int;
pub const ENGINE_MASK_MODEL: engine_mask = 0;
/// every token sees every token of its sequence
pub const ENGINE_MASK_FULL: engine_mask = 1;
/// look-ahead mask: a token sees itself and earlier tokens
pub const ENGINE_MASK_CAUSAL: engine_mask = 2;

pub type engine_pooling = c_int;
/// the model's own pooling and normalisation
pub const ENGINE_POOLING_MODEL: engine_pooling = 0;
/// one vector per token
pub const ENGINE_POOLING_NONE: engine_pooling = 1;
pub const ENGINE_POOLING_MEAN: engine_pooling = 2;
/// the first token's vector
pub const ENGINE_POOLING_CLS: engine_pooling = 3;
/// the largest value of each column
pub const ENGINE_POOLING_MAX: engine_pooling = 4;
/// the sum, divided by the root of the number of tokens
pub const ENGINE_POOLING_MEAN_SQRT: engine_pooling = 5;
/// token t has the weight t, from 1
pub const ENGINE_POOLING_WEIGHTED_MEAN: engine_pooling = 6;
/// the last token's vector
pub const ENGINE_POOLING_LAST: engine_pooling = 7;
/// the pooler of the first token, if the file has one
pub const ENGINE_POOLING_POOLER: engine_pooling = 8;
/// a weight for each id, if the file's setting `sparse` is set
pub const ENGINE_POOLING_SPARSE: engine_pooling = 9;
/// vectors [W] of tokens, if `token_vectors` is set
pub const ENGINE_POOLING_COLBERT: engine_pooling = 10;
/// one vector of a text: the model's own pooling if that is a row of a text, else the mean
pub const ENGINE_POOLING_TEXT: engine_pooling = 11;
/// scores of labels, by a head that gives some
pub const ENGINE_POOLING_LABELS: engine_pooling = 12;

/// The answer of the model's head: see engine_answers.h.
pub type engine_head = c_int;
pub const ENGINE_HEAD_NONE: engine_head = 0;
/// a pooler alone
pub const ENGINE_HEAD_POOLER: engine_head = 1;
/// labels of a text or a pair
pub const ENGINE_HEAD_SEQUENCE: engine_head = 2;
/// labels of every token
pub const ENGINE_HEAD_TOKEN: engine_head = 3;
/// words for [MASK]
pub const ENGINE_HEAD_MASK: engine_head = 4;

/// What logits of labels become.
pub type engine_scores = c_int;
/// they stay logits
pub const ENGINE_SCORES_NONE: engine_scores = 0;
pub const ENGINE_SCORES_SOFTMAX: engine_scores = 1;
pub const ENGINE_SCORES_SIGMOID: engine_scores = 2;

pub type engine_tokenizer = c_int;
pub const ENGINE_TOKENIZER_BLANKS: engine_tokenizer = 0;
pub const ENGINE_TOKENIZER_KERAS: engine_tokenizer = 1;
pub const ENGINE_TOKENIZER_WORDPIECE: engine_tokenizer = 2;
pub const ENGINE_TOKENIZER_WORDS: engine_tokenizer = 3;
pub const ENGINE_TOKENIZER_UNIGRAM: engine_tokenizer = 4;
pub const ENGINE_TOKENIZER_BPE: engine_tokenizer = 5;

/// Products of linear layers and of attention. BF16 rounds both factors to bfloat16 and adds in f32, to the same bits on every processor with fused multiply-adds; without an instruction for it (AMX, or AVX-512 BF16 on AMD) it is slower than EXACT. FAST is BF16 where the kernels in use have that instruction, else EXACT, so its bits depend on the processor: see engine_info.precision. Layers in int8 stay so; BF16 rounds the weights of others at opening, into memory of 2 bytes each.
pub type engine_precision = c_int;
pub const ENGINE_PRECISION_EXACT: engine_precision = 0;
pub const ENGINE_PRECISION_BF16: engine_precision = 1;
pub const ENGINE_PRECISION_FAST: engine_precision = 2;

pub type engine_on_long = c_int;
/// cut it if the file's tokenizer settings say so and `results`, or n_cut of engine_rank, is given to report it; else an error
pub const ENGINE_ON_LONG_MODEL: engine_on_long = 0;
/// cut the end of the text (of the longer text of a pair)
pub const ENGINE_ON_LONG_TRUNCATE: engine_on_long = 1;
pub const ENGINE_ON_LONG_ERROR: engine_on_long = 2;

/// The purpose of a text, which chooses its prompt: models for search have one for each role. Some weigh the ids of a query without their layers, or fill queries up to a fixed length: see query_weights and query_filler in weights/FORMAT.md. Ids and tokens that a caller has are not.
pub type engine_role = c_int;
/// any text, or pair: the file's default prompt, if it has one
pub const ENGINE_ROLE_TEXT: engine_role = 0;
/// a query: the file's prompt "query", else none
pub const ENGINE_ROLE_QUERY: engine_role = 1;
/// a text to be found: the file's prompt "document", else none
pub const ENGINE_ROLE_DOCUMENT: engine_role = 2;

/// How labels of tokens become entities: the names and the results of aggregation_strategy of transformers' TokenClassificationPipeline. SIMPLE: tokens of one label are one entity; B-X starts another, I-X continues one of X, and other labels, like L-X and U-X, go on only while they are equal; "O" is outside. An entity's name is the label's after the first '-'. FIRST, AVERAGE, MAX: the same of words, whose label is that of the first token, of the mean of all tokens' scores, or of the token with the largest score. NONE: each token, by its whole label, except "O".
pub type engine_strategy = c_int;
pub const ENGINE_STRATEGY_SIMPLE: engine_strategy = 0;
pub const ENGINE_STRATEGY_FIRST: engine_strategy = 1;
pub const ENGINE_STRATEGY_AVERAGE: engine_strategy = 2;
pub const ENGINE_STRATEGY_MAX: engine_strategy = 3;
pub const ENGINE_STRATEGY_NONE: engine_strategy = 4;

pub type engine_settings = c_int;
pub const ENGINE_SETTINGS_CONFIG: engine_settings = 0;
pub const ENGINE_SETTINGS_TOKENIZER: engine_settings = 1;
pub const ENGINE_SETTINGS_METADATA: engine_settings = 2;

/// Kinds of engine_session_options.trace.
pub type engine_trace = c_int;
/// hidden states [T, D]: index 0 after the embedding step, index l after layer l (before the final norm, if any)
pub const ENGINE_TRACE_HIDDEN: engine_trace = 1;
/// attention weights [H, T, T] of layer `index` (from 0): row = query, column = key; each row sums to 1; computed in f32 with ENGINE_PRECISION_BF16, too
pub const ENGINE_TRACE_ATTENTION: engine_trace = 2;
/// Further results of layer `index` (from 0), in this order, C columns wide each. The norms of pre-norm models precede their sublayers, the norms of post-norm models follow the sums.
pub const ENGINE_TRACE_PROJECTIONS: engine_trace = 4;
/// [T, C] the heads' sums of weighted values: C = H·K
pub const ENGINE_TRACE_HEADS: engine_trace = 8;
/// [T, D] a sublayer's output and its residual: index 2·l of attention, 2·l + 1 of the feed-forward layer
pub const ENGINE_TRACE_SUM: engine_trace = 16;
/// [T, D] a norm's output, of the same index
pub const ENGINE_TRACE_NORM: engine_trace = 32;
/// [T, C] the feed-forward layer's middle, activated; not in layers with experts
pub const ENGINE_TRACE_MIDDLE: engine_trace = 64;

/// The steps of a pass, in order, to which time is attributed.
pub type engine_step = c_int;
pub const ENGINE_STEP_TOKENIZE: engine_step = 0;
pub const ENGINE_STEP_EMBED: engine_step = 1;
/// with its fused operations: bias, activation, gate, residual
pub const ENGINE_STEP_LINEAR: engine_step = 2;
pub const ENGINE_STEP_ATTENTION: engine_step = 3;
pub const ENGINE_STEP_NORM: engine_step = 4;
/// activations to int8, for layers with int8 weights
pub const ENGINE_STEP_QUANTIZE: engine_step = 5;
/// pooling, projections, scores, copying rows to the caller
pub const ENGINE_STEP_ANSWER: engine_step = 6;
/// for the other threads
pub const ENGINE_STEP_WAIT: engine_step = 7;
pub const ENGINE_N_STEPS: engine_step = 8;

#[repr(C)]
pub struct engine_model {
    _private: [u8; 0],
}

#[repr(C)]
pub struct engine_session {
    _private: [u8; 0],
}

#[repr(C)]
pub struct engine_index_builder {
    _private: [u8; 0],
}

/// Called by the thread that called engine_encode. Must not use the session.
pub type engine_trace_callback = Option<unsafe extern "C" fn(view: *const engine_trace_view, user: *mut c_void)>;

/// Called by the calling thread, before each layer, after each batch of inputs, and every 4 KB of a text that this thread tokenizes: n_done of n inputs (engine_search: rows) are done. Returns 0 to continue; any other value interrupts the call. Must not use the session.
pub type engine_progress_callback = Option<unsafe extern "C" fn(n_done: usize, n: usize, user: *mut c_void) -> c_int>;

/// A token of engine_tokenize.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_token {
    pub id: i32,
    /// 0: first text, 1: second text, as the file's template says
    pub r#type: i32,
    /// bytes of the text, or of `pair`; 0, 0: of neither
    pub begin: usize,
    /// bytes of the text, or of `pair`; 0, 0: of neither
    pub end: usize,
    /// 1: added by the template
    pub special: u8,
    /// 1: the span is in the second text
    pub in_pair: u8,
    /// 1: from the prompt before the text: it has no span
    pub in_prompt: u8,
    /// 1: one of those that a model leaves out of vectors, as its prompts'
    pub unpooled: u8,
}
const _: () = {
    assert!(size_of::<engine_token>() == 32);
    assert!(offset_of!(engine_token, id) == 0);
    assert!(offset_of!(engine_token, r#type) == 4);
    assert!(offset_of!(engine_token, begin) == 8);
    assert!(offset_of!(engine_token, end) == 16);
    assert!(offset_of!(engine_token, special) == 24);
    assert!(offset_of!(engine_token, in_pair) == 25);
    assert!(offset_of!(engine_token, in_prompt) == 26);
    assert!(offset_of!(engine_token, unpooled) == 27);
};

/// A word is a run of characters that are neither blanks nor punctuation; from U+2E80 on (most scripts there write no blanks) each token is a word.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_word_counts {
    /// words; words whose tokens are all the unknown token
    pub n: usize,
    /// words; words whose tokens are all the unknown token
    pub n_unknown: usize,
    /// known words of 3 bytes or more that begin with a Latin letter; those of them that are one token: few in texts of another language
    pub n_latin: usize,
    /// known words of 3 bytes or more that begin with a Latin letter; those of them that are one token: few in texts of another language
    pub n_whole: usize,
}
const _: () = {
    assert!(size_of::<engine_word_counts>() == 32);
    assert!(offset_of!(engine_word_counts, n) == 0);
    assert!(offset_of!(engine_word_counts, n_unknown) == 8);
    assert!(offset_of!(engine_word_counts, n_latin) == 16);
    assert!(offset_of!(engine_word_counts, n_whole) == 24);
};

/// A part of a long text. Each window has the special tokens, the prompt and, for a pair, the other text.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_window {
    /// of the window
    pub n_tokens: usize,
    /// its part of the text: n of the text's tokens, from tokens[first] on
    pub first: usize,
    /// its part of the text: n of the text's tokens, from tokens[first] on
    pub n: usize,
    /// bytes of that part of the text, or of `pair`
    pub begin: usize,
    /// bytes of that part of the text, or of `pair`
    pub end: usize,
    /// 1: the second text is split, not the first
    pub in_pair: u8,
}
const _: () = {
    assert!(size_of::<engine_window>() == 48);
    assert!(offset_of!(engine_window, n_tokens) == 0);
    assert!(offset_of!(engine_window, first) == 8);
    assert!(offset_of!(engine_window, n) == 16);
    assert!(offset_of!(engine_window, begin) == 24);
    assert!(offset_of!(engine_window, end) == 32);
    assert!(offset_of!(engine_window, in_pair) == 40);
};

/// A run of tokens, not ids, with one label, by head token; engine_strategy tells its name.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_entity {
    /// of its first token
    pub label: usize,
    /// mean of its tokens' scores
    pub score: f32,
    /// bytes of the text
    pub begin: usize,
    /// bytes of the text
    pub end: usize,
    pub in_pair: u8,
}
const _: () = {
    assert!(size_of::<engine_entity>() == 40);
    assert!(offset_of!(engine_entity, label) == 0);
    assert!(offset_of!(engine_entity, score) == 8);
    assert!(offset_of!(engine_entity, begin) == 16);
    assert!(offset_of!(engine_entity, end) == 24);
    assert!(offset_of!(engine_entity, in_pair) == 32);
};

/// A word for a mask token of an input: engine_fill.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_candidate {
    /// index of the mask token
    pub token: usize,
    pub id: i32,
    /// probability; options->raw_scores: logit
    pub score: f32,
}
const _: () = {
    assert!(size_of::<engine_candidate>() == 16);
    assert!(offset_of!(engine_candidate, token) == 0);
    assert!(offset_of!(engine_candidate, id) == 8);
    assert!(offset_of!(engine_candidate, score) == 12);
};

/// A weight of a sparse row, which has no others.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_weight {
    pub id: i32,
    pub weight: f32,
}
const _: () = {
    assert!(size_of::<engine_weight>() == 8);
    assert!(offset_of!(engine_weight, id) == 0);
    assert!(offset_of!(engine_weight, weight) == 4);
};

/// A row that engine_search found.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_hit {
    pub row: u64,
    pub score: f32,
}
const _: () = {
    assert!(size_of::<engine_hit>() == 16);
    assert!(offset_of!(engine_hit, row) == 0);
    assert!(offset_of!(engine_hit, score) == 8);
};

/// How a query's two scores are added: score = vector * v + (sparse * s + offset), vector >= 0.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_fusion {
    pub vector: f32,
    pub sparse: f32,
    pub offset: f32,
}
const _: () = {
    assert!(size_of::<engine_fusion>() == 12);
    assert!(offset_of!(engine_fusion, vector) == 0);
    assert!(offset_of!(engine_fusion, sparse) == 4);
    assert!(offset_of!(engine_fusion, offset) == 8);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_error {
    pub status: engine_status,
    pub reason: engine_reason,
    /// index of the input (of engine_search: the query) that failed
    pub input: usize,
    /// bytes of `message` that name the input ("input 6"), or 0
    pub name_len: usize,
    /// what is wrong, where, expected and found, and what to do: for people. Programs read the members above; the words may change in any version
    pub message: [c_char; 256],
}
const _: () = {
    assert!(size_of::<engine_error>() == 280);
    assert!(offset_of!(engine_error, status) == 0);
    assert!(offset_of!(engine_error, reason) == 4);
    assert!(offset_of!(engine_error, input) == 8);
    assert!(offset_of!(engine_error, name_len) == 16);
    assert!(offset_of!(engine_error, message) == 24);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_model_options {
    pub struct_bytes: usize,
    /// 0: compare the checksums of files up to 16 MiB (4 ms), 1: of any file, -1: none. A file is verified again if its inode, size or change time has changed
    pub verify: c_int,
    /// 1: read the file into memory and verify it: the file may change afterwards
    pub copy: c_int,
    pub precision: engine_precision,
}
const _: () = {
    assert!(size_of::<engine_model_options>() == 24);
    assert!(offset_of!(engine_model_options, struct_bytes) == 0);
    assert!(offset_of!(engine_model_options, verify) == 8);
    assert!(offset_of!(engine_model_options, copy) == 12);
    assert!(offset_of!(engine_model_options, precision) == 16);
};

/// Properties of a model. Strings are borrowed from the model.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_info {
    pub struct_bytes: usize,
    /// metadata "name", or ""
    pub name: *const c_char,
    /// L
    pub n_layers: usize,
    /// D
    pub width: usize,
    /// H
    pub n_heads: usize,
    /// width of the feed-forward layer's middle
    pub feed_forward: usize,
    /// rows of the embedding table: ids are 0 .. n_vocabulary-1
    pub n_vocabulary: usize,
    /// rows of the token-type table; 0: no table
    pub n_types: usize,
    /// longest sequence, including special tokens
    pub max_tokens: usize,
    pub tokenizer: engine_tokenizer,
    pub position: engine_position,
    /// the names of the settings in weights/FORMAT.md
    pub norm: *const c_char,
    pub norm_place: *const c_char,
    pub activation: *const c_char,
    pub gate: *const c_char,
    pub mask: engine_mask,
    /// NONE; or SPARSE or COLBERT if the model has no other
    pub pooling: engine_pooling,
    /// 1: pooled vectors have length 1
    pub normalize: c_int,
    /// numbers in all tensors
    pub n_parameters: u64,
    pub file_bytes: u64,
    /// kernels in use: "portable", "avx2" and so on, see ENGINE_ISA
    pub isa: *const c_char,
    /// of rows by that pooling: D, or the last projection's; n_vocabulary or token_vectors
    pub output_width: usize,
    pub head: engine_head,
    /// of head sequence or token
    pub n_labels: usize,
    /// of labels
    pub scores: engine_scores,
    /// id of [MASK], or -1
    pub mask_token: i32,
    /// default limit for texts, not for ids
    pub max_text_tokens: usize,
    /// 0: the file has a tokenizer alone: only engine_tokenize works
    pub has_model: c_int,
    /// of the weight file; "" for one in memory
    pub path: *const c_char,
    /// W, of ENGINE_POOLING_COLBERT; 0: absent
    pub token_vectors: usize,
    /// 1: ENGINE_POOLING_SPARSE works
    pub has_sparse: c_int,
    /// "fma" or "portable": kernels of one family give the same bits
    pub kernels: *const c_char,
    /// of the weight file: CRC-32C of its sections' sizes and checksums
    pub checksum: u32,
    /// 1: a cross-encoder: engine_rank scores pairs by the head
    pub ranks_pairs: c_int,
    /// in use: EXACT or BF16
    pub precision: engine_precision,
    /// 1: BF16 without an instruction for it: slower than EXACT, the same bits
    pub is_emulated: c_int,
}
const _: () = {
    assert!(size_of::<engine_info>() == 248);
    assert!(offset_of!(engine_info, struct_bytes) == 0);
    assert!(offset_of!(engine_info, name) == 8);
    assert!(offset_of!(engine_info, n_layers) == 16);
    assert!(offset_of!(engine_info, width) == 24);
    assert!(offset_of!(engine_info, n_heads) == 32);
    assert!(offset_of!(engine_info, feed_forward) == 40);
    assert!(offset_of!(engine_info, n_vocabulary) == 48);
    assert!(offset_of!(engine_info, n_types) == 56);
    assert!(offset_of!(engine_info, max_tokens) == 64);
    assert!(offset_of!(engine_info, tokenizer) == 72);
    assert!(offset_of!(engine_info, position) == 76);
    assert!(offset_of!(engine_info, norm) == 80);
    assert!(offset_of!(engine_info, norm_place) == 88);
    assert!(offset_of!(engine_info, activation) == 96);
    assert!(offset_of!(engine_info, gate) == 104);
    assert!(offset_of!(engine_info, mask) == 112);
    assert!(offset_of!(engine_info, pooling) == 116);
    assert!(offset_of!(engine_info, normalize) == 120);
    assert!(offset_of!(engine_info, n_parameters) == 128);
    assert!(offset_of!(engine_info, file_bytes) == 136);
    assert!(offset_of!(engine_info, isa) == 144);
    assert!(offset_of!(engine_info, output_width) == 152);
    assert!(offset_of!(engine_info, head) == 160);
    assert!(offset_of!(engine_info, n_labels) == 168);
    assert!(offset_of!(engine_info, scores) == 176);
    assert!(offset_of!(engine_info, mask_token) == 180);
    assert!(offset_of!(engine_info, max_text_tokens) == 184);
    assert!(offset_of!(engine_info, has_model) == 192);
    assert!(offset_of!(engine_info, path) == 200);
    assert!(offset_of!(engine_info, token_vectors) == 208);
    assert!(offset_of!(engine_info, has_sparse) == 216);
    assert!(offset_of!(engine_info, kernels) == 224);
    assert!(offset_of!(engine_info, checksum) == 232);
    assert!(offset_of!(engine_info, ranks_pairs) == 236);
    assert!(offset_of!(engine_info, precision) == 240);
    assert!(offset_of!(engine_info, is_emulated) == 244);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_session_options {
    pub struct_bytes: usize,
    /// 0: OMP_NUM_THREADS, else the CPUs of this process (affinity, cgroup); the larger of the two is the limit, as more would wait for each other. If the system refuses some, 0 continues with fewer; a number fails
    pub n_threads: usize,
    /// longest sequence of this session; 0: the model's max_tokens
    pub max_tokens: usize,
    pub position: engine_position,
    pub mask: engine_mask,
    /// engine_trace kinds, or-ed; tracing encodes one input at a time
    pub trace: c_uint,
    pub trace_callback: engine_trace_callback,
    pub trace_user: *mut c_void,
    /// or NULL
    pub progress: engine_progress_callback,
    pub progress_user: *mut c_void,
    /// 1: measure times for engine_session_profile
    pub profile: c_int,
    /// Each token becomes embedding_scale * token + type + position_scale * PE. An option that the selected position scheme does not use is an error.
    pub position_base: f64,
    /// Frequencies of fourier, [n_frequencies], copied: cycles per token, at most 1e38, one for two columns (others stay 0); float32 as in a weight file, so that both give the same vectors. NULL: the model's, else f_i = (i + 1) / the model's max_tokens.
    pub frequencies: *const f32,
    pub n_frequencies: usize,
    /// 0 or more; NULL: the model's
    pub embedding_scale: *const f64,
    /// 0 or more; NULL: the model's
    pub position_scale: *const f64,
}
const _: () = {
    assert!(size_of::<engine_session_options>() == 120);
    assert!(offset_of!(engine_session_options, struct_bytes) == 0);
    assert!(offset_of!(engine_session_options, n_threads) == 8);
    assert!(offset_of!(engine_session_options, max_tokens) == 16);
    assert!(offset_of!(engine_session_options, position) == 24);
    assert!(offset_of!(engine_session_options, mask) == 28);
    assert!(offset_of!(engine_session_options, trace) == 32);
    assert!(offset_of!(engine_session_options, trace_callback) == 40);
    assert!(offset_of!(engine_session_options, trace_user) == 48);
    assert!(offset_of!(engine_session_options, progress) == 56);
    assert!(offset_of!(engine_session_options, progress_user) == 64);
    assert!(offset_of!(engine_session_options, profile) == 72);
    assert!(offset_of!(engine_session_options, position_base) == 80);
    assert!(offset_of!(engine_session_options, frequencies) == 88);
    assert!(offset_of!(engine_session_options, n_frequencies) == 96);
    assert!(offset_of!(engine_session_options, embedding_scale) == 104);
    assert!(offset_of!(engine_session_options, position_scale) == 112);
};

/// A text, a pair of texts, token ids, or tokens: set `text`, or `text` and `pair`, or `ids`, or `tokens`, and its length; engine_text() and engine_text_pair() set both. An all-zero input is the empty text.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_input {
    pub text: *const c_char,
    pub text_len: usize,
    /// second text, or NULL
    pub pair: *const c_char,
    pub pair_len: usize,
    /// [n_ids], including special tokens, used unchanged: never truncated
    pub ids: *const i32,
    /// [n_ids], or NULL: all 0
    pub types: *const i32,
    /// [n_ids] or [n_tokens], or NULL: all 1. 0 is padding: not computed, seen by no token, its rows zeros. Positions count from the first token that is not padding, T of ENGINE_POSITION_INDEX from there to the last.
    pub mask: *const u8,
    pub n_ids: usize,
    /// [n_tokens] from engine_tokenize or engine_window_tokens: used like ids and types, and entities have their spans
    pub tokens: *const engine_token,
    pub n_tokens: usize,
}
const _: () = {
    assert!(size_of::<engine_input>() == 80);
    assert!(offset_of!(engine_input, text) == 0);
    assert!(offset_of!(engine_input, text_len) == 8);
    assert!(offset_of!(engine_input, pair) == 16);
    assert!(offset_of!(engine_input, pair_len) == 24);
    assert!(offset_of!(engine_input, ids) == 32);
    assert!(offset_of!(engine_input, types) == 40);
    assert!(offset_of!(engine_input, mask) == 48);
    assert!(offset_of!(engine_input, n_ids) == 56);
    assert!(offset_of!(engine_input, tokens) == 64);
    assert!(offset_of!(engine_input, n_tokens) == 72);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_encode_options {
    pub struct_bytes: usize,
    pub pooling: engine_pooling,
    /// 1: scale pooled vectors to length 1; 0: as the model says, with its own pooling (ENGINE_POOLING_MODEL, _TEXT) alone
    pub normalize: c_int,
    /// 1: no special tokens around texts
    pub no_special: c_int,
    /// 0: the session's, for texts at most max_text_tokens; or any up to it
    pub max_tokens: usize,
    pub on_long: engine_on_long,
    pub truncation: engine_truncation,
    /// 1: texts lose their start, not their end
    pub truncate_left: c_int,
    /// 1: logits, if the model's scores are softmax or sigmoid
    pub raw_scores: c_int,
    /// A prompt is words before each text (not before ids and tokens), tokenized as one text with it. Either `prompt` names one of the file ("": none), or prompt_text is one; not both. If both are NULL, the role chooses one of the file with ENGINE_POOLING_MODEL, _TEXT, _SPARSE and _COLBERT, as encode, encode_query and encode_document of sentence-transformers do. Labels of texts and pairs have the file's default prompt; of a cross-encoder it is the query's.
    pub prompt: *const c_char,
    /// A prompt is words before each text (not before ids and tokens), tokenized as one text with it. Either `prompt` names one of the file ("": none), or prompt_text is one; not both. If both are NULL, the role chooses one of the file with ENGINE_POOLING_MODEL, _TEXT, _SPARSE and _COLBERT, as encode, encode_query and encode_document of sentence-transformers do. Labels of texts and pairs have the file's default prompt; of a cross-encoder it is the query's.
    pub prompt_text: *const c_char,
    /// bytes of prompt_text, or ENGINE_NUL_TERMINATED
    pub prompt_len: usize,
    pub role: engine_role,
    /// engine_rank: like `prompt`, for the query
    pub query_prompt: *const c_char,
    /// engine_windows: tokens shared by neighbouring windows
    pub stride: usize,
    /// engine_windows: 1: windows begin and end between words
    pub whole_words: c_int,
    /// 0: all; else vectors of texts, and of ENGINE_POOLING_COLBERT, are cut to their first columns, and scaled to length 1 if uncut ones are
    pub dimensions: usize,
    /// engine_entities
    pub strategy: engine_strategy,
    /// engine_rank: receives how many of the query and the texts were cut; or NULL
    pub n_cut: *mut usize,
}
const _: () = {
    assert!(size_of::<engine_encode_options>() == 128);
    assert!(offset_of!(engine_encode_options, struct_bytes) == 0);
    assert!(offset_of!(engine_encode_options, pooling) == 8);
    assert!(offset_of!(engine_encode_options, normalize) == 12);
    assert!(offset_of!(engine_encode_options, no_special) == 16);
    assert!(offset_of!(engine_encode_options, max_tokens) == 24);
    assert!(offset_of!(engine_encode_options, on_long) == 32);
    assert!(offset_of!(engine_encode_options, truncation) == 36);
    assert!(offset_of!(engine_encode_options, truncate_left) == 40);
    assert!(offset_of!(engine_encode_options, raw_scores) == 44);
    assert!(offset_of!(engine_encode_options, prompt) == 48);
    assert!(offset_of!(engine_encode_options, prompt_text) == 56);
    assert!(offset_of!(engine_encode_options, prompt_len) == 64);
    assert!(offset_of!(engine_encode_options, role) == 72);
    assert!(offset_of!(engine_encode_options, query_prompt) == 80);
    assert!(offset_of!(engine_encode_options, stride) == 88);
    assert!(offset_of!(engine_encode_options, whole_words) == 96);
    assert!(offset_of!(engine_encode_options, dimensions) == 104);
    assert!(offset_of!(engine_encode_options, strategy) == 112);
    assert!(offset_of!(engine_encode_options, n_cut) == 120);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_result {
    /// T, including special tokens
    pub n_tokens: usize,
    /// with a row per token, index of its first row in out; else the input's
    pub row: usize,
    /// tokens that were cut off: > 0 means truncated
    pub n_dropped: usize,
}
const _: () = {
    assert!(size_of::<engine_result>() == 24);
    assert!(offset_of!(engine_result, n_tokens) == 0);
    assert!(offset_of!(engine_result, row) == 8);
    assert!(offset_of!(engine_result, n_dropped) == 16);
};

/// What engine_encode writes with these options: ask here instead of deriving it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_shape {
    pub struct_bytes: usize,
    /// as resolved: neither MODEL nor TEXT
    pub pooling: engine_pooling,
    /// numbers of a row: `dimensions` is applied
    pub width: usize,
    /// 1: a row for each token, or for each that has a vector (_COLBERT)
    pub per_token: c_int,
    /// 1: rows have length 1
    pub normalized: c_int,
    /// how rows are compared: as the file says of its own pooling, else by ENGINE_METRIC_DOT if they are sparse, by cosine if not
    pub metric: engine_metric,
    /// before each text; borrowed from the model or the options
    pub prompt: *const c_char,
    /// 0: none
    pub prompt_len: usize,
}
const _: () = {
    assert!(size_of::<engine_shape>() == 56);
    assert!(offset_of!(engine_shape, struct_bytes) == 0);
    assert!(offset_of!(engine_shape, pooling) == 8);
    assert!(offset_of!(engine_shape, width) == 16);
    assert!(offset_of!(engine_shape, per_token) == 24);
    assert!(offset_of!(engine_shape, normalized) == 28);
    assert!(offset_of!(engine_shape, metric) == 32);
    assert!(offset_of!(engine_shape, prompt) == 40);
    assert!(offset_of!(engine_shape, prompt_len) == 48);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_span {
    /// bytes of the text, end excluded
    pub begin: usize,
    /// bytes of the text, end excluded
    pub end: usize,
}
const _: () = {
    assert!(size_of::<engine_span>() == 16);
    assert!(offset_of!(engine_span, begin) == 0);
    assert!(offset_of!(engine_span, end) == 8);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_section_info {
    pub tag: [c_char; 5],
    pub required: c_int,
    pub offset: u64,
    pub n_bytes: u64,
    pub crc32c: u32,
}
const _: () = {
    assert!(size_of::<engine_section_info>() == 40);
    assert!(offset_of!(engine_section_info, tag) == 0);
    assert!(offset_of!(engine_section_info, required) == 8);
    assert!(offset_of!(engine_section_info, offset) == 16);
    assert!(offset_of!(engine_section_info, n_bytes) == 24);
    assert!(offset_of!(engine_section_info, crc32c) == 32);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_tensor_info {
    /// borrowed, NUL-terminated
    pub name: *const c_char,
    /// "f32", "f16", "bf16", "int8"; "int8a8", "int8a7": int8 that multiplies activations of 8 or 7 bits; "int8k": int8a8 with columns in f32
    pub r#type: *const c_char,
    /// "rows", "panels"
    pub layout: *const c_char,
    pub n_dims: usize,
    pub shape: [u64; 4],
    pub offset: u64,
    pub n_bytes: u64,
}
const _: () = {
    assert!(size_of::<engine_tensor_info>() == 80);
    assert!(offset_of!(engine_tensor_info, name) == 0);
    assert!(offset_of!(engine_tensor_info, r#type) == 8);
    assert!(offset_of!(engine_tensor_info, layout) == 16);
    assert!(offset_of!(engine_tensor_info, n_dims) == 24);
    assert!(offset_of!(engine_tensor_info, shape) == 32);
    assert!(offset_of!(engine_tensor_info, offset) == 64);
    assert!(offset_of!(engine_tensor_info, n_bytes) == 72);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_trace_view {
    pub kind: engine_trace,
    /// index of the input in the call
    pub input: usize,
    /// see engine_trace
    pub index: usize,
    /// width: columns of `values`; of attention weights, D
    pub n_tokens: usize,
    /// width: columns of `values`; of attention weights, D
    pub n_heads: usize,
    /// width: columns of `values`; of attention weights, D
    pub width: usize,
    /// borrowed until the callback returns; without masked tokens
    pub values: *const f32,
}
const _: () = {
    assert!(size_of::<engine_trace_view>() == 56);
    assert!(offset_of!(engine_trace_view, kind) == 0);
    assert!(offset_of!(engine_trace_view, input) == 8);
    assert!(offset_of!(engine_trace_view, index) == 16);
    assert!(offset_of!(engine_trace_view, n_tokens) == 24);
    assert!(offset_of!(engine_trace_view, n_heads) == 32);
    assert!(offset_of!(engine_trace_view, width) == 40);
    assert!(offset_of!(engine_trace_view, values) == 48);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_profile {
    /// [ENGINE_N_STEPS], then zeros: nanoseconds, summed over the threads
    pub ns: [u64; 16],
}
const _: () = {
    assert!(size_of::<engine_profile>() == 128);
    assert!(offset_of!(engine_profile, ns) == 0);
};

/// An index whose bytes are borrowed, for example of a mapped file, aligned to 8.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_index {
    pub bytes: *const c_void,
    pub len: usize,
    pub n_rows: usize,
    pub n_ids: usize,
    pub stamp: u64,
    pub has_words: u8,
}
const _: () = {
    assert!(size_of::<engine_index>() == 48);
    assert!(offset_of!(engine_index, bytes) == 0);
    assert!(offset_of!(engine_index, len) == 8);
    assert!(offset_of!(engine_index, n_rows) == 16);
    assert!(offset_of!(engine_index, n_ids) == 24);
    assert!(offset_of!(engine_index, stamp) == 32);
    assert!(offset_of!(engine_index, has_words) == 40);
};

/// Queries of sparse weights: those of query i are weights[starts[i]] to weights[starts[i + 1] - 1], of ascending ids.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_sparse_queries {
    pub index: *const engine_index,
    pub weights: *const engine_weight,
    /// [n_queries + 1], the first is 0
    pub starts: *const usize,
    /// [n_queries]; NULL: both scores are added as they are
    pub fusions: *const engine_fusion,
}
const _: () = {
    assert!(size_of::<engine_sparse_queries>() == 32);
    assert!(offset_of!(engine_sparse_queries, index) == 0);
    assert!(offset_of!(engine_sparse_queries, weights) == 8);
    assert!(offset_of!(engine_sparse_queries, starts) == 16);
    assert!(offset_of!(engine_sparse_queries, fusions) == 24);
};

/// Rows [n, width], borrowed, of any alignment: they may be in a mapped file.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_vectors {
    pub rows: *const c_void,
    pub n: usize,
    pub width: usize,
    pub r#type: engine_element,
}
const _: () = {
    assert!(size_of::<engine_vectors>() == 32);
    assert!(offset_of!(engine_vectors, rows) == 0);
    assert!(offset_of!(engine_vectors, n) == 8);
    assert!(offset_of!(engine_vectors, width) == 16);
    assert!(offset_of!(engine_vectors, r#type) == 24);
};

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_search_options {
    pub struct_bytes: usize,
    pub metric: engine_metric,
    /// as in engine_session_options; fewer if the system refuses some
    pub n_threads: usize,
    /// receives the number of rows without scores, which are skipped; NULL: such a row is ENGINE_ERROR_NOT_FINITE
    pub n_skipped: *mut usize,
    /// or NULL
    pub progress: engine_progress_callback,
    pub progress_user: *mut c_void,
    /// or NULL. The index has a row for each of the vectors, whose width may be 0: then they score 0
    pub sparse: *const engine_sparse_queries,
    /// [n_texts + 1], or NULL; not with sparse. Rows are vectors of tokens: text i has those from text_starts[i] to text_starts[i + 1] - 1
    pub text_starts: *const usize,
    pub n_texts: usize,
}
const _: () = {
    assert!(size_of::<engine_search_options>() == 72);
    assert!(offset_of!(engine_search_options, struct_bytes) == 0);
    assert!(offset_of!(engine_search_options, metric) == 8);
    assert!(offset_of!(engine_search_options, n_threads) == 16);
    assert!(offset_of!(engine_search_options, n_skipped) == 24);
    assert!(offset_of!(engine_search_options, progress) == 32);
    assert!(offset_of!(engine_search_options, progress_user) == 40);
    assert!(offset_of!(engine_search_options, sparse) == 48);
    assert!(offset_of!(engine_search_options, text_starts) == 56);
    assert!(offset_of!(engine_search_options, n_texts) == 64);
};

/// The sums that a mean and a standard deviation need, of n scores.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct engine_moments {
    pub n: f64,
    pub sum: f64,
    pub squares: f64,
}
const _: () = {
    assert!(size_of::<engine_moments>() == 24);
    assert!(offset_of!(engine_moments, n) == 0);
    assert!(offset_of!(engine_moments, sum) == 8);
    assert!(offset_of!(engine_moments, squares) == 16);
};

unsafe extern "C" {
    /// Return static strings: "0.1.0"; how the library was built, and the instruction sets in use, two where AMX multiplies int8; "ENGINE_OK" and so on ("unknown status" for any other number).
    pub fn engine_version() -> *const c_char;
    /// Return static strings: "0.1.0"; how the library was built, and the instruction sets in use, two where AMX multiplies int8; "ENGINE_OK" and so on ("unknown status" for any other number).
    pub fn engine_build_info() -> *const c_char;
    /// Return static strings: "0.1.0"; how the library was built, and the instruction sets in use, two where AMX multiplies int8; "ENGINE_OK" and so on ("unknown status" for any other number).
    pub fn engine_status_name(status: engine_status) -> *const c_char;
    /// Opens a weight file: maps it and checks everything that addresses are computed from. path NULL: the file named by ENCODE_MODEL, else the default weights, beside the program or where they were installed. *model is NULL on failure. A mapped file must not change (wrong numbers, an error, or the end of the process): rename a new file over it; open models keep the old one.
    pub fn engine_model_open(path: *const c_char, options: *const engine_model_options, model: *mut *mut engine_model, error: *mut engine_error) -> engine_status;
    /// Opens a weight file in memory, which must be aligned to 64 bytes and must not change until the model is closed; ignores options->copy.
    pub fn engine_model_open_memory(data: *const c_void, len: usize, options: *const engine_model_options, model: *mut *mut engine_model, error: *mut engine_error) -> engine_status;
    /// Closes a model. Every session of it must be freed first. NULL is a harmless no-op.
    pub fn engine_model_close(model: *mut engine_model);
    /// Reads the complete file and compares every checksum; all numbers must be finite, padding zero.
    pub fn engine_model_verify(model: *const engine_model, error: *mut engine_error) -> engine_status;
    /// Fills info, which must be initialised with ENGINE_INFO().
    pub fn engine_model_info(model: *const engine_model, info: *mut engine_info, error: *mut engine_error) -> engine_status;
    /// Returns the value of a metadata key, NUL-terminated, borrowed; NULL if the key is absent.
    pub fn engine_model_metadata(model: *const engine_model, key: *const c_char) -> *const c_char;
    /// *text is borrowed, not NUL-terminated. ENGINE_ERROR_ARGUMENT: no such id, or it has no text.
    pub fn engine_token_text(model: *const engine_model, id: i32, text: *mut *const c_char, len: *mut usize) -> engine_status;
    /// Creates a session. Nothing is allocated afterwards, except a copy of a text with its prompt, which is reused, and by OpenMP in a thread's first call. The model must outlive the session.
    pub fn engine_session_new(model: *const engine_model, options: *const engine_session_options, session: *mut *mut engine_session, error: *mut engine_error) -> engine_status;
    /// Creates a session. Nothing is allocated afterwards, except a copy of a text with its prompt, which is reused, and by OpenMP in a thread's first call. The model must outlive the session.
    pub fn engine_session_free(session: *mut engine_session);
    /// Interrupts the call that is using the session, if any, with ENGINE_ERROR_INTERRUPTED, at the latest after one step of a layer or some KB of a text. A call that is nearly done still succeeds, and so do engine_windows and texts of a few KB. Any thread and any signal handler may call this. Vectors of that call are unspecified; the session stays usable. NULL is a no-op.
    pub fn engine_session_interrupt(session: *mut engine_session);
    /// Return the error of the last call, never NULL, and its message, "" if it succeeded. Valid until the next call with this session. During a call they report that the session is busy.
    pub fn engine_session_error(session: *const engine_session) -> *const engine_error;
    /// Return the error of the last call, never NULL, and its message, "" if it succeeded. Valid until the next call with this session. During a call they report that the session is busy.
    pub fn engine_session_message(session: *const engine_session) -> *const c_char;
    /// Return the error of the last call, never NULL, and its message, "" if it succeeded. Valid until the next call with this session. During a call they report that the session is busy.
    pub fn engine_session_threads(session: *const engine_session) -> usize;
    /// Writes the tokens of one text or pair, with its prompt if the options or the model have one. If options->max_tokens is 0, the text is never cut and may have any length, else options->on_long applies. Inputs with ids or tokens are refused (ENGINE_ERROR_ARGUMENT). result may be NULL.
    pub fn engine_tokenize(session: *mut engine_session, input: *const engine_input, options: *const engine_encode_options, out: *mut engine_token, cap: usize, needed: *mut usize, result: *mut engine_result) -> engine_status;
    /// Counts the words of a text or pair, without its prompt, from the tokens of engine_tokenize. Texts whose words are all unknown have nearly the same vector.
    pub fn engine_count_words(model: *const engine_model, input: *const engine_input, tokens: *const engine_token, n_tokens: usize, counts: *mut engine_word_counts) -> engine_status;
    /// Returns 1 if one of the tokens is of the text itself: neither special nor of its prompt. A text without such tokens (empty, only blanks) has a vector all the same: that of the others.
    pub fn engine_has_text(tokens: *const engine_token, n_tokens: usize) -> c_int;
    /// Writes the text of ids, not NUL-terminated, as HuggingFace's usual decoder of that kind of tokenizer joins tokens; a file's own decoder is not kept. What the tokenizer changed or dropped (case, blanks) is lost; ids that split a character give invalid UTF-8. skip_special: 1 leaves out those of the file's templates, and added ones like [PAD] or <pad>. ENGINE_ERROR_ARGUMENT: the id of index error->input has no text.
    pub fn engine_decode(model: *const engine_model, ids: *const i32, n: usize, skip_special: c_int, out: *mut c_char, cap: usize, needed: *mut usize, error: *mut engine_error) -> engine_status;
    /// Divides all tokens [n_tokens] of a text, from engine_tokenize without a limit, into windows of at most options->max_tokens (0: this session's limit for texts), each of which shares options->stride tokens (with whole_words or more) with the window before. Of a pair the longer text is split, or the one that options->truncation names. out is [windows]: one if the text is not too long. ENGINE_ERROR_UNSUPPORTED: it is too long, and the model's texts have padding.
    pub fn engine_windows(session: *mut engine_session, tokens: *const engine_token, n_tokens: usize, options: *const engine_encode_options, out: *mut engine_window, cap: usize, needed: *mut usize) -> engine_status;
    /// Writes a window's tokens to out [window->n_tokens], an input for engine_encode. NULL: a no-op.
    pub fn engine_window_tokens(window: *const engine_window, tokens: *const engine_token, n_tokens: usize, out: *mut engine_token);
    /// Fills shape, which must be initialised with ENGINE_SHAPE(). Failures are those of engine_encode. ENGINE_ERROR_UNSUPPORTED: the model has no such answer, or it was made to give labels and pooling is MODEL or TEXT: the message names the labels. Then the prompt alone is set, that of engine_tokenize. ENGINE_ERROR_ARGUMENT: among others for the name of a prompt that the file does not have; the message lists the file's names.
    pub fn engine_shape_of(model: *const engine_model, options: *const engine_encode_options, shape: *mut engine_shape, error: *mut engine_error) -> engine_status;
    /// Encodes n inputs. out is [n, width], or [sum of T, width] if the shape is per token; engine_answers.h says more of ENGINE_POOLING_SPARSE, _COLBERT and _LABELS. results is [n] or NULL. An input without tokens has no rows, and its pooled vector is zeros. If inputs are wrong, engine_error.input is the first one, and the answers and results of those before it are valid; the rest of both is unspecified after a failure, except with ENGINE_ERROR_BUFFER, where results are filled.
    pub fn engine_encode(session: *mut engine_session, inputs: *const engine_input, n: usize, options: *const engine_encode_options, out: *mut f32, cap: usize, needed: *mut usize, results: *mut engine_result) -> engine_status;
    /// Returns the name of a label, borrowed; NULL past the last label, and for unnamed labels.
    pub fn engine_label(model: *const engine_model, label: usize) -> *const c_char;
    /// Finds entities by options->strategy. If the input has tokens, its text, if given too, tells where words begin; else pieces do, and gaps.
    pub fn engine_entities(session: *mut engine_session, input: *const engine_input, options: *const engine_encode_options, out: *mut engine_entity, cap: usize, needed: *mut usize, result: *mut engine_result) -> engine_status;
    /// Finds the k most likely tokens (1 to n_vocabulary) of each mask token, best first: [masks, k].
    pub fn engine_fill(session: *mut engine_session, input: *const engine_input, k: usize, options: *const engine_encode_options, out: *mut engine_candidate, cap: usize, needed: *mut usize, result: *mut engine_result) -> engine_status;
    /// Writes the hypothesis of a label, `hypothesis` (NULL: "This example is {}.") with the label for its "{}", NUL-terminated, if cap is enough. *needed: bytes with the NUL. Errors: ENGINE_ERROR_BUFFER, and ENGINE_ERROR_ARGUMENT if there is not exactly one "{}".
    pub fn engine_hypothesis(hypothesis: *const c_char, label: *const c_char, out: *mut c_char, cap: usize, needed: *mut usize, error: *mut engine_error) -> engine_status;
    /// Computes the scores [n] of n labels for one text, from the logits [n, n_labels] of its pairs: the softmax of entailment over the labels. If is_multi, or n is 1, each label is scored alone, by entailment against the model's first label, which is its last if entailment is the first. out may be logits. Other models: ENGINE_ERROR_UNSUPPORTED.
    pub fn engine_zero_shot(model: *const engine_model, logits: *const f32, n: usize, is_multi: c_int, out: *mut f32, error: *mut engine_error) -> engine_status;
    /// Writes the ids of a row [n] whose weight is not 0, in ascending order, at most cap of them to out. Returns their number, which may exceed cap. row NULL: 0.
    pub fn engine_sparse_entries(row: *const f32, n: usize, out: *mut engine_weight, cap: usize) -> usize;
    /// Returns the sum of a's weight times b's over common ids, computed in double: how well two texts match. Entries must be in ascending order of ids.
    pub fn engine_sparse_product(a: *const engine_weight, n_a: usize, b: *const engine_weight, n_b: usize) -> f64;
    /// Returns 1 if a token of that id has a vector; `index` counts the text's tokens from 0, without padding.
    pub fn engine_token_has_vector(model: *const engine_model, id: i32, index: usize, role: engine_role) -> c_int;
    /// Returns MaxSim: the sum over the query's vectors [n_query, width] of the largest product with one of the text's vectors [n_text, width], in double. 0 if either has no vector.
    pub fn engine_max_sim(query: *const f32, n_query: usize, text: *const f32, n_text: usize, width: usize) -> f64;
    /// Encodes one text in one pass, and writes a vector for each of n spans of it, [n, width], each from the hidden states of the span's tokens, which have seen the whole text (late chunking). A token belongs to every span that has a byte of it; special tokens, those of a prompt and of a pair's second text to none. Vectors are pooled, projected and scaled as engine_encode does it by options->pooling, which must not resolve to cls, last or pooler. A span without tokens, as one that was cut off, has zeros. *needed: n * width. ENGINE_ERROR_ARGUMENT: a span ends before it begins or beyond the text, or the input has ids.
    pub fn engine_encode_spans(session: *mut engine_session, input: *const engine_input, spans: *const engine_span, n: usize, options: *const engine_encode_options, out: *mut f32, cap: usize, needed: *mut usize, result: *mut engine_result) -> engine_status;
    /// Encodes one input in one pass, and writes its vector as a sum: out is [T + 1, width], a part for each token (zeros for padding), and last that of the projections' biases (zeros without any). The sum of the rows is the vector that engine_encode writes with these options, so the dot product of two vectors is the sum of the products of all pairs of parts; divided by both lengths it is their cosine. ENGINE_ERROR_UNSUPPORTED, with the reason in the message, if a vector is no such sum: poolings other than mean, mean_sqrt and weighted_mean, and projections with an activation. *needed: (T + 1) * width; to ask for it takes a pass.
    pub fn engine_encode_parts(session: *mut engine_session, input: *const engine_input, options: *const engine_encode_options, out: *mut f32, cap: usize, needed: *mut usize, result: *mut engine_result) -> engine_status;
    /// Scores how well each of n texts answers a query; out is [n]. A cross-encoder (info.ranks_pairs) scores each pair by engine_score_pairs; it needs plain texts (no ids, no pairs). Other models compare by options->pooling: ENGINE_POOLING_COLBERT by engine_max_sim, others by the metric of engine_shape_of. ENGINE_POOLING_MODEL of a model without any is the mean. There a text or a query without a token of its own (engine_has_text) gives the least score that can be: by engine_max_sim less 1 for each vector of the query, as a cosine -1, as a product of sparse weights 0, else -FLT_MAX.
    pub fn engine_rank(session: *mut engine_session, query: *const engine_input, texts: *const engine_input, n: usize, options: *const engine_encode_options, out: *mut f32) -> engine_status;
    /// Scores n pairs of texts, or their ids or tokens, by a cross-encoder, as engine_rank does; out is [n], parameters as in engine_encode. Of two labels the score is the probability of the second, or with raw_scores how much larger its logit is. Other models: ENGINE_ERROR_UNSUPPORTED.
    pub fn engine_score_pairs(session: *mut engine_session, inputs: *const engine_input, n: usize, options: *const engine_encode_options, out: *mut f32, cap: usize, needed: *mut usize, results: *mut engine_result) -> engine_status;
    /// Return the score of two vectors [n], computed in double. NULL: that of a text without a token of its own, the least that engine_rank gives.
    pub fn engine_similarity(metric: engine_metric, a: *const f32, b: *const f32, n: usize) -> f64;
    /// Return the score of two vectors [n], computed in double. NULL: that of a text without a token of its own, the least that engine_rank gives.
    pub fn engine_cosine(a: *const f32, b: *const f32, n: usize) -> f64;
    /// Returns the index-th key and value of the file's settings, borrowed, NUL-terminated. value_len (may be NULL) receives the value's length, as it may contain NUL bytes. ENGINE_ERROR_ARGUMENT past the last one.
    pub fn engine_model_setting(model: *const engine_model, settings: engine_settings, index: usize, key: *mut *const c_char, value: *mut *const c_char, value_len: *mut usize) -> engine_status;
    /// Return the index-th section or tensor, in file order. ENGINE_ERROR_ARGUMENT past the last one.
    pub fn engine_model_section(model: *const engine_model, index: usize, section: *mut engine_section_info) -> engine_status;
    /// Return the index-th section or tensor, in file order. ENGINE_ERROR_ARGUMENT past the last one.
    pub fn engine_model_tensor(model: *const engine_model, index: usize, tensor: *mut engine_tensor_info) -> engine_status;
    /// Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name.
    pub fn engine_position_name(position: engine_position) -> *const c_char;
    /// Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name.
    pub fn engine_mask_name(mask: engine_mask) -> *const c_char;
    /// Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name.
    pub fn engine_pooling_name(pooling: engine_pooling) -> *const c_char;
    /// Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name.
    pub fn engine_position_named(name: *const c_char) -> c_int;
    /// Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name.
    pub fn engine_mask_named(name: *const c_char) -> c_int;
    /// Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal", "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a name, or -1 for an unknown name.
    pub fn engine_pooling_named(name: *const c_char) -> c_int;
    /// Returns 1 if a session's position_base is used by these positions; 0 for the model's own.
    pub fn engine_position_has_base(position: engine_position) -> c_int;
    /// Writes rows 0 .. n-1 of the positions that a session with these options adds, including position_scale: out is [n, D], D the width of the model's embedding tables; for ENGINE_POSITION_INDEX the rows of a text of n tokens. NONE gives zeros. width is 0 or D. If model is NULL, width is D, options->position must be a scheme without a table, and harmonics are those of options->max_tokens (0: n). Other options are ignored. ENGINE_ERROR_UNSUPPORTED for ENGINE_POSITION_LEARNED if the model has no table, and of a tokenizer alone; ENGINE_ERROR_LENGTH if the table has fewer rows.
    pub fn engine_position_matrix(model: *const engine_model, options: *const engine_session_options, width: usize, n: usize, out: *mut f32, cap: usize, needed: *mut usize, error: *mut engine_error) -> engine_status;
    /// The same in double, before rounding to float32: to measure the formulas themselves. Learned positions are the rows of the table, which are float32, times position_scale.
    pub fn engine_position_matrix_exact(model: *const engine_model, options: *const engine_session_options, width: usize, n: usize, out: *mut f64, cap: usize, needed: *mut usize, error: *mut engine_error) -> engine_status;
    /// Returns the bytes of a session's single block; 0 if the options are invalid.
    pub fn engine_session_bytes(model: *const engine_model, options: *const engine_session_options) -> usize;
    /// Returns the time of all calls since the session was created, if its options set `profile` (else ENGINE_ERROR_ARGUMENT). Must not be called during another call.
    pub fn engine_session_profile(session: *const engine_session, out: *mut engine_profile) -> engine_status;
    /// Returns "linear" and so on; NULL past the last step.
    pub fn engine_step_name(step: engine_step) -> *const c_char;
    /// Returns the bytes of a row; 0 for an unknown type, or if a size_t cannot hold them.
    pub fn engine_row_bytes(r#type: engine_element, width: usize) -> usize;
    /// Writes rows [n, width] as n rows of the type, n * engine_row_bytes() bytes, to out, which may have any alignment. Rounds to nearest, ties to even. A row with a number that is NaN, infinite, or too large for f16 has no scores in a search: in int8 its scale is NaN. Bits are 0 for NaN.
    pub fn engine_rows_from_f32(rows: *const f32, n: usize, width: usize, r#type: engine_element, out: *mut c_void);
    /// NULL: no memory
    pub fn engine_index_new() -> *mut engine_index_builder;
    /// NULL is allowed
    pub fn engine_index_free(builder: *mut engine_index_builder);
    /// Adds the next row: a text, or n finite weights, of ids from 0 to 2147483645, in any order; those of an id add up. All rows are of one kind. After a failure nothing is added.
    pub fn engine_index_add_text(builder: *mut engine_index_builder, text: *const c_char, len: usize, error: *mut engine_error) -> engine_status;
    /// Adds the next row: a text, or n finite weights, of ids from 0 to 2147483645, in any order; those of an id add up. All rows are of one kind. After a failure nothing is added.
    pub fn engine_index_add_weights(builder: *mut engine_index_builder, weights: *const engine_weight, n: usize, error: *mut engine_error) -> engine_status;
    /// Makes the index, *len bytes for a file, with a stamp for the caller. The builder owns them, takes no more rows, and needs 40 bytes for each weight until then.
    pub fn engine_index_bytes(builder: *mut engine_index_builder, stamp: u64, bytes: *mut *const c_void, len: *mut usize, error: *mut engine_error) -> engine_status;
    /// Fills in the other members from bytes and len. Reads all bytes: a damaged index is refused.
    pub fn engine_index_open(index: *mut engine_index, error: *mut engine_error) -> engine_status;
    /// Writes the weights of a query's words in indexes[which], of n that are searched together, in ascending order of ids, to out, which has room for (len + 1) / 2: a text of len bytes has no more words. Returns their number. Unknown words have none.
    pub fn engine_index_query(indexes: *const engine_index, n: usize, which: usize, text: *const c_char, len: usize, out: *mut engine_weight) -> usize;
    /// Returns the sum of the query's weights times the row's, of ascending ids, as searches do. A sum that float32 cannot hold becomes its largest number with the sum's sign, and so in searches.
    pub fn engine_index_score(index: *const engine_index, query: *const engine_weight, n: usize, row: u64) -> f32;
    /// Finds the k rows with the best scores for each of n_queries queries, float32 [n_queries, width], among all rows: out is [n_queries, k], best first, equal scores by ascending row. If there are fewer than k rows, the rest of out has the score -INFINITY and the row UINT64_MAX. In binary rows a bit counts as ±1/sqrt(width), so that rows have length 1; queries are not rounded.  Scores are sums of float32. They depend on the query, the row and the kernels in use, and not on the number of queries, rows or threads. Rows with NaN or an infinity have no scores, nor, by cosine, rows whose length is neither 0 nor from 2^-115 to 2^125 (2.4e-35 to 4.2e37). A product q·v that float32 cannot hold becomes its largest number with the product's sign.  With text_starts the queries are all vectors of one query, and out, [k], has the texts with the best MaxSim: the sum over the query's vectors of the best score that a row of the text has, 0 without rows. `row` is then the text, here and in messages, and a text has no score if a row of it has none.  ENGINE_ERROR_NOT_FINITE: a query has NaN or an infinity, or a row has no scores: the message names the first such row. ENGINE_ERROR_MEMORY: no memory for the hits of each thread and some blocks of rows. `out` is unspecified after a failure.
    pub fn engine_search(vectors: *const engine_vectors, queries: *const f32, n_queries: usize, k: usize, options: *const engine_search_options, out: *mut engine_hit, error: *mut engine_error) -> engine_status;
    /// Adds the moments of each query's scores, to be searched with options->sparse, to vectors_out and sparse_out [n_queries]: of the vectors by at most 1,024 rows, evenly spaced, which stand for all; of sparse scores as if a query's ids were independent. Vectors that are searched together add theirs up. Rows without scores are left out.
    pub fn engine_search_moments(vectors: *const engine_vectors, queries: *const f32, n_queries: usize, options: *const engine_search_options, vectors_out: *mut engine_moments, sparse_out: *mut engine_moments, error: *mut engine_error) -> engine_status;
    /// Returns the fusion that adds the z-scores of both, (score - mean) / deviation, the sparse ones times `weight`. If all scores are equal, their z-scores are 0.
    pub fn engine_fuse(vectors: engine_moments, sparse: engine_moments, weight: f64) -> engine_fusion;
}
