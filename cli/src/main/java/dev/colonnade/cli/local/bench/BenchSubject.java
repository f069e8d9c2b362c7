package dev.colonnade.cli.local.bench;

import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * One kind of call to one set of servers, measured by turns with others.
 *
 * @param servers the numbers of the processes whose time of the processor counts
 * @param calls thread-safe
 * @param measured what its windows add up to
 */
public record BenchSubject(
    String name,
    Channel channel,
    List<Long> servers,
    Supplier<RawCall> calls,
    Measurement measured) {

  /** Connections and queues fill before measuring begins. */
  private static final Duration RAMP = Duration.ofMillis(200);

  /** A subject that has not been measured. */
  public BenchSubject(String name, Channel channel, List<Long> servers, Supplier<RawCall> calls) {
    this(name, channel, servers, calls, new Measurement());
  }

  /** Runs it for a while and discards the results. */
  public void warmUp(int inFlight, Duration time) throws InterruptedException {
    window(inFlight, time, new Measurement());
  }

  /** Measures one window. */
  public void window(int inFlight, Duration time) throws InterruptedException {
    window(inFlight, time, measured);
  }

  private void window(int inFlight, Duration time, Measurement into) throws InterruptedException {
    LoadGenerator load = new LoadGenerator(channel, calls);
    load.start(inFlight);
    load.run(RAMP);
    Duration cpuBefore = CpuTime.of(servers);
    long startNanos = System.nanoTime();
    Histogram latencies = load.run(time);
    Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
    into.add(latencies, wall, CpuTime.of(servers).minus(cpuBefore));
    load.stop();
  }
}
