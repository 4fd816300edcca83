//! Transformer encoders on CPUs: text in, vectors out. README.md has an example.
#[rustfmt::skip]
pub mod sys;

use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::{Mutex, atomic::AtomicBool, atomic::Ordering::SeqCst};
use std::{env, fmt, mem, path::Path, ptr, slice, thread, time::Duration};
use sys::*;

/// Why a call failed: `status` is an `engine_status`, `index` that of the input which caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: engine_status,
    pub index: Option<usize>,
    pub message: String,
}
impl std::error::Error for Error {}
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}
fn refused(message: &str) -> Error {
    Error { status: ENGINE_ERROR_ARGUMENT, index: None, message: message.into() }
}

/// A text, a pair of texts, or token ids, which are used as they are.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    Text(&'a str),
    Pair(&'a str, &'a str),
    Ids(&'a [i32]),
}

/// Options of a call; `Options::default()` is as the model says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// `sys::ENGINE_ROLE_QUERY` and the like: chooses the model's prompt.
    pub role: engine_role,
    /// A prompt of the model, by its name; "": none.
    pub prompt: Option<&'a str>,
    /// Columns of vectors; 0: all.
    pub dimensions: usize,
    pub normalize: bool,
    /// `sys::ENGINE_ON_LONG_TRUNCATE` and the like: what becomes of a text that is longer than the model takes.
    pub on_long: engine_on_long,
    pub cancel: Option<&'a Cancel>,
}

/// Interrupts the calls that have it in their options.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool, Mutex<Vec<usize>>);
impl Cancel {
    /// Returns when the calls have ended, within a step of a layer; later calls are refused.
    pub fn cancel(&self) {
        self.0.store(true, SeqCst);
        loop {
            let running = self.1.lock().unwrap();
            running.iter().for_each(|&session| unsafe { engine_session_interrupt(session as *mut _) });
            if running.is_empty() {
                return;
            }
            drop(running); // again a moment later: a call may not have begun
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Rows of numbers, a slice for each input.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    pub values: Vec<f32>,
    pub width: usize,
    starts: Vec<usize>,
}
impl Rows {
    pub fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.starts.windows(2).map(|ends| &self.values[ends[0]..ends[1]])
    }
}

/// A model, opened from a weight file. Any number of threads may share it: each call has a session.
#[derive(Debug)]
pub struct Encoder {
    model: *mut engine_model,
    sessions: Mutex<Vec<usize>>,
    threads: usize,
    metric: engine_metric,
    pub width: usize,
    pub labels: Vec<String>,
}
unsafe impl Send for Encoder {} // a model never changes, and a session is one call's
unsafe impl Sync for Encoder {}
impl Drop for Encoder {
    fn drop(&mut self) {
        let sessions = mem::take(self.sessions.get_mut().unwrap());
        sessions.into_iter().for_each(|session| unsafe { engine_session_free(session as *mut _) });
        unsafe { engine_model_close(self.model) };
    }
}

fn zeros<T: Copy>() -> T {
    unsafe { mem::zeroed() } // only structs of C: numbers and pointers
}
fn sized<T: Copy>() -> T {
    let mut value: T = zeros(); // of a struct that begins with struct_bytes
    unsafe { *(&raw mut value).cast::<usize>() = size_of::<T>() };
    value
}
fn string(text: Option<&str>) -> Result<Option<CString>, Error> {
    text.map(CString::new).transpose().map_err(|_| refused("a path or a name has a NUL character"))
}
fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(ptr::null(), |text| text.as_ptr())
}
fn error_of(error: &engine_error) -> Error {
    let message = unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_string_lossy().into_owned();
    Error { status: error.status, index: (error.input < ENGINE_QUERY_INPUT).then_some(error.input), message }
}
fn call(f: impl FnOnce(*mut engine_error) -> engine_status) -> Result<(), Error> {
    let mut error = zeros();
    if f(&mut error) == ENGINE_OK { Ok(()) } else { Err(error_of(&error)) }
}
fn inputs_of(inputs: &[Input]) -> Vec<engine_input> {
    let one = |input: &Input| {
        let mut made: engine_input = zeros();
        match *input {
            Input::Ids(ids) => (made.ids, made.n_ids) = (ids.as_ptr(), ids.len()),
            Input::Text(text) | Input::Pair(text, _) => (made.text, made.text_len) = (text.as_ptr().cast(), text.len()),
        }
        if let Input::Pair(_, pair) = *input {
            (made.pair, made.pair_len) = (pair.as_ptr().cast(), pair.len());
        }
        made
    };
    inputs.iter().map(one).collect()
}

