package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ChangeSettingRequest;
import dev.colonnade.admin.v1.Setting;
import dev.colonnade.admin.v1.SettingOrigin;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.service.admin.KeptSettings;
import dev.colonnade.server.service.admin.LiveSettings;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Settings that change while a node runs, and those that it keeps. */
final class SettingCallsTest {

  private static final String SLOW = "slow_request_threshold";
  private static final String STREAMS = "stream_bytes_per_second";

  private static final NodeSettings CONFIGURED =
      NodeSettings.DEFAULT.with(RequestSettings.SLOW_REQUEST_THRESHOLD, Duration.ofMillis(300));

  private final SimFileSystem disk = new SimFileSystem();
  private final DirectScheduler scheduler = new DirectScheduler();
  private final List<Object> followed = new ArrayList<>();
  private final SettingCalls calls = startedOn(disk);

  private SettingCalls startedOn(SimFileSystem files) {
    try {
      StartSettings start =
          new StartSettings(
              CONFIGURED,
              KeptSettings.read(files),
              Map.of(
                  RequestSettings.SLOW_REQUEST_THRESHOLD,
                  dev.colonnade.server.base.config.SettingOrigin.OPTION));
      LiveSettings live = new LiveSettings(start, files, scheduler);
      live.follow(RequestSettings.SLOW_REQUEST_THRESHOLD, followed::add);
      live.follow(ReplicationSettings.STREAM_BYTES_PER_SECOND, followed::add);
      return new SettingCalls(live);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static ChangeSettingRequest to(String name, String value, boolean keep) {
    return ChangeSettingRequest.newBuilder().setName(name).setValue(value).setKeep(keep).build();
  }

  private static ChangeSettingRequest reset(String name) {
    return ChangeSettingRequest.newBuilder().setName(name).build();
  }

  private Setting change(ChangeSettingRequest request) {
    return calls.change(request).join().getSetting();
  }

  private static String listed(SettingCalls calls, String name) {
    Setting setting =
        calls.list().getSettingsList().stream()
            .filter(each -> each.getName().equals(name))
            .findFirst()
            .orElseThrow();
    return setting.getValue()
        + " "
        + setting.getOrigin().name().substring("SETTING_ORIGIN_".length())
        + (setting.getKept() ? " kept" : "");
  }

  @Test
  void aChangeIsFollowedAndListedAndTakenBack() {
    assertEquals("300 OPTION", listed(calls, SLOW));
    Setting changed = change(to(SLOW, "100", false));
    assertEquals("100 milliseconds", changed.getDescription());
    assertEquals(SettingOrigin.SETTING_ORIGIN_RUNTIME, changed.getOrigin());
    assertEquals("100 RUNTIME", listed(calls, SLOW));

    assertEquals("300", change(reset(SLOW)).getValue());
    assertEquals("300 OPTION", listed(calls, SLOW));
    assertEquals(List.of(Duration.ofMillis(100), Duration.ofMillis(300)), followed);
  }

  @Test
  void allSettingsAreListedAndSayWhetherTheyAreLive() {
    assertEquals(NodeSettings.ALL.size(), calls.list().getSettingsCount());
    List<String> live =
        calls.list().getSettingsList().stream()
            .filter(Setting::getLive)
            .map(Setting::getName)
            .toList();
    assertTrue(live.contains(SLOW), live::toString);
    assertFalse(live.contains("data_directory"), live::toString);
  }

  @Test
  void onlyWhatIsKeptIsThereAfterARestart() {
    change(to(SLOW, "100", false));
    change(to(STREAMS, "7", true));
    SettingCalls next = startedOn(disk.crashClone());
    assertEquals("300 OPTION", listed(next, SLOW));
    assertEquals("7 RUNTIME kept", listed(next, STREAMS));

    // A later change without keeping holds until the restart only.
    change(to(STREAMS, "9", false));
    assertEquals("9 RUNTIME kept", listed(calls, STREAMS));
    assertEquals("7 RUNTIME kept", listed(startedOn(disk.crashClone()), STREAMS));

    change(reset(STREAMS));
    assertEquals("25 DEFAULT", listed(startedOn(disk.crashClone()), STREAMS));
  }

  @Test
  void whatIsWrongIsRefusedAsAtTheStart() {
    assertRefused(to("slow_requests", "1", false), "there is no setting 'slow_requests'");
    assertRefused(to("data_directory", "/tmp", false), "is read when the node starts");
    assertRefused(reset("data_directory"), "is read when the node starts");
    assertRefused(
        to(SLOW, "-1", false), "slow_request_threshold is a whole number of milliseconds from 0");
    assertRefused(to(SLOW, "soon", true), "got \"soon\"");
    assertRefused(to(SLOW, "1".repeat(5_000), true), "at most 4096 characters");
    assertEquals("300 OPTION", listed(calls, SLOW));
    assertEquals(List.of(), followed);
  }

  private void assertRefused(ChangeSettingRequest request, String why) {
    String message =
        String.valueOf(
            assertThrows(RequestRefusal.class, () -> calls.change(request)).getMessage());
    assertTrue(message.contains(why), message);
  }

  @Test
  void aChangeThatCannotBeQueuedIsRefused() {
    scheduler.refuse();
    assertTrue(failure(to(SLOW, "1", false)) instanceof CoordinationException.Overloaded);
    assertEquals("300 OPTION", listed(calls, SLOW));
  }

  private Throwable failure(ChangeSettingRequest request) {
    return Errors.unwrap(
        assertThrows(CompletionException.class, () -> calls.change(request).join()));
  }

  /** Fails each operation of the change in turn: the old value stands, on the disk one of both. */
  @Test
  void aDiskThatFailsLeavesTheValueAsItWas() {
    change(to(SLOW, "200", true));
    int failures = 0;
    while (true) {
      disk.failAt(disk.operations() + failures + 1);
      if (!calls.change(to(SLOW, "100", true)).isCompletedExceptionally()) {
        break;
      }
      failures++;
      assertEquals("200 RUNTIME kept", listed(calls, SLOW));
      String found = listed(startedOn(disk.crashClone()), SLOW);
      assertTrue(List.of("200 RUNTIME kept", "100 RUNTIME kept").contains(found), found);
      assertTrue(failures < 20, "the change never succeeds");
    }
    assertTrue(failures > 3, "operations that failed: " + failures);
    assertEquals("100 RUNTIME kept", listed(startedOn(disk.crashClone()), SLOW));
  }

  @Test
  void aDamagedFileIsNotTakenForSettings() throws Exception {
    change(to(SLOW, "200", true));
    int bits = disk.content(KeptSettings.NAME).length * 8;
    for (int bit = 0; bit < bits; bit++) {
      SimFileSystem damaged = disk.copy();
      damaged.flipBit(KeptSettings.NAME, bit);
      assertThrows(UnreadableFileException.class, () -> KeptSettings.read(damaged), "bit " + bit);
    }
  }
}
