package dev.colonnade.cli.demo.story;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.client.CallEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CallCountTest {

  @Test
  void callsSinceAMomentAreThoseAfterIt() {
    CallCount calls = new CallCount();
    calls.ended(call("GetSlice"));
    int before = calls.total();
    calls.ended(call("MultigetSlice"));
    calls.ended(call("Insert"));
    assertEquals(List.of("MultigetSlice", "Insert"), calls.since(before));
    assertEquals(3, calls.total());
  }

  private static CallEvent call(String method) {
    return new CallEvent(
        method,
        Optional.empty(),
        Optional.empty(),
        "127.0.0.1:9160",
        1,
        false,
        Duration.ZERO,
        Optional.empty(),
        Optional.empty(),
        "");
  }
}
