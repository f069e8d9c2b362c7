package dev.colonnade.cli.demo.story;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CallCountTest {

  @Test
  void callsSinceAMomentAreThoseAfterIt() {
    CallCount calls = new CallCount();
    calls.ended("GetSlice", Duration.ZERO, Optional.empty());
    int before = calls.total();
    calls.ended("MultigetSlice", Duration.ZERO, Optional.empty());
    calls.ended("Insert", Duration.ZERO, Optional.empty());
    assertEquals(List.of("MultigetSlice", "Insert"), calls.since(before));
    assertEquals(3, calls.total());
  }
}
