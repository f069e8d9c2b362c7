package dev.colonnade.it.abuse;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Keeps calls in flight; the next one follows each, whatever its outcome. */
final class Calls {

  private static final long DEADLINE_SECONDS = 20;

  private static final ScheduledExecutorService TIMER = timer();

  private Calls() {}

  private static ScheduledExecutorService timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            4,
            task -> {
              Thread thread = new Thread(task, "timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /**
   * Begins with one call; others follow for as long as the process runs.
   *
   * @param requests by number, encoded
   * @param cancelAfterMicros 0 to wait for the answer
   */
  static void endless(
      Channel channel,
      MethodDescriptor<byte[], byte[]> method,
      IntFunction<byte[]> requests,
      CallOptions options,
      long cancelAfterMicros,
      Tally tally) {
    new Loop(channel, method, requests, options, cancelAfterMicros, tally).next();
  }

  private static final class Loop {
    private final Channel channel;
    private final MethodDescriptor<byte[], byte[]> method;
    private final IntFunction<byte[]> requests;
    private final CallOptions options;
    private final long cancelAfterMicros;
    private final Tally tally;
    private int number;

    Loop(
        Channel channel,
        MethodDescriptor<byte[], byte[]> method,
        IntFunction<byte[]> requests,
        CallOptions options,
        long cancelAfterMicros,
        Tally tally) {
      this.channel = channel;
      this.method = method;
      this.requests = requests;
      this.options = options;
      this.cancelAfterMicros = cancelAfterMicros;
      this.tally = tally;
    }

    private void next() {
      ClientCall<byte[], byte[]> call =
          channel.newCall(method, options.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS));
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              tally.ended(status);
              // Not from here: a call that fails at once would deepen the stack.
              TIMER.execute(Loop.this::next);
            }
          },
          new Metadata());
      call.request(1);
      call.sendMessage(requests.apply(number++));
      call.halfClose();
      if (cancelAfterMicros > 0) {
        var unused =
            TIMER.schedule(
                () -> call.cancel("changed its mind", null),
                cancelAfterMicros,
                TimeUnit.MICROSECONDS);
      }
    }
  }
}
