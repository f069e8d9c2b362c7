package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.SettingOrigin;
import dev.colonnade.server.base.config.SettingValues;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.StorageFailures;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of a running node: those of its start, and what was changed since. A change that is
 * to be kept is durable before it takes effect; changes are made one at a time, in order.
 *
 * <p>The parts of the node that obey a live setting follow it. They take its first value from the
 * settings of the start.
 *
 * <p>Thread-safe. Only the stage of changes to the store waits for the disk.
 */
public final class LiveSettings {

  private static final Logger LOG = LoggerFactory.getLogger(LiveSettings.class);

  /**
   * A setting as it is now.
   *
   * @param text its value, as it is written
   * @param described its value with its unit, for people
   * @param kept whether the file of kept settings has it, so that it holds over a restart
   */
  public record Shown(
      Setting<?> setting, String text, String described, SettingOrigin origin, boolean kept) {}

  private final StartSettings start;
  private final FileSystem files;
  private final Scheduler scheduler;
  private final Map<Setting<?>, List<Consumer<NodeSettings>>> followers = new ConcurrentHashMap<>();

  private final Map<Setting<?>, Consumer<String>> bounds = new ConcurrentHashMap<>();

  /**
   * What was changed; {@code kept} is a part of it, unless it was changed again without keeping.
   */
  private record Changes(NodeSettings now, SettingValues changed, SettingValues kept) {}

  /** Written on the stage of changes only. */
  private volatile Changes changes;

  /**
   * Begins with the settings of the start.
   *
   * @param files where changes are kept
   */
  public LiveSettings(StartSettings start, FileSystem files, Scheduler scheduler) {
    this.start = start;
    this.files = files;
    this.scheduler = scheduler;
    this.changes = new Changes(start.effective(), start.kept(), start.kept());
  }

  /** The value of a setting now. */
  public <T> T get(Setting<T> setting) {
    return changes.now().get(setting);
  }

  /**
   * Calls a part of the node with each later value of a setting, one call at a time.
   *
   * @param part does not block but for what its comment says, and does not throw
   */
  public <T> void follow(Setting<T> setting, Consumer<T> part) {
    followers
        .computeIfAbsent(setting, any -> new CopyOnWriteArrayList<>())
        .add(settings -> part.accept(settings.get(setting)));
  }

  /**
   * Refuses values of a setting that this node cannot take while it runs, beside those that its
   * form refuses.
   *
   * @param check throws IllegalArgumentException, with what is right in the message
   */
  public <T> void bound(Setting<T> setting, Consumer<T> check) {
    bounds.put(setting, text -> check.accept(setting.parse(text)));
  }

  /** All settings, in the order of their declarations. */
  public List<Shown> list() {
    Changes now = changes;
    return NodeSettings.ALL.stream().map(setting -> shown(now, setting)).toList();
  }

  private <T> Shown shown(Changes now, Setting<T> setting) {
    boolean changed = now.changed().find(setting).isPresent();
    T value = now.now().get(setting);
    return new Shown(
        setting,
        setting.form().print(value),
        setting.form().describe(value),
        changed ? SettingOrigin.RUNTIME : start.origin(setting),
        now.kept().find(setting).isPresent());
  }

  /**
   * Changes a setting.
   *
   * @param keep whether it holds over restarts of the node, too; otherwise a value that was kept
   *     before stays kept, and returns at the next start
   * @return fails with {@link CoordinationException} if the change could not be kept, or too many
   *     are waiting; the running node is not changed then
   * @throws IllegalArgumentException if it is not live, or the value is malformed or out of bounds;
   *     the message says what is right
   */
  public <T> CompletableFuture<Shown> change(Setting<T> setting, String text, boolean keep) {
    requireLive(setting);
    T value = setting.parse(text);
    bounds.getOrDefault(setting, any -> {}).accept(text);
    return make(
        setting,
        now ->
            new Changes(
                now.now().with(setting, value),
                now.changed().with(setting, value),
                keep ? now.kept().with(setting, value) : now.kept()));
  }

  /**
   * Takes back what was changed: the setting has the value again with which the node was
   * configured, now and after its restarts.
   *
   * @return fails as {@link #change}
   * @throws IllegalArgumentException if it is not live
   */
  public <T> CompletableFuture<Shown> reset(Setting<T> setting) {
    requireLive(setting);
    return make(
        setting,
        now ->
            new Changes(
                now.now().with(setting, start.configured().get(setting)),
                now.changed().without(setting),
                now.kept().without(setting)));
  }

  private void requireLive(Setting<?> setting) {
    if (!setting.isLive() || !followers.containsKey(setting)) {
      throw new IllegalArgumentException(
          setting.name()
              + " is read when the node starts, and does not change while it runs: set "
              + setting.option().name()
              + " or <"
              + setting.elementName()
              + ">, and restart the node");
    }
  }

  private interface Step {
    Changes of(Changes now);
  }

  private CompletableFuture<Shown> make(Setting<?> setting, Step step) {
    CompletableFuture<Shown> result = new CompletableFuture<>();
    if (!scheduler.submit(Stage.MANIFEST, () -> make(setting, step, result))) {
      result.completeExceptionally(
          new CoordinationException.Overloaded("the stage of changes to the store"));
    }
    return result;
  }

  private void make(Setting<?> setting, Step step, CompletableFuture<Shown> result) {
    try {
      Changes before = changes;
      Changes after = step.of(before);
      if (!after.kept().equals(before.kept())) {
        KeptSettings.write(files, after.kept());
      }
      changes = after;
      Shown shown = shown(after, setting);
      LOG.info(
          "setting {} is {} now instead of {}; {}",
          setting.name(),
          shown.described(),
          shown(before, setting).described(),
          shown.origin() != SettingOrigin.RUNTIME
              ? "as configured"
              : keptSame(after, setting) ? "kept over restarts" : "until the node's process ends");
      followers.getOrDefault(setting, List.of()).forEach(follower -> follower.accept(after.now()));
      result.complete(shown);
    } catch (IOException | RuntimeException | Error e) {
      result.completeExceptionally(StorageFailures.translate(Errors.escalate(e)));
    }
  }

  private static <T> boolean keptSame(Changes changes, Setting<T> setting) {
    return changes.kept().find(setting).equals(changes.changed().find(setting));
  }
}
