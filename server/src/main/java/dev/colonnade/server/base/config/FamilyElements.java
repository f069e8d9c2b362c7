package dev.colonnade.server.base.config;

import dev.colonnade.server.base.schema.FamilyField;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Elements of {@code <Storage>} that give fields of column families: the file gives them once for
 * all families, later schemas for each.
 */
final class FamilyElements {

  static final String KEYS_CACHED_TOGETHER =
      "positions of keys are cached for all families together; the number is kept and shown";

  /** How one element is written, the field that it gives, and how the schema writes its value. */
  private record FamilyElement<T>(
      FamilyField field, ValueForm<T> form, Function<T, String> fieldText) {

    String read(ConfValues values, XmlElement element) throws StorageConfException {
      return fieldText.apply(values.read(element, form));
    }
  }

  private static final FamilyElement<Integer> THROUGHPUT =
      new FamilyElement<>(
          FamilyField.MEMTABLE_THROUGHPUT, ValueForm.wholeNumber(1, 1 << 20), String::valueOf);

  private static final FamilyElement<Double> OPERATIONS =
      new FamilyElement<>(
          FamilyField.MEMTABLE_MAX_OPERATIONS,
          ValueForm.number(0.000_001, 1_000_000),
          millions -> Long.toString(Math.round(millions * 1e6)));

  private static final Map<String, FamilyElement<?>> ELEMENTS =
      Map.of(
          "MemtableThroughputInMB",
          THROUGHPUT,
          "MemtableSizeInMB",
          THROUGHPUT,
          "MemtableOperationsInMillions",
          OPERATIONS,
          "MemtableObjectCountInMillions",
          OPERATIONS,
          "MemtableFlushAfterMinutes",
          new FamilyElement<>(
              FamilyField.MEMTABLE_FLUSH_AFTER,
              ValueForm.wholeNumber(1, 35_000_000),
              minutes -> Long.toString(minutes * 60L)),
          "GCGraceSeconds",
          new FamilyElement<>(
              FamilyField.GC_GRACE, ValueForm.wholeNumber(0, Integer.MAX_VALUE), String::valueOf),
          "KeysCachedFraction",
          new FamilyElement<>(
              FamilyField.KEYS_CACHED, ValueForm.number(0, 1), fraction -> (fraction * 100) + "%"));

  private final Map<FamilyField, String> defaults = new EnumMap<>(FamilyField.class);

  static Set<String> names() {
    return ELEMENTS.keySet();
  }

  static boolean isKnown(String element) {
    return ELEMENTS.containsKey(element);
  }

  /** Reads one of these elements, and reports to {@code file} what in it has no effect. */
  void read(XmlElement e, NodeSettings settings, ConfValues values, StorageConfReader file)
      throws StorageConfException {
    FamilyElement<?> known = Objects.requireNonNull(ELEMENTS.get(e.name()), e.name());
    String text = known.read(values, e);
    defaults.put(known.field(), text);
    if (known.field() == FamilyField.KEYS_CACHED) {
      file.ignore(e.name(), e, KEYS_CACHED_TOGETHER);
    }
    long most = StorageSettings.memtableBytesMax(settings) >> 20;
    if (known.field() == FamilyField.MEMTABLE_THROUGHPUT && Long.parseLong(text) > most) {
      file.ignore(
          e.name(),
          e,
          "beyond "
              + most
              + " MiB, at which a memtable is flushed: all of them together have "
              + (settings.get(StorageSettings.MEMTABLE_TOTAL_BYTES) >> 20)
              + " MiB");
    }
  }

  /** The fields that were read, for each family that does not set them itself. */
  Map<FamilyField, String> defaults() {
    return defaults;
  }
}
