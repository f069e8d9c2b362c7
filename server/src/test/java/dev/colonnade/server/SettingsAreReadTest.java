package dev.colonnade.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.node.NodeOptions;
import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.HashSet;
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

  /** Calls that only copy a setting, or ask for its default. */
  private static final Set<String> COPIES = Set.of("with", "find", "defaultValue", "withText");

  @Test
  void everyDeclaredSettingIsReadByTheNode() {
    Set<String> unread = new TreeSet<>();
    Set<Object> declared = new HashSet<>();
    for (JavaClass type : CLASSES) {
      for (JavaField field : type.getFields()) {
        if (isSetting(field)) {
          declared.add(value(field));
          if (field.getAccessesToSelf().stream().noneMatch(a -> readsSetting(a.getOrigin()))) {
            unread.add(type.getSimpleName() + "." + field.getName());
          }
        }
      }
    }
    assertEquals(Set.of(), unread, "settings that nothing reads");
    assertEquals(declared, Set.copyOf(NodeSettings.ALL), "groups that NodeSettings leaves out");
  }

  private static boolean isSetting(JavaField field) {
    return field.getRawType().isEquivalentTo(Setting.class)
        && field.getModifiers().contains(JavaModifier.STATIC);
  }

  private static Object value(JavaField field) {
    try {
      return requireNonNull(field.reflect().get(null), field.getName());
    } catch (IllegalAccessException e) {
      throw new AssertionError(field + " is not public", e);
    }
  }

  private static boolean readsSetting(JavaCodeUnit reader) {
    Set<String> called = new HashSet<>();
    for (JavaMethodCall call : reader.getMethodCallsFromSelf()) {
      if (call.getTargetOwner().getPackageName().endsWith(".base.config")
          || call.getTargetOwner().isEquivalentTo(NodeOptions.class)) {
        called.add(call.getName());
      }
    }
    boolean declares = reader.getName().equals("<clinit>") && called.contains("setting");
    return called.contains("get") || (!declares && Collections.disjoint(called, COPIES));
  }

  private static final Setting<Boolean> COPIED = ClusterSettings.AUTO_BOOTSTRAP;

  private record Copier(NodeSettings settings) {
    NodeSettings copied() {
      return settings.with(COPIED, COPIED.defaultValue());
    }

    boolean read() {
      return settings.get(COPIED);
    }
  }

  @Test
  void aSettingThatIsOnlyCopiedIsNoticed() {
    JavaClass copier = new ClassFileImporter().importClass(Copier.class);
    assertFalse(readsSetting(copier.getMethod("copied")));
    assertTrue(readsSetting(copier.getMethod("read")));
    Copier same = new Copier(NodeSettings.DEFAULT);
    assertEquals(same.read(), same.copied().get(COPIED));
  }

  @Test
  void everyComponentOfSettingsIsReadByTheNode() {
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
    assertTrue(seen > 10, "records of settings: " + seen);
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
    return !reader.getOwner().equals(type)
        || (!NO_READERS.contains(reader.getName())
            && !reader.getName().startsWith("with")
            && !(reader.getName().equals(component) && reader.getRawParameterTypes().isEmpty()));
  }
}