impl Encoder {
    /// Opens a weight file; None: the environment's ENCODE_MODEL, else the default weights. threads: of each call; 0: all.
    pub fn open(path: Option<&str>, threads: usize) -> Result<Encoder, Error> {
        let beside = option_env!("LIBENGINE_WEIGHTS").filter(|path| Path::new(path).exists());
        let path = string(path.or(beside.filter(|_| env::var_os("ENCODE_MODEL").is_none())))?;
        let (mut model, mut info, mut shape) = (ptr::null_mut(), sized::<engine_info>(), sized::<engine_shape>());
        call(|error| unsafe { engine_model_open(pointer(&path), ptr::null(), &mut model, error) })?;
        let sessions = Mutex::default();
        let mut encoder = Encoder { model, sessions, threads, metric: 0, width: 0, labels: vec![] };
        call(|error| unsafe { engine_model_info(model, &mut info, error) })?;
        let label = |i| match unsafe { engine_label(model, i) } {
            name if name.is_null() => format!("LABEL_{i}"),
            name => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
        };
        (encoder.width, encoder.labels) = (info.output_width, (0..info.n_labels).map(label).collect());
        let settings = engine_encode_options { prompt: c"".as_ptr(), ..sized() };
        unsafe { engine_shape_of(model, &settings, &mut shape, ptr::null_mut()) }; // cosine if there are no vectors
        encoder.metric = shape.metric;
        Ok(encoder)
    }

    /// Calls f with a session and the options.
    fn call<F>(&self, options: &Options, pooling: engine_pooling, mut f: F) -> Result<(), Error>
    where
        F: FnMut(*mut engine_session, &mut engine_encode_options) -> engine_status,
    {
        let Options { role, on_long, dimensions, .. } = *options;
        let (prompt, normalize) = (string(options.prompt)?, c_int::from(options.normalize));
        let named = pointer(&prompt);
        let mut settings =
            engine_encode_options { pooling, normalize, role, on_long, dimensions, prompt: named, ..sized() };
        let mut session = self.sessions.lock().unwrap().pop().unwrap_or(0) as *mut engine_session;
        if session.is_null() {
            let made = engine_session_options { n_threads: self.threads, ..sized() };
            call(|error| unsafe { engine_session_new(self.model, &made, &mut session, error) })?;
        }
        let cancels = options.cancel.into_iter();
        cancels.clone().for_each(|cancel| cancel.1.lock().unwrap().push(session as usize));
        let is_late = cancels.clone().any(|cancel| cancel.0.load(SeqCst));
        let status = if is_late { ENGINE_ERROR_INTERRUPTED } else { f(session, &mut settings) };
        cancels.for_each(|cancel| cancel.1.lock().unwrap().retain(|&running| running != session as usize));
        let failed = error_of(unsafe { &*engine_session_error(session) });
        self.sessions.lock().unwrap().push(session as usize);
        match status {
            ENGINE_OK => Ok(()),
            _ if is_late => Err(Error { status, index: None, message: "cancelled before it began".into() }),
            _ => Err(failed),
        }
    }

    fn rows(&self, inputs: &[Input], options: &Options, pooling: engine_pooling) -> Result<Rows, Error> {
        let (given, mut rows, mut needed) = (inputs_of(inputs), Rows::default(), 0);
        let (n, mut results) = (given.len(), vec![zeros::<engine_result>(); given.len()]);
        let (mut shape, mut shaped) = (sized::<engine_shape>(), Ok(()));
        self.call(options, pooling, |session, settings| unsafe {
            shaped = call(|error| engine_shape_of(self.model, settings, &mut shape, error));
            rows.values.resize(if shape.per_token == 0 { n * shape.width } else { 0 }, 0.0);
            for _ in 0..2 * c_int::from(shaped.is_ok()) {
                let (out, cap) = (rows.values.as_mut_ptr(), rows.values.len());
                let found = results.as_mut_ptr();
                match engine_encode(session, given.as_ptr(), n, settings, out, cap, &mut needed, found) {
                    ENGINE_ERROR_BUFFER => rows.values.resize(needed, 0.0),
                    status => return status,
                }
            }
            ENGINE_OK
        })?;
        shaped?;
        let start =
            |(i, result): (usize, &engine_result)| if shape.per_token == 0 { i } else { result.row } * shape.width;
        rows.starts = results.iter().enumerate().map(start).chain([rows.values.len()]).collect();
        Ok(Rows { width: shape.width, ..rows })
    }

