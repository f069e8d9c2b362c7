package dev.colonnade.server.sim;

import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of a node: between the start of its machine and its end. */
final class NodeProcess implements Transport {
  private final Machine<?> machine;
  private final SimNetwork network;
  private final SimScheduler scheduler;
  private @Nullable FrameReceiver receiver;
  private @Nullable GuardedFileSystem files;
  private final List<Throwable> failures = new ArrayList<>();
  private boolean dead;

  NodeProcess(Machine<?> machine, SimNetwork network, SimScheduler scheduler) {
    this.machine = machine;
    this.network = network;
    this.scheduler = scheduler;
  }

  Machine<?> machine() {
    return machine;
  }

  SimScheduler scheduler() {
    return scheduler;
  }

  /** Its files, which say who waited for them and must not have. */
  void guardedBy(GuardedFileSystem guarded) {
    files = guarded;
  }

  /** What its tasks and its receiver threw. */
  List<Throwable> failures() {
    List<Throwable> all = new ArrayList<>(failures);
    all.addAll(scheduler.failures());
    if (files != null) {
      all.addAll(files.violations());
    }
    return all;
  }

  /** From now on it does nothing, even if a task of it is still on the stack. */
  void end() {
    dead = true;
    scheduler.shutDown();
  }

  void deliver(Frame frame) {
    FrameReceiver to = receiver;
    if (to != null && !dead) {
      scheduler.outside(() -> to.accept(frame));
    }
  }

  /** A message of this node comes back. */
  void giveBack(Frame frame) {
    FrameReceiver from = receiver;
    if (from != null && !dead) {
      scheduler.outside(() -> from.unsent(frame));
    }
  }

  /** Does something in the name of the node; what that throws is kept. */
  void run(Runnable action) {
    try {
      scheduler.outside(action);
    } catch (RuntimeException | Error e) {
      if (!dead) {
        failures.add(e);
      }
    }
  }

  @Override
  public boolean send(PeerAddress to, Frame frame) {
    return !dead && network.send(this, to, frame);
  }

  @Override
  public void receive(FrameReceiver newReceiver) {
    if (receiver != null) {
      throw new IllegalStateException("somebody receives already");
    }
    receiver = newReceiver;
  }

  @Override
  public void forget(PeerAddress peer) {
    if (!dead) {
      network.forget(machine, peer);
    }
  }
}
