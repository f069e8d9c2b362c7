package dev.colonnade.server.base.config;

import java.util.ArrayList;
import java.util.List;

/** The settings of one subject, in the order of their declarations. */
public final class SettingGroup {

  private final String title;
  private final List<Setting<?>> settings = new ArrayList<>();

  SettingGroup(String title) {
    this.title = title;
  }

  /** Begins the declaration of a setting, which {@link Setting.Builder#help} completes. */
  <T> Setting.Builder<T> setting(String name, ValueForm<T> form, T defaultValue) {
    return new Setting.Builder<>(this, name, form, defaultValue);
  }

  /** Called while the class that declares the settings is initialised, never later. */
  void add(Setting<?> setting) {
    settings.add(setting);
  }

  /** What its settings are about. */
  public String title() {
    return title;
  }

  /** Its settings. */
  public List<Setting<?>> settings() {
    return List.copyOf(settings);
  }
}
