//! Makes the calls of a table, see language.sh: rust_uses CASES FOLDER
#![forbid(unsafe_code)]
use libengine::{Cancel, Encoder, Error, Input, Options, Rows, sys};
use std::time::{Duration, Instant};
use std::{collections::HashMap, env, fs, thread};

fn lines(file: &str) -> Vec<String> {
    fs::read_to_string(file).unwrap().lines().map(String::from).collect()
}
fn bytes<'a>(values: impl IntoIterator<Item = &'a f32>) -> Vec<u8> {
    values.into_iter().flat_map(|value| value.to_le_bytes()).collect()
}
fn texts(lines: &[String]) -> Vec<Input<'_>> {
    lines.iter().map(|line| Input::Text(line)).collect()
}
fn memory() -> i64 {
    fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse::<i64>().unwrap() * 4096
}
fn rows_of(rows: Rows) -> Vec<u8> {
    assert_eq!(rows.iter().map(<[f32]>::len).sum::<usize>(), rows.values.len());
    bytes(&rows.values)
}

fn answer(call: &str, e: &Encoder, file: &str, o: &Options, first: f64) -> Result<Vec<u8>, Error> {
    let given = lines(file);
    Ok(match call {
        "encode" => rows_of(e.encode(&texts(&given), o)?),
        "pairs" => {
            let pairs: Vec<_> = given.iter().map(|line| line.split_once('\t').unwrap()).collect();
            rows_of(e.encode(&pairs.iter().map(|(a, b)| Input::Pair(a, b)).collect::<Vec<_>>(), o)?)
        }
        "ids" => {
            let ids: Vec<Vec<i32>> =
                given.iter().map(|line| line.split(' ').map(|id| id.parse().unwrap()).collect()).collect();
            rows_of(e.encode(&ids.iter().map(|ids| Input::Ids(ids)).collect::<Vec<_>>(), o)?)
        }
        "labels" => {
            let rows = e.classify(&texts(&given), o)?;
            let best = |row: &[f32]| row.iter().copied().fold(f32::MIN, f32::max);
            bytes(&rows.values.chunks(e.labels.len()).map(best).collect::<Vec<_>>())
        }
        "rank" => {
            let mut scores = vec![0.0; given.len() - 1];
            let documents: Vec<&str> = given[1..].iter().map(String::as_str).collect();
            e.rank(&given[0], &documents, o)?.iter().for_each(|hit| scores[hit.row as usize] = hit.score);
            bytes(&scores)
        }
        "tokens" => {
            let tokens = e.tokenize(Input::Text(&given[0]), o)?;
            assert!(tokens.iter().any(|token| e.token_text(token.id) == "dogs"));
            tokens.iter().flat_map(|t| format!("{} {} {}\n", t.id, t.begin, t.end).into_bytes()).collect()
        }
        "search" => {
            let rows = e.encode(&texts(&given), o)?;
            let hits = e.search(&rows.values, &rows.values, rows.width, 3)?;
            hits.concat().iter().flat_map(|h| [&h.row.to_le_bytes()[..], &h.score.to_le_bytes()].concat()).collect()
        }
        "threads" => {
            let expected = rows_of(e.encode(&texts(&given), o)?);
            let same = |_: usize| rows_of(e.encode(&texts(&given), &Options::default()).unwrap()) == expected;
            let all = thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| (0..4).all(same))).collect();
                threads.into_iter().all(|thread| thread.join().unwrap())
            });
            if all { b"same\n".to_vec() } else { b"others\n".to_vec() }
        }
        "cancel" => {
            let cancel = Cancel::default();
            let options = Options { cancel: Some(&cancel), ..*o };
            let error = thread::scope(|scope| {
                let call = scope.spawn(|| e.encode(&texts(&given), &options).unwrap_err());
                thread::sleep(Duration::from_millis(30));
                cancel.cancel();
                call.join().unwrap()
            });
            assert_eq!(e.encode(&[Input::Text("a")], &options).unwrap_err().status, 12);
            e.encode(&[Input::Text("usable")], o)?;
            format!("error {} -1\n", error.status).into_bytes()
        }
        "many" => {
            let n: usize = env::var("MANY").unwrap().parse().unwrap();
            let mut before = 0;
            for i in 0..n {
                before = if i == n / 2 { memory() } else { before };
                e.encode(&[Input::Text("I ride bike")], o)?;
            }
            let more = memory() - before;
            if more < 4 << 20 { b"flat\n".to_vec() } else { format!("{more} bytes more\n").into_bytes() }
        }
        "closed" => {
            let before = memory();
            for _ in 0..100 {
                Encoder::open(None, 1)?.encode(&[Input::Text("a")], o)?; // dropped: the compiler refuses later calls
            }
            if memory() - before < 64 << 20 { b"closed\n".to_vec() } else { b"open\n".to_vec() }
        }
        _ => {
            let begin = Instant::now();
            (0..50).for_each(|_| given.iter().for_each(|text| drop(e.encode(&[Input::Text(text)], o).unwrap())));
            let each = begin.elapsed().as_secs_f64() * 1e6 / (50 * given.len()) as f64;
            format!("{first:.1} ms, {each:.0} µs\n").into_bytes()
        }
    })
}

fn main() {
    let (begin, arguments) = (Instant::now(), env::args().collect::<Vec<_>>());
    Encoder::open(None, 0).unwrap().encode(&[Input::Text("I ride bike")], &Options::default()).unwrap();
    let (first, mut encoders) = (begin.elapsed().as_secs_f64() * 1e3, HashMap::new());
    for line in lines(&arguments[1]) {
        let [call, out, model, role, dimensions, normalize, prompt, on_long, file] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line} has other columns")
        };
        let number = |names: &[&str], name| names.iter().position(|known| *known == name).unwrap() as i32;
        let options = Options {
            role: number(&["text", "query", "document"], role),
            on_long: number(&["model", "truncate", "error"], on_long),
            dimensions: dimensions.parse().unwrap(),
            normalize: normalize == "1",
            prompt: (prompt != "-").then_some(prompt),
            ..Options::default()
        };
        if !encoders.contains_key(model) {
            encoders.insert(model.to_string(), Encoder::open(Some(model), 0));
        }
        let answered = match &encoders[model] {
            Ok(encoder) => answer(call, encoder, file, &options, first),
            Err(error) => Err(error.clone()),
        };
        let text = answered.unwrap_or_else(|error| {
            let index = error.index.map_or(-1, |index| index as i64);
            format!("error {} {index} {error}\n", error.status).into_bytes()
        });
        fs::write(format!("{}/{out}", arguments[2]), text).unwrap();
    }
    assert_eq!(sys::ENGINE_VERSION, "0.1.0");
}
