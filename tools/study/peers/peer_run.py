"""peer_run.py: one peer on one workload, for bench_peers.py, which runs it in the environment of the peers.

Texts of the same length go together, at most 1,024 tokens a call: nothing is padded. One call at a time, with all
threads. Prints one line of JSON. `openvino` is as it is installed (bf16 where the processor has it), `openvino-f32` is
set to f32.
"""
import argparse
import json
import statistics
import time

import numpy

TOKENS = 1024


def batches(path):
    by_length = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            ids = [int(word) for word in line.split()]
            by_length.setdefault(len(ids), []).append(ids)
    for length, rows in by_length.items():
        step = max(1, TOKENS // length)
        for start in range(0, len(rows), step):
            yield numpy.array(rows[start:start + step], numpy.int64)


def onnxruntime_runs(options, groups):
    import onnxruntime
    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = options.threads
    session_options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(options.model, session_options, providers=["CPUExecutionProvider"])
    types = {put.name: numpy.int64 if put.type == "tensor(int64)" else numpy.int32 for put in session.get_inputs()}
    feeds = [{name: (ids if name == "input_ids" else numpy.ones_like(ids)).astype(kind)
              for name, kind in types.items()} for ids in groups]
    return [lambda feed=feed: session.run(["embedding"], feed) for feed in feeds]


def openvino_runs(options, groups):
    import openvino
    settings = {"INFERENCE_NUM_THREADS": options.threads, "PERFORMANCE_HINT": "LATENCY"}
    if options.engine == "openvino-f32":
        settings["INFERENCE_PRECISION_HINT"] = "f32"
    request = openvino.Core().compile_model(options.model, "CPU", settings).create_infer_request()
    feeds = [{"input_ids": ids, "attention_mask": numpy.ones_like(ids)} for ids in groups]
    return [lambda feed=feed: request.infer(feed, share_inputs=True) for feed in feeds]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=["onnxruntime", "openvino", "openvino-f32"])
    parser.add_argument("model")
    parser.add_argument("ids")
    parser.add_argument("threads", type=int)
    parser.add_argument("seconds", type=float)
    options = parser.parse_args()
    make = onnxruntime_runs if options.engine == "onnxruntime" else openvino_runs
    runs, times = make(options, list(batches(options.ids))), []
    for run in runs:
        run()
    end = time.perf_counter() + options.seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        for run in runs:
            run()
        times.append(time.perf_counter() - start)
    print(json.dumps({"median_ms": 1000 * statistics.median(times), "runs": len(times)}))


if __name__ == "__main__":
    main()
