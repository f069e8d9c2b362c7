package dev.colonnade.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Users of the library meet its own words and those of the JDK, nothing else. */
final class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("/client/micrometer/"))
          .importPackages("dev.colonnade.client");

  @Test
  void whatIsPublicNamesOnlyTheLibraryAndTheJdk() {
    Set<String> foreign = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      if (isVisible(type)) {
        type.getCodeUnits().stream()
            .filter(unit -> isVisible(unit.getModifiers()))
            .forEach(unit -> addForeign(unit, foreign));
        type.getFields().stream()
            .filter(field -> isVisible(field.getModifiers()))
            .flatMap(field -> field.getAllInvolvedRawTypes().stream())
            .forEach(named -> addForeign(named, type.getName(), foreign));
        type.getAllRawSuperclasses().forEach(named -> addForeign(named, type.getName(), foreign));
        type.getAllRawInterfaces().forEach(named -> addForeign(named, type.getName(), foreign));
      }
    }
    assertEquals(Set.of(), foreign);
  }

  /** It is optional: the library works where it is missing. */
  @Test
  void onlyOnePackageKnowsMicrometer() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "dev.colonnade.client.micrometer")
        .check(CLASSES);
  }

  @Test
  void theRuleSeesWhatIsHidden() {
    Set<String> foreign = new TreeSet<>();
    CLASSES.get(ColumnParentRef.class).getCodeUnits().forEach(unit -> addForeign(unit, foreign));
    assertEquals(false, foreign.isEmpty());
  }

  /** The rest is vocabulary, which would survive another transport. */
  @Test
  void onlyTheseKnowTheTransport() {
    Set<String> callers = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      boolean calls =
          type.getDirectDependenciesFromSelf().stream()
              .map(dependency -> dependency.getTargetClass().getPackageName())
              .anyMatch(name -> name.startsWith("io.grpc"));
      if (calls) {
        callers.add(type.getName().replaceAll("^dev\\.colonnade\\.client\\.|\\$.*$", ""));
      }
    }
    assertEquals(
        new TreeSet<>(
            Set.of(
                "AsyncAccounts",
                "AnswerPart",
                "AsyncCluster",
                "AsyncNode",
                "AsyncSchema",
                "BatchStream",
                "BulkLoader",
                "ChunkStream",
                "Colonnade",
                "ColumnParentRef",
                "Errors",
                "ListenedCalls",
                "Network",
                "NetworkThreads",
                "NodeConnection",
                "PasswordCredentials",
                "PendingCall",
                "RepairScheduler",
                "ReplicaLoad",
                "Replicas",
                "Retries",
                "Session",
                "SessionCodec",
                "SessionExchange",
                "SessionMethod",
                "Sessions",
                "TlsFiles",
                "TokenCredentials",
                "TraceHeader",
                "Transport",
                "WideChannel")),
        callers);
  }

  @Test
  void onlyTheClientItselfHasThreads() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(Colonnade.class.getName())
        .and()
        // The senders of a bulk load wait for files and nodes, while its caller waits for them.
        .doNotHaveFullyQualifiedName(PartSender.class.getName())
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java\\.util\\.(Timer|concurrent\\.(Executors|.*ThreadPoolExecutor))")
        .because("one pool serves the channel and the sessions, and the caller brings the others")
        .check(CLASSES);
  }

  @Test
  void valuesAreImmutable() {
    Set<String> changeable = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      if (isVisible(type) && type.isRecord()) {
        type.getFields().stream()
            .filter(field -> !field.getModifiers().contains(JavaModifier.FINAL))
            .forEach(field -> changeable.add(field.getFullName()));
        type.getFields().stream()
            .filter(field -> field.getRawType().isArray())
            .forEach(field -> changeable.add(field.getFullName()));
      }
    }
    assertEquals(Set.of(), changeable);
  }

  private static void addForeign(JavaCodeUnit unit, Set<String> foreign) {
    unit.getAllInvolvedRawTypes().forEach(named -> addForeign(named, unit.getFullName(), foreign));
  }

  private static void addForeign(JavaClass named, String where, Set<String> foreign) {
    String name = named.getBaseComponentType().getPackageName();
    if (!name.isEmpty() && !name.startsWith("java.") && !name.equals("dev.colonnade.client")) {
      foreign.add(where + " names " + named.getName());
    }
  }

  private static boolean isVisible(JavaClass type) {
    return isVisible(type.getModifiers())
        && type.getEnclosingClass().map(ArchitectureTest::isVisible).orElse(true);
  }

  private static boolean isVisible(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }
}
