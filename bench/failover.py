"""What a cluster loses when masters are killed under load, with and without waiting for replicas.

python -m bench.failover [--kills N] [--writers N] [--cut MS]

Three masters with a replica each on this machine (Valkey, appendfsync always). Writers append to
games of all partitions while one master after the other is killed (SIGKILL); its replica takes
over, and it comes back as a replica. `--cut` is for how many ms each replica is cut off before its
master dies; on one machine, what is on its way to a replica survives the master.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import tempfile
import threading
import time
from pathlib import Path

from service.store import PARTITIONS, Acknowledgement
from service.store.embedded import server_binary
from service.store.redis_store import open_store
from tests.store.cluster import Cluster, Node, running, until
from tests.store.test_failover import GAMES, Writer, lost

ACKS = {"server's answer": None, "WAITAOF 1 1 1000": Acknowledgement(1, 1, 1_000)}


def follower(cluster: Cluster, master: Node) -> Node:
    """Returns the replica of a master."""
    for node in cluster.nodes:
        about = node.info("replication")
        if about["role"] == "slave" and about["master_port"] == master.port:
            return node
    raise LookupError(master.port)


def kill(cluster: Cluster, writers: list[Writer], cut: int) -> float:
    """Kills a master, lets it come back; returns how long its games were away (s)."""
    victim = cluster.master_of(random.choice(PARTITIONS))
    replica = follower(cluster, victim)
    if cut:
        os.kill(replica.server.pid, signal.SIGSTOP)
        victim.ask("CLIENT", "KILL", "TYPE", "replica")
        time.sleep(cut / 1_000)
    victim.server.kill()
    if cut:
        os.kill(replica.server.pid, signal.SIGCONT)
    begun = time.monotonic()
    until(lambda: all(cluster.master_of(one) is not victim for one in PARTITIONS))
    away = time.monotonic() - begun
    since = time.monotonic()
    until(lambda: all(writer.last > since for writer in writers))
    victim.server.start()
    until(cluster.whole)
    return away


def measured(folder: Path, name: str, kills: int, count: int, cut: int) -> str:
    """Returns the line of the table for one way to confirm appends."""
    how = {"binary": server_binary(), "node_timeout": 2_000, "fsync": "always"}
    with running(folder, **how) as cluster:
        store = open_store(cluster.url, timeout=3, acks=ACKS[name])
        stop = threading.Event()
        writers = [Writer(store, GAMES[number::count]) for number in range(count)]
        threads = [threading.Thread(target=writer.write, args=(stop,)) for writer in writers]
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        away = []
        for _ in range(kills):
            time.sleep(1.0)
            away.append(kill(cluster, writers, cut))
        stop.set()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - begun
        confirmed = [told for writer in writers for told in writer.confirmed]
        open_ = [told for writer in writers for told in writer.unconfirmed]
        store.close()
        store = open_store(cluster.url)
        line = (
            f"| {name} | {cut} | {kills} | {len(confirmed) / seconds:,.0f} | {len(confirmed):,} "
            f"| {lost(store, confirmed)} | {len(open_)} | {lost(store, open_)} "
            f"| {sum(writer.refused for writer in writers)} | {statistics.median(away):.1f} |"
        )
        store.close()
        return line


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--cut", type=int, default=500)
    chosen = parser.parse_args()
    print(
        "| confirmed by | replica cut off ms | masters killed | appends a second | confirmed "
        "| of these lost | not confirmed | of these lost | refused | away s |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    for cut in (0, chosen.cut):
        for name in ACKS:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                line = measured(Path(folder), name, chosen.kills, chosen.writers, cut)
                print(line, flush=True)


if __name__ == "__main__":
    main()
