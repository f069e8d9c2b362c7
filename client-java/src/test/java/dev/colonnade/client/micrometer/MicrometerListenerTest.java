package dev.colonnade.client.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.client.CallEvent;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Serializers;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which meters move, and under which tags. */
@Timeout(30)
final class MicrometerListenerTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final MicrometerListener listener = new MicrometerListener(registry);

  @Test
  void attemptsAreTimedByWhatTheyWere() {
    listener.ended(call(Optional.of("Users"), 1, false));
    listener.ended(call(Optional.of("Users"), 1, false));
    listener.ended(call(Optional.of("Users"), 2, false));
    listener.ended(call(Optional.empty(), 1, true));
    assertEquals(
        List.of(
            "Blog Users GetSlice one:9160 OK first",
            "Blog Users GetSlice one:9160 OK retry",
            "Blog none GetSlice one:9160 OK speculative"),
        registry.getMeters().stream().map(MicrometerListenerTest::tags).sorted().toList());
    Timer first = registry.get(MicrometerListener.ATTEMPTS).tag("kind", "first").timer();
    assertEquals(2, first.count());
    assertEquals(40, first.totalTime(TimeUnit.MILLISECONDS));
  }

  @Test
  void costIsOfTheFamily() {
    CallStatistics cost =
        new CallStatistics(
            "n1",
            List.of(),
            List.of(),
            2,
            0,
            7,
            5,
            11,
            Duration.ofMillis(3),
            0,
            0,
            0,
            CallStatistics.Trace.NONE);
    CallEvent plain = call(Optional.of("Users"), 1, false);
    listener.ended(
        new CallEvent(
            plain.method(),
            plain.keyspace(),
            plain.columnFamily(),
            plain.node(),
            1,
            false,
            plain.took(),
            Optional.empty(),
            Optional.of(cost),
            ""));
    assertEquals(7, registry.get(MicrometerListener.BLOCKS_READ).summary().totalAmount());
    assertEquals(11, registry.get(MicrometerListener.TOMBSTONES_SCANNED).summary().totalAmount());
    Timer server =
        registry
            .get(MicrometerListener.SERVER_TIME)
            .tags("keyspace", "Blog", "family", "Users")
            .timer();
    assertEquals(3, server.totalTime(TimeUnit.MILLISECONDS));
  }

  /** As a program has it; nothing listens on that port. */
  @Test
  void aFailureIsCountedUnderItsReason() {
    ClientOptions options = ClientOptions.defaults().withListener(listener);
    try (Colonnade client = Colonnade.connect("127.0.0.1:1", options)) {
      client
          .keyspace("Blog")
          .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8)
          .get("k", "c");
    } catch (ColonnadeException expected) {
      assertEquals(
          1,
          registry
              .get(MicrometerListener.ATTEMPTS)
              .tags("method", "GetSlice", "family", "Users", "outcome", expected.reason())
              .tag("kind", "first")
              .timer()
              .count());
      return;
    }
    throw new AssertionError("a call without a node has succeeded");
  }

  private static String tags(Meter meter) {
    List<Tag> tags = meter.getId().getTags();
    return List.of("keyspace", "family", "method", "node", "outcome", "kind").stream()
        .map(
            key ->
                tags.stream()
                    .filter(tag -> tag.getKey().equals(key))
                    .map(Tag::getValue)
                    .collect(Collectors.joining()))
        .collect(Collectors.joining(" "));
  }

  private static CallEvent call(Optional<String> family, int attempt, boolean speculative) {
    return new CallEvent(
        "GetSlice",
        Optional.of("Blog"),
        family,
        "one:9160",
        attempt,
        speculative,
        Duration.ofMillis(20),
        Optional.empty(),
        Optional.empty(),
        "");
  }
}
