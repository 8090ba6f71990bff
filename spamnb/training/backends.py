"""Counting by way of a backend of joblib: ray or spark do the work, the results are merged here."""

from __future__ import annotations

import os
import sys

from spamnb.errors import SpamnbError
from spamnb.training.dask_cluster import Shard, ShardResult, count_shard, merge_counted
from spamnb.training.trainer import Trainer

# joblibspark 0.6 needs packaging and does not say so.
_PACKAGES = {"ray": "ray", "spark": "pyspark joblibspark packaging"}


def on_backend(trainer: Trainer, shards: list[Shard], backend: str, jobs: int, timeout: float) -> ShardResult:
    """Count by way of a joblib backend; the merge is done here. Not all backends survive a lost worker."""
    from threading import Timer

    import joblib

    _register(backend)
    limit = Timer(timeout, _release, (backend,))
    try:
        if backend == "spark":  # joblibspark 0.6 knows no timeout
            limit.start()
        with joblib.parallel_config(backend=backend, n_jobs=jobs):
            run = joblib.Parallel(timeout=timeout)
            results = run(joblib.delayed(_tried)(trainer, shard) for shard in shards)
    except Exception as error:
        what = (
            f"nothing came back within {timeout:g} s"
            if _is_timeout(error) or limit.finished.is_set()
            else f"{type(error).__name__}: {error}"
        )
        raise SpamnbError(
            f"counting with --backend {backend} failed: {what}",
            hint="use --jobs without --backend, or --dask",
        ) from error
    finally:
        limit.cancel()
        _release(backend)
    for result in results:
        if isinstance(result, SpamnbError):
            raise result
    return merge_counted(*results)


def _tried(trainer: Trainer, shard: Shard) -> ShardResult | SpamnbError:
    """The counts, or what went wrong: not every backend hands on an exception as it is."""
    try:
        return count_shard(trainer, shard)
    except SpamnbError as error:
        return error
    except Exception as error:
        return SpamnbError(f"counting {shard.name} failed: {type(error).__name__}: {error}", "use --jobs 1")


def _is_timeout(error: Exception) -> bool:
    return isinstance(error, TimeoutError) or type(error).__name__ == "TimeoutError"


def _release(backend: str) -> None:
    """End what this run started: the command line ends without farewells, and helpers of ray would stay."""
    from importlib import import_module

    if backend == "ray":
        import_module("ray").shutdown()
    elif backend == "spark" and (context := import_module("pyspark").SparkContext._active_spark_context):
        context.stop()


def _register(backend: str) -> None:
    from importlib import import_module

    try:
        if backend == "ray":
            import_module("ray.util.joblib").register_ray()
        elif backend == "spark":
            # Else its workers are the first python3 of the path, which need not have spamnb.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            import_module("joblibspark").register_spark()
    except ImportError:
        packages = _PACKAGES[backend]
        raise SpamnbError(
            f"--backend {backend} needs the packages {packages}", hint=f"pip install {packages}"
        ) from None
