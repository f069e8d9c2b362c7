package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.SettingValues;
import dev.colonnade.server.base.env.FileSystem;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of settings that were changed while the node ran, to be kept over its restarts. It lies
 * beside the manifest, and is replaced as a whole. Its body is the number of settings (varint), and
 * for each its name and its value as the setting's form prints it (both as text: length, bytes in
 * UTF-8). All methods block.
 */
public final class KeptSettings {

  private static final Logger LOG = LoggerFactory.getLogger(KeptSettings.class);

  /** The name of the file. */
  public static final String NAME = "kept-settings";

  private static final String TEMPORARY = NAME + ".tmp";
  private static final FileFormat FORMAT = new FileFormat("kept settings", "KSET", 1, 1);

  private static final int SETTINGS_MAX = 1_000;

  /** The longest value of a setting, in characters, which take at most three bytes each. */
  public static final int VALUE_CHARACTERS_MAX = 4_096;

  private static final int TEXT_BYTES_MAX = 3 * VALUE_CHARACTERS_MAX;

  private KeptSettings() {}

  /**
   * Reads the file; no values if there is none. Settings that this release does not have, or does
   * not change while it runs, are left out and logged.
   *
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if it is damaged, or of another
   *     release
   * @throws IllegalArgumentException if a value is malformed or out of bounds
   */
  public static SettingValues read(FileSystem files) throws IOException {
    if (!files.exists(NAME)) {
      return SettingValues.NONE;
    }
    try {
      return decode(new ByteReader(AtomicFile.read(files, NAME, FORMAT)));
    } catch (CorruptDataException e) {
      throw e.inFile(files.describe(NAME), 0);
    }
  }

  private static SettingValues decode(ByteReader body) throws CorruptDataException {
    SettingValues values = SettingValues.NONE;
    int count = body.readLength("kept settings", SETTINGS_MAX);
    for (int i = 0; i < count; i++) {
      String name = body.readText("name of a setting", TEXT_BYTES_MAX);
      String text = body.readText("value of a setting", TEXT_BYTES_MAX);
      Optional<Setting<?>> setting = NodeSettings.named(name).filter(Setting::isLive);
      if (setting.isPresent()) {
        values = with(values, setting.get(), text);
      } else {
        LOG.warn(
            "{} = {} was kept and has no effect: it is no setting of this release", name, text);
      }
    }
    body.expectEnd("kept settings");
    return values;
  }

  private static <T> SettingValues with(SettingValues values, Setting<T> setting, String text) {
    return values.with(setting, setting.parse(text));
  }

  /** Replaces the file; durable when it returns. */
  static void write(FileSystem files, SettingValues values) throws IOException {
    ByteWriter body = new ByteWriter(64);
    body.writeVarint(values.settings().size());
    for (Setting<?> setting : values.settings()) {
      body.writeText(setting.name());
      body.writeText(text(values, setting));
    }
    AtomicFile.write(files, "", TEMPORARY, NAME, FORMAT, body);
  }

  private static <T> String text(SettingValues values, Setting<T> setting) {
    return setting.form().print(values.find(setting).orElseThrow());
  }
}
