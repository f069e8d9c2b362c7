package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.ChangeSettingRequest;
import dev.colonnade.admin.v1.ChangeSettingResponse;
import dev.colonnade.admin.v1.ListSettingsResponse;
import dev.colonnade.admin.v1.SettingOrigin;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.service.admin.KeptSettings;
import dev.colonnade.server.service.admin.LiveSettings;
import java.util.concurrent.CompletableFuture;

/** The settings of the node, as messages. Thread-safe. */
final class SettingCalls {

  private final LiveSettings settings;

  SettingCalls(LiveSettings settings) {
    this.settings = settings;
  }

  ListSettingsResponse list() {
    ListSettingsResponse.Builder response = ListSettingsResponse.newBuilder();
    settings.list().forEach(each -> response.addSettings(message(each)));
    return response.build();
  }

  CompletableFuture<ChangeSettingResponse> change(ChangeSettingRequest request) {
    Setting<?> setting =
        NodeSettings.named(request.getName())
            .orElseThrow(
                () ->
                    RequestRefusal.invalid(
                        "name",
                        "there is no setting "
                            + EchoedText.quoted(request.getName())
                            + "; ListSettings lists them"));
    if (request.getValue().length() > KeptSettings.VALUE_CHARACTERS_MAX) {
      throw RequestRefusal.invalid(
          "value", "a value has at most " + KeptSettings.VALUE_CHARACTERS_MAX + " characters");
    }
    CompletableFuture<LiveSettings.Shown> changed;
    try {
      changed =
          request.hasValue()
              ? settings.change(setting, request.getValue(), request.getKeep())
              : settings.reset(setting);
    } catch (IllegalArgumentException e) {
      throw RequestRefusal.invalid(
          request.hasValue() && setting.isLive() ? "value" : "name",
          String.valueOf(e.getMessage()));
    }
    return changed.thenApply(
        shown -> ChangeSettingResponse.newBuilder().setSetting(message(shown)).build());
  }

  private static dev.colonnade.admin.v1.Setting message(LiveSettings.Shown shown) {
    return dev.colonnade.admin.v1.Setting.newBuilder()
        .setName(shown.setting().name())
        .setValue(shown.text())
        .setDescription(shown.described())
        .setOrigin(
            switch (shown.origin()) {
              case DEFAULT -> SettingOrigin.SETTING_ORIGIN_DEFAULT;
              case DERIVED -> SettingOrigin.SETTING_ORIGIN_DERIVED;
              case FILE -> SettingOrigin.SETTING_ORIGIN_FILE;
              case ENVIRONMENT -> SettingOrigin.SETTING_ORIGIN_ENVIRONMENT;
              case OPTION -> SettingOrigin.SETTING_ORIGIN_OPTION;
              case RUNTIME -> SettingOrigin.SETTING_ORIGIN_RUNTIME;
            })
        .setLive(shown.setting().isLive())
        .setKept(shown.kept())
        .build();
  }
}
