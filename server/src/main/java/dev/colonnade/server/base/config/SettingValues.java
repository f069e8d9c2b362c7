package dev.colonnade.server.base.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Values of some settings. Immutable. They are not checked: {@link NodeSettings} does that. */
public final class SettingValues {

  /** No values. */
  public static final SettingValues NONE = new SettingValues(Map.of());

  private final Map<Setting<?>, Object> values;

  private SettingValues(Map<Setting<?>, Object> values) {
    this.values = values;
  }

  /** The value of a setting, if there is one. */
  @SuppressWarnings("unchecked") // Only with() adds values, and of the setting's type.
  public <T> Optional<T> find(Setting<T> setting) {
    return Optional.ofNullable((T) values.get(setting));
  }

  /** Returns these values with another. */
  public <T> SettingValues with(Setting<T> setting, T value) {
    Map<Setting<?>, Object> changed = new LinkedHashMap<>(values);
    changed.put(setting, value);
    return new SettingValues(Collections.unmodifiableMap(changed));
  }

  /** Returns these values without that of a setting. */
  public SettingValues without(Setting<?> setting) {
    Map<Setting<?>, Object> changed = new LinkedHashMap<>(values);
    changed.remove(setting);
    return new SettingValues(Collections.unmodifiableMap(changed));
  }

  /** The settings that have a value here. */
  public Set<Setting<?>> settings() {
    return values.keySet();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SettingValues that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Each setting with its value and unit, for people. */
  @Override
  public String toString() {
    return settings().stream().map(this::described).collect(Collectors.joining(", "));
  }

  private <T> String described(Setting<T> setting) {
    return setting.name() + " = " + setting.form().describe(find(setting).orElseThrow());
  }
}
