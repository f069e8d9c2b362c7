package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AccessSettings.Authentication;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Rng;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How the clients of a run call, as its seed decides; each number is of a thousand calls.
 *
 * @param timeout how long a call may take
 * @param onSessions made on a session
 * @param onStreams made on a stream
 * @param hasty with a deadline of milliseconds
 * @param cancelled while under way, perhaps
 * @param broken by the end of their connection, while under way, perhaps
 * @param halfClosed after which the session, or the stream of changes, is closed
 * @param large values of 20 kB and more
 * @param pageBytes of a page; 0 for what nodes take themselves
 * @param authenticated whether nodes ask who calls
 */
record Manners(
    Duration timeout,
    int onSessions,
    int onStreams,
    int hasty,
    int cancelled,
    int broken,
    int halfClosed,
    int large,
    int pageBytes,
    boolean authenticated) {

  private static final int LARGE_BYTES = 20_000;
  private static final char BETWEEN = ':';

  /** What every workload should meet now and then. */
  static final List<String> SOMETIMES =
      List.of(
          "call on a session",
          "call on a stream",
          "call cancelled",
          "connection broken by its client",
          "session half-closed",
          "page of several",
          "large value written",
          "callers say who they are");

  /** Draws for a seed. */
  static Manners drawn(long seed, Duration timeout) {
    Rng rng = new Rng(new SeededRandom(seed).fork("manners"));
    return new Manners(
        timeout,
        rng.oneOf(List.of(0, 300, 700, 1_000)),
        rng.oneOf(List.of(0, 200, 500)),
        rng.chance(300) ? 100 : 0,
        rng.chance(400) ? 60 : 0,
        rng.chance(400) ? 40 : 0,
        rng.chance(400) ? 60 : 0,
        rng.chance(400) ? rng.between(50, 500) : 0,
        rng.chance(500) ? rng.oneOf(List.of(1, 100, 4_000, 70_000)) : 0,
        rng.chance(300));
  }

  /** Of nodes that have such clients. */
  NodeSettings settings() {
    return NodeSettings.DEFAULT
        .with(ClusterSettings.NAME, "simulated")
        .with(
            AccessSettings.AUTHENTICATION,
            authenticated ? Authentication.PASSWORD : Authentication.NONE);
  }

  /** Of clients that only want an answer. */
  Manners plainly(Duration patience) {
    return new Manners(patience, 0, 0, 0, 0, 0, 0, large, 0, authenticated);
  }

  /** What is written for a value, which is long for some. */
  String stored(String value) {
    return hash(value) < large ? lengthened(value) : value;
  }

  /** The value that was read; what was never written for any comes back as it is. */
  String shown(String text) {
    String value = shortened(text);
    return stored(value).equals(text) ? value : text;
  }

  /** A value of 20 to 60 kB. */
  static String lengthened(String value) {
    StringBuilder text = new StringBuilder(value).append(BETWEEN);
    int length = LARGE_BYTES + 40 * hash(value);
    while (text.length() < length) {
      text.append(value).append('.');
    }
    return text.toString();
  }

  /** The value that was lengthened, if it was and is whole. */
  static String shortened(String text) {
    int end = text.indexOf(BETWEEN);
    String value = end < 0 ? text : text.substring(0, end);
    return end >= 0 && lengthened(value).equals(text) ? value : text;
  }

  private static int hash(String value) {
    return Math.floorMod(
        Arrays.hashCode(value.getBytes(StandardCharsets.UTF_8)) * 0x9E3779B9, 1_000);
  }

  boolean isLarge(String value) {
    return stored(value).length() >= LARGE_BYTES;
  }

  /** What of it a run has met without a call. */
  Map<String, Long> seen() {
    Map<String, Long> seen = new TreeMap<>();
    seen.put("callers say who they are", authenticated ? 1L : 0L);
    return seen;
  }
}
