"""What a dask worker is given to count in tests; small, because a child process may have to load it."""

from __future__ import annotations

import os
import time

from spamnb.training.dask_cluster import Shard, ShardResult, count_shard
from spamnb.training.trainer import Trainer

POISON = "poison.csv"


def dawdling(trainer: Trainer, shard: Shard) -> ShardResult:
    time.sleep(0.1)  # long enough that a kill hits some work
    return count_shard(trainer, shard)


def deadly(trainer: Trainer, shard: Shard) -> ShardResult:
    """Kill the process that counts the poison, and say in a file beside it which one that was."""
    if str(shard.path).endswith(POISON):
        with open(f"{shard.path}.deaths", "a") as file:
            file.write(f"{os.getpid()}\n")
        os._exit(1)
    return count_shard(trainer, shard)


def deadly_once(trainer: Trainer, shard: Shard) -> ShardResult:
    """The first process that counts the poison dies, the second does not."""
    return count_shard(trainer, shard) if os.path.exists(f"{shard.path}.deaths") else deadly(trainer, shard)


def raising(trainer: Trainer, shard: Shard) -> ShardResult:
    if str(shard.path).endswith(POISON):
        raise ZeroDivisionError("poison")
    return count_shard(trainer, shard)
