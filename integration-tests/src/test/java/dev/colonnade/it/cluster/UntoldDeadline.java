package dev.colonnade.it.cluster;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Callers keep their deadlines to themselves: each call is cancelled at its deadline, of which the
 * node hears nothing. Thread-safe.
 */
final class UntoldDeadline implements ClientInterceptor {

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "untold-deadlines");
            thread.setDaemon(true);
            return thread;
          });

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    Deadline deadline = options.getDeadline();
    ClientCall<Q, A> call = next.newCall(method, options.withDeadline(null));
    if (deadline != null) {
      // Ends with the process or its time; to cancel a call that has ended has no effect.
      var unused = deadline.runOnExpiration(() -> call.cancel("no answer in time", null), TIMER);
    }
    return call;
  }
}
