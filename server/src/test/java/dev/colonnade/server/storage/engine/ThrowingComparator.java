package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.schema.ComparatorResolver;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A comparator of bytes that throws, once it is {@link #sicken}ed, at names that begin with "!".
 */
final class ThrowingComparator implements ColumnComparator {

  static final String NAME = "test.FussyNames";

  private @Nullable Supplier<Throwable> sickness;

  /** From now on it throws. */
  void sicken(Supplier<Throwable> thrown) {
    sickness = thrown;
  }

  /** From now on it does not. */
  void heal() {
    sickness = null;
  }

  ComparatorResolver resolver() {
    ComparatorResolver builtIns = ComparatorResolver.builtIns();
    return className -> className.equals(NAME) ? this : resolveBuiltIn(builtIns, className);
  }

  private static ColumnComparator resolveBuiltIn(ComparatorResolver builtIns, String className)
      throws PlugInException {
    return builtIns.resolve(className);
  }

  @Override
  public String typeName() {
    return NAME;
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    Supplier<Throwable> thrown = sickness;
    if (thrown != null && (isPoison(left) || isPoison(right))) {
      Throwable error = thrown.get();
      if (error instanceof Error fatal) {
        throw fatal;
      }
      throw (RuntimeException) error;
    }
    return Arrays.compareUnsigned(left, right);
  }

  private static boolean isPoison(byte[] name) {
    return name.length > 0 && name[0] == '!';
  }

  @Override
  public void validate(byte[] name) {}

  @Override
  public String display(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }

  @Override
  public byte[] parse(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
