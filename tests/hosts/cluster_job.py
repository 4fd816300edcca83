"""Encodes the lines of a file by Spark or Ray on workers of this machine, from Parquet to Parquet, and writes the
float32 of their vectors, in order. Prints the texts per second of the second run (the first starts the workers).

    python3 tests/hosts/cluster_job.py spark|ray TEXTS VECTORS FOLDER [FLAG]

FLAG: a file that does not exist yet: the first worker to meet its third batch makes it, and is killed by SIGKILL.
"""

import os
import pathlib
import signal
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

def count(flag):
    """Counts the batches of this process, and kills it at the third one, once for all processes."""
    sys.n_batches = getattr(sys, "n_batches", 0) + 1
    if flag and sys.n_batches == 3 and not os.path.exists(flag):
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        os.kill(os.getpid(), signal.SIGKILL)


def with_spark(folder, flag, runs, batch):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import libengine.spark
    encode = libengine.spark.encode_column("text")

    def watched(batches):
        def counted():
            for batch in batches:
                count(flag)
                yield batch
        yield from encode(counted())

    settings = {"spark.ui.enabled": "false", "spark.sql.parquet.compression.codec": "uncompressed",
                "spark.hadoop.parquet.enable.dictionary": "false",
                "spark.sql.execution.arrow.maxRecordsPerBatch": batch,
                "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
                "spark.local.dir": f"{folder}/local", "spark.sql.warehouse.dir": f"{folder}/warehouse"}
    spark = SparkSession.builder.master("local[2,4]").config(map=settings).getOrCreate()
    for out in runs:
        frame = spark.read.parquet(f"{folder}/in")
        frame.mapInArrow(watched, libengine.spark.schema_with(frame.schema)).write.parquet(out)
    spark.stop()


def with_ray(folder, flag, runs, batch):
    import ray

    from libengine.ray import EncodeColumn

    encode = EncodeColumn("text")

    def watched(batch):
        count(flag)
        return encode(batch)

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30)
    ray.data.DataContext.get_current().enable_progress_bars = False
    for out in runs:
        texts = ray.data.read_parquet(f"{folder}/in").repartition(target_num_rows_per_block=batch)
        texts.map_batches(watched, batch_format="pyarrow").write_parquet(out, use_dictionary=False)
    ray.shutdown()


def timed(folder, n, seconds):
    """Yields a folder for each run, and measures it: two of many texts, as the first starts the workers."""
    for run in range(1 if n <= 4000 else 2):
        begin = time.perf_counter()
        yield f"{folder}/out{run}"
        seconds.append(time.perf_counter() - begin)


def main(engine, texts, vectors, folder, flag=None):
    lines, seconds = pathlib.Path(texts).read_text(encoding="utf-8").splitlines(), []
    os.makedirs(f"{folder}/in")
    rows = -(-len(lines) // 4)
    for part in range(4):
        these = range(part * rows, min((part + 1) * rows, len(lines)))
        pq.write_table(pa.table({"row": list(these), "text": [lines[i] for i in these]}), f"{folder}/in/{part}.parquet",
                       compression="none")  # where musl is installed, Java takes snappy for musl's
    runs = timed(folder, len(lines), seconds)
    function, n_batches = {"spark": (with_spark, 40), "ray": (with_ray, 8)}[engine]  # several for each worker
    function(folder, flag, runs, max(200, len(lines) // n_batches))
    table = pq.read_table(f"{folder}/out0").sort_by("row")
    assert table["row"].to_pylist() == list(range(len(lines))), "rows are missing or doubled"
    column = table["vector"].combine_chunks()
    pathlib.Path(vectors).write_bytes(column.flatten().to_numpy().astype(np.float32, copy=False).tobytes())
    print(f"{engine}: {len(lines) / seconds[-1]:,.0f} texts/s in {seconds[-1]:.1f} s")


main(*sys.argv[1:])
