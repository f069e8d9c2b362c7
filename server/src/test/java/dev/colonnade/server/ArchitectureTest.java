package dev.colonnade.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Holds the map of the packages in {@code docs/architecture.md}: who may import whom. A row grants
 * what its entries may import as well, so that each line names only what is new. To add a package,
 * add a row here and there.
 */
final class ArchitectureTest {

  private static final String BASE = "dev.colonnade.server";

  /** What every package may use that is not one of the {@link #PURE}. */
  private static final Set<String> COMMON =
      Set.of("env", "schema", "config", "model", "metrics", "memory", "health", "async");

  /** Packages without input or output, which use only what their row names. */
  private static final Set<String> PURE =
      Set.of(
          "model",
          "env",
          "schema",
          "config",
          "metrics",
          "memory",
          "health",
          "async",
          "failure",
          "readrepair");

  private static final Map<String, Set<String>> ROWS = rows();

  private static JavaClasses classes;

  private static Map<String, Set<String>> rows() {
    Map<String, Set<String>> rows = new TreeMap<>();
    row(rows, "model");
    row(rows, "env");
    row(rows, "schema", "model", "env");
    row(rows, "config", "model", "schema");
    row(rows, "metrics", "env");
    row(rows, "health", "env");
    row(rows, "memory");
    row(rows, "async");
    row(rows, "codec", "model", "env");
    row(rows, "cache", "env");
    row(rows, "commitlog", "codec");
    row(rows, "manifest", "codec");
    row(rows, "memtable", "model");
    row(rows, "sstable", "codec", "cache");
    row(rows, "compaction", "sstable");
    row(
        rows,
        "engine",
        "cache",
        "compaction",
        "sstable",
        "memtable",
        "commitlog",
        "manifest",
        "codec");
    row(rows, "ring", "model", "schema");
    row(rows, "net", "model", "env", "codec");
    row(rows, "failure");
    row(rows, "gossip", "net", "failure", "ring");
    row(rows, "readrepair", "model");
    row(rows, "streaming", "engine", "net", "ring");
    row(rows, "repair", "engine", "net", "streaming");
    row(rows, "membership", "engine", "gossip", "streaming");
    row(rows, "hints", "engine", "net", "gossip", "ring");
    row(rows, "coordinator", "engine", "ring", "net", "gossip", "readrepair", "hints");
    row(rows, "rpc", "coordinator", "membership", "repair");
    row(rows, "adapter", "env", "net");
    row(rows, "node", allOf(rows));
    return rows;
  }

  private static void row(Map<String, Set<String>> rows, String name, String... mayImport) {
    rows.put(name, new TreeSet<>(Arrays.asList(mayImport)));
  }

  private static String[] allOf(Map<String, Set<String>> rows) {
    return rows.keySet().toArray(String[]::new);
  }

  @BeforeAll
  static void readClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(BASE);
    assertFalse(classes.isEmpty(), "no classes of the server found on the class path");
  }

  @TestFactory
  Stream<DynamicTest> packagesImportOnlyWhatTheirRowAllows() {
    return ROWS.keySet().stream()
        .map(name -> DynamicTest.dynamicTest(name + " stays in its row", () -> holdsItsRow(name)));
  }

  private static void holdsItsRow(String name) {
    Set<String> allowed = reachable(name);
    String[] patterns = allowed.stream().map(ArchitectureTest::pattern).toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage(pattern(name))
        .should()
        .dependOnClassesThat(
            resideInAPackage(BASE + "..")
                .and(not(resideInAnyPackage(patterns)))
                .as("server packages other than %s", allowed))
        .because("the row of '" + name + "' in docs/architecture.md says so")
        .allowEmptyShould(true)
        .check(classes);
  }

  /** The package itself, its row, and the rows of those, down to the last. */
  private static Set<String> reachable(String name) {
    Set<String> seen = new TreeSet<>(Set.of(name));
    ArrayDeque<String> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      String next = open.removeFirst();
      Set<String> row = Objects.requireNonNull(ROWS.get(next), () -> "no row for " + next);
      Stream<String> granted =
          PURE.contains(next) ? row.stream() : Stream.concat(row.stream(), COMMON.stream());
      granted.filter(seen::add).forEach(open::addLast);
    }
    return seen;
  }

  private static String pattern(String name) {
    return BASE + "." + name + "..";
  }

  @Test
  void everyClassLivesInAPackageWithARow() {
    String[] known =
        Stream.concat(Stream.of(BASE), ROWS.keySet().stream().map(ArchitectureTest::pattern))
            .toArray(String[]::new);
    classes()
        .that()
        .resideInAPackage(BASE + "..")
        .should()
        .resideInAnyPackage(known)
        .check(classes);
  }

  @Test
  void packagesHaveNoCycles() {
    slices()
        .matching(BASE + ".(*)..")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void onlyTheEdgeKnowsTheWireLibraries() {
    onlyIn(
        List.of("rpc", "adapter", "node"),
        "io.grpc..",
        "com.google.protobuf..",
        "com.google.rpc..",
        "dev.colonnade.v1..",
        "dev.colonnade.admin.v1..",
        "dev.colonnade.internode..");
  }

  @Test
  void onlyAdaptersKnowChronicle() {
    onlyIn(List.of("adapter", "node"), "net.openhft..");
  }

  @Test
  void onlyTheExporterKnowsPrometheus() {
    onlyIn(List.of("adapter", "node"), "io.prometheus..");
  }

  private static void onlyIn(List<String> names, String... libraries) {
    String[] allowed = names.stream().map(ArchitectureTest::pattern).toArray(String[]::new);
    noClasses()
        .that()
        .resideOutsideOfPackages(allowed)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(libraries)
        .because("only " + names + " may know them")
        .check(classes);
  }
}
