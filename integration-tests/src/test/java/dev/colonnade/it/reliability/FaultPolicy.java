package dev.colonnade.it.reliability;

/** The part of {@code docs/reliability.md} that says what each fault affects. */
final class FaultPolicy {

  static final String TEXT =
      """
      ## Faults, and what each affects

      Any exception, an `Error` included, ends one thing of this table and releases its resources. A fault that is not in the
      table ends one call or one task.

      | fault | it ends | clients are told | peers are told | probes are told |
      | --- | --- | --- | --- | --- |
      | no heap left, a bug of the Java machine | the process, with status 3 | the connection breaks; writes are unknown | by silence, within 15 s | the connection breaks |
      | no memory outside the heap, or no thread can be started | one call, or one step of a flush, merge or stream, which is tried again | `OVERLOADED`, with a RetryInfo | as clients | nothing |
      | an `Error` or exception of a task or continuation, such as a missing class | that task, and what waits for it: one call, flush, merge, stream or delivery of hints; later ones are not affected | `INTERNAL_ERROR` with a number; writes unknown | as clients | nothing |
      | a comparator throws at a write | that write, before it is logged | `INTERNAL_ERROR`; nothing of it was kept on this node | the same; a hint is set aside | `set_aside_records`, once a hint was |
      | a comparator throws at a record of the log | that record of one family, which is set aside; the start continues | `CHECKSUM_FAILURE` for its rows, where no other replica has them | the same | `set_aside_records`, still ready |
      | a comparator throws at a read, flush or merge | that one; flushes and merges are tried again | `INTERNAL_ERROR` for the read | as clients; of flushes that go on failing, to prefer other nodes | `flush`, not ready once it has failed three times in a row; `merge`, still ready |
      | a damaged data file | that file, which is set aside | `CHECKSUM_FAILURE` for what it may have had, where no other replica has it | the same | `damaged_files`, still ready |
      | a damaged file of `system`, a damaged or missing segment of the log, both manifests | the start | the port is closed | by silence | the port is closed |
      | the disk is full | writes and merges, until there is room | `DISK_FULL` for writes | the same; hints are kept elsewhere | nothing |
      | no descriptor left | opening of files; what is open is served | `STORAGE_FAILED` for what needs one | the same | nothing |
      | the disk answers a read, write or sync with an error | as the [policy](operations.md#when-a-disk-fails) says: the call (`best_effort`), the node's service (`refuse`), the process (`stop`) | `STORAGE_FAILED` for the call, where no other replica answers it; with `refuse` `NODE_NOT_READY` | to prefer other nodes; with `refuse` that it does not serve; with `stop` nothing, by silence | `disk`, not ready |
      | a write or sync of the commit log or the manifest fails | the node's writes, until a restart, whatever the policy | `STORAGE_FAILED`, unknown, for those in progress; then `NODE_NOT_READY` | that it accepts no writes: they keep hints for it | `commit_log` or `manifest`, not ready |
      | the disk does not answer | what waits for it, until it answers: nothing is interrupted, and no event loop waits | `REPLICA_TIMEOUT` before their deadline, where no other replica answers; `OVERLOADED` once the queue of writes is full | to prefer other nodes (`unfavourable`), after `<StallLimitInSeconds>` | `stalled`, not ready, with the stalled work; `/healthz` answers |
      | a stream of rows fails | that stream; the repair or change of the ring that it belongs to ends and can be requested again | `RING_CHANGE_FAILED` | the end of the stream | nothing |
      | a peer does not answer, or sends an invalid answer | one message | `REPLICA_TIMEOUT`, where no other replica stands in | | nothing |

      """;

  private FaultPolicy() {}
}