    /// Returns a vector for each input.
    pub fn encode(&self, inputs: &[Input], options: &Options) -> Result<Rows, Error> {
        self.rows(inputs, options, ENGINE_POOLING_TEXT)
    }

    /// Returns scores of `labels` for each input; of a model that labels tokens, those of all its tokens.
    pub fn classify(&self, inputs: &[Input], options: &Options) -> Result<Rows, Error> {
        self.rows(inputs, options, ENGINE_POOLING_LABELS)
    }

    /// Returns texts by how well they answer a query, best first: by cross-encoder or vectors, as the model does it.
    pub fn rank(&self, query: &str, texts: &[&str], options: &Options) -> Result<Vec<engine_hit>, Error> {
        let given: Vec<Input> = texts.iter().copied().map(Input::Text).collect();
        let (asked, given, mut cut) = (inputs_of(&[Input::Text(query)]), inputs_of(&given), 0);
        let mut scores = vec![0.0; given.len()];
        self.call(options, ENGINE_POOLING_MODEL, |session, settings| unsafe {
            settings.n_cut = &mut cut; // so that the model's file decides about long texts
            engine_rank(session, asked.as_ptr(), given.as_ptr(), given.len(), settings, scores.as_mut_ptr())
        })?;
        let mut hits: Vec<_> = scores.into_iter().zip(0..).map(|(score, row)| engine_hit { row, score }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(hits)
    }

    /// Returns the tokens of an input, uncut.
    pub fn tokenize(&self, input: Input, options: &Options) -> Result<Vec<engine_token>, Error> {
        let (given, mut tokens, mut needed) = (inputs_of(&[input]), vec![zeros(); 64], 0);
        let options = Options { prompt: options.prompt.or(Some("")), ..*options };
        self.call(&options, ENGINE_POOLING_MODEL, |session, settings| {
            loop {
                let (out, cap, none) = (tokens.as_mut_ptr(), tokens.len(), ptr::null_mut());
                let status = unsafe { engine_tokenize(session, given.as_ptr(), settings, out, cap, &mut needed, none) };
                tokens.resize(needed, zeros());
                if status != ENGINE_ERROR_BUFFER {
                    return status;
                }
            }
        })?;
        Ok(tokens)
    }

    /// Returns the text of a token; "" if it has none.
    pub fn token_text(&self, id: i32) -> String {
        let (mut text, mut len) = (ptr::null(), 0);
        match unsafe { engine_token_text(self.model, id, &mut text, &mut len) } {
            ENGINE_OK if len > 0 => unsafe { String::from_utf8_lossy(slice::from_raw_parts(text.cast(), len)).into() },
            _ => String::new(),
        }
    }

    /// Returns the score of two vectors of one width by the model's metric: the larger, the nearer.
    pub fn similarity(&self, a: &[f32], b: &[f32]) -> f64 {
        assert_eq!(a.len(), b.len(), "vectors of two widths");
        unsafe { engine_similarity(self.metric, a.as_ptr(), b.as_ptr(), a.len()) }
    }

    /// Returns the k nearest of rows [n, width] for each of the queries [m, width], exactly, by the model's metric.
    pub fn search(&self, rows: &[f32], queries: &[f32], width: usize, k: usize) -> Result<Vec<Vec<engine_hit>>, Error> {
        if width == 0 || rows.len() % width + queries.len() % width != 0 {
            return Err(refused("rows or queries are no multiple of width"));
        }
        let (n, m, k) = (rows.len() / width, queries.len() / width, k.min(rows.len() / width));
        let vectors = engine_vectors { rows: rows.as_ptr().cast(), n, width, r#type: ENGINE_F32 };
        let settings = engine_search_options { metric: self.metric, n_threads: self.threads, ..sized() };
        let mut hits = vec![zeros(); k * m];
        let out = hits.as_mut_ptr();
        if !hits.is_empty() {
            call(|error| unsafe { engine_search(&vectors, queries.as_ptr(), m, k, &settings, out, error) })?;
        }
        Ok(hits.chunks(k.max(1)).map(<[_]>::to_vec).collect())
    }
}
