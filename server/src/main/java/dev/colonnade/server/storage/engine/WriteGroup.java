package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.storage.commitlog.LogRecord;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes that go to the log together, prepared: nothing that they still need can throw in a
 * comparator. Belongs to the thread that drains the pipeline.
 */
final class WriteGroup {

  /** A write whose preparation succeeded. */
  private record Ready(WriteQueue.Write write, PreparedMutation prepared) {}

  private final List<Ready> writes;
  private final List<LogRecord> records;
  private final boolean traced;

  private WriteGroup(List<Ready> writes, List<LogRecord> records, boolean traced) {
    this.writes = writes;
    this.records = records;
    this.traced = traced;
  }

  /**
   * Prepares writes. Those that fail, and those of which nothing is to be written, are answered.
   *
   * @return null if none is left
   */
  static @Nullable WriteGroup of(List<WriteQueue.Write> taken, MutationApplier target) {
    List<Ready> writes = new ArrayList<>(taken.size());
    List<LogRecord> records = new ArrayList<>(taken.size());
    boolean traced = false;
    for (WriteQueue.Write write : taken) {
      Ready ready = admit(write, target);
      if (ready != null) {
        writes.add(ready);
        traced |= write.trace() != null;
        if (write.durable()) {
          records.add(new MutationRecord(ready.prepared().mutation()));
        }
      }
    }
    return writes.isEmpty() ? null : new WriteGroup(writes, records, traced);
  }

  private static @Nullable Ready admit(WriteQueue.Write write, MutationApplier target) {
    try {
      Mutation admitted = target.admit(write.mutation());
      if (!admitted.updates().isEmpty()) {
        return new Ready(write, target.prepare(admitted));
      }
      write.done().complete(null);
    } catch (RuntimeException | Error e) {
      // Nothing of it is in the log yet, so what a comparator throws fails this write alone.
      write.done().completeExceptionally(Errors.escalate(e));
    }
    return null;
  }

  /** The records for the log: those of the durable writes. */
  List<LogRecord> records() {
    return records;
  }

  /** Tells the calls that are traced of a step that is done for all of the writes. */
  void reached(StoreTrace.StoreStep step) {
    if (!traced) {
      return;
    }
    for (Ready ready : writes) {
      StoreTrace trace = ready.write().trace();
      if (trace != null && (ready.write().durable() || step == StoreTrace.StoreStep.APPLIED)) {
        trace.reached(step, "");
      }
    }
  }

  /** Makes the writes visible to readers. */
  void publish(MutationApplier target) {
    for (Ready ready : writes) {
      try {
        target.publish(ready.prepared(), ready.write().durable());
      } catch (RuntimeException | Error e) {
        Errors.report("a mutation that is in the commit log could not be applied to memory", e);
        ready.write().done().completeExceptionally(e);
      }
    }
  }

  /** Answers the writes that were not answered yet. */
  void acknowledge() {
    for (Ready ready : writes) {
      ready.write().done().complete(null);
    }
  }

  /** Answers all writes with a failure. */
  void refuse(Exception cause) {
    for (Ready ready : writes) {
      ready.write().done().completeExceptionally(cause);
    }
  }
}
