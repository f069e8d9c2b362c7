package dev.colonnade.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.RecordComponent;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A setting that nothing reads is a promise that nothing keeps. */
final class SettingsAreReadTest {

  /** Methods of a record that copy its fields to another one, or only print them. */
  private static final Set<String> NO_READERS =
      Set.of("<init>", "<clinit>", "equals", "hashCode", "toString");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.colonnade.server");

  private record Unused(int read, int copied) {
    Unused withRead(int other) {
      return new Unused(other, copied);
    }
  }

  @Test
  void everySettingIsReadByTheNode() {
    Set<String> unread = new TreeSet<>();
    int seen = 0;
    for (JavaClass type : CLASSES) {
      String name = type.getSimpleName();
      boolean settings =
          name.endsWith("Settings")
              || type.getEnclosingClass()
                  .map(outer -> outer.getSimpleName())
                  .orElse("")
                  .endsWith("Settings");
      if (settings && type.isRecord()) {
        seen++;
        unread.addAll(unread(type));
      }
    }
    assertTrue(seen > 15, "records of settings: " + seen);
    assertEquals(Set.of(), unread, "settings that nothing reads");
  }

  @Test
  void whatIsOnlyCopiedIsNoticed() {
    JavaClass type = new ClassFileImporter().importClass(Unused.class);
    assertEquals(Set.of("Unused.read", "Unused.copied"), unread(type));
    assertEquals(3, new Unused(1, 2).withRead(1).copied() + 1);
  }

  private static Set<String> unread(JavaClass type) {
    Set<String> unread = new TreeSet<>();
    for (RecordComponent component : type.reflect().getRecordComponents()) {
      Stream<? extends JavaAccess<?>> accesses =
          Stream.concat(
              type.getField(component.getName()).getAccessesToSelf().stream(),
              type.getMethod(component.getName()).getAccessesToSelf().stream());
      if (accesses.noneMatch(access -> reads(access.getOrigin(), type, component.getName()))) {
        unread.add(type.getSimpleName() + "." + component.getName());
      }
    }
    return unread;
  }

  private static boolean reads(JavaCodeUnit reader, JavaClass type, String component) {
    if (!reader.getOwner().equals(type)) {
      // Readers of files look at settings only to change others of the same record.
      return !reader.getOwner().getSimpleName().equals("StorageConfReader");
    }
    return !NO_READERS.contains(reader.getName())
        && !reader.getName().startsWith("with")
        && !(reader.getName().equals(component) && reader.getRawParameterTypes().isEmpty());
  }
}
