package dev.colonnade.server;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysFalse;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures;
import dev.colonnade.server.base.codec.MessageParser;
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
 * Holds the map of the packages in {@code docs/architecture.md}: the layers, each in a folder of
 * its own, and within them which package may import which. A row also grants what its entries may
 * import, so that each line names only what is new. To add a package, add a row here and there.
 */
final class ArchitectureTest {

  private static final String BASE = "dev.colonnade.server";

  /** From the bottom to the top: a layer may import itself and what is below it. */
  private static final List<String> LAYERS =
      List.of("base", "storage", "cluster", "service", "node");

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

  /**
   * Packages whose messages to other nodes are protobuf messages: their classes named {@code
   * *Codec} translate those to and from records, and no other class of them sees protobuf.
   */
  private static final List<String> CONTROL_MESSAGES =
      List.of(
          "accounts",
          "backup",
          "gossip",
          "membership",
          "repair",
          "schemasync",
          "status",
          "streaming");

  /** The layer of each package. */
  private static final Map<String, String> LAYER_OF = new TreeMap<>();

  private static final Map<String, Set<String>> ROWS = rows();

  private static JavaClasses classes;

  private static Map<String, Set<String>> rows() {
    Map<String, Set<String>> rows = new TreeMap<>();
    row(rows, "base.model");
    row(rows, "base.env");
    row(rows, "base.schema", "model", "env");
    row(rows, "base.config", "model", "schema");
    row(rows, "base.metrics", "env");
    row(rows, "base.health", "env");
    row(rows, "base.memory");
    row(rows, "base.async");
    row(rows, "base.codec", "model", "env");
    row(rows, "storage.cache", "env");
    row(rows, "storage.record", "codec");
    row(rows, "storage.commitlog", "record");
    row(rows, "storage.manifest", "codec");
    row(rows, "storage.memtable", "model");
    row(rows, "storage.sstable", "codec", "cache");
    row(rows, "storage.compaction", "sstable");
    row(rows, "storage.mutation", "codec");
    row(rows, "storage.snapshot", "sstable", "mutation");
    row(
        rows,
        "storage.engine",
        "mutation",
        "snapshot",
        "cache",
        "compaction",
        "memtable",
        "commitlog",
        "manifest");
    row(rows, "cluster.ring", "model", "schema");
    row(rows, "cluster.net", "codec");
    row(rows, "cluster.failure");
    row(rows, "cluster.gossip", "net", "failure", "ring");
    row(rows, "cluster.streaming", "engine", "net", "ring");
    row(rows, "cluster.repair", "streaming");
    row(rows, "cluster.membership", "gossip", "streaming");
    row(rows, "cluster.hints", "mutation", "record", "gossip");
    row(rows, "service.readrepair", "model");
    row(rows, "service.consistency", "engine", "gossip", "net", "ring");
    row(rows, "service.replica", "consistency");
    row(rows, "service.read", "readrepair", "replica");
    row(rows, "service.write", "consistency");
    row(rows, "service.coordinator", "read", "write");
    row(rows, "service.schemasync", "consistency");
    row(rows, "service.admin", "consistency", "hints");
    row(rows, "service.bulkload", "consistency", "repair");
    row(rows, "service.accounts", "consistency");
    row(rows, "service.backup", "admin");
    row(rows, "service.search", "coordinator");
    row(rows, "service.status", "consistency");
    row(
        rows,
        "service.rpc",
        "accounts",
        "backup",
        "bulkload",
        "search",
        "schemasync",
        "admin",
        "membership",
        "repair");
    row(rows, "node.tls");
    row(rows, "node.authority", "tls");
    row(rows, "node.platform", "net", "tls");
    row(rows, "node.telemetry", "rpc");
    row(rows, "node.offline", "platform", "ring", "engine");
    row(rows, "node.node", allOf(rows));
    return rows;
  }

  private static void row(Map<String, Set<String>> rows, String place, String... mayImport) {
    String name = place.substring(place.indexOf('.') + 1);
    LAYER_OF.put(name, place.substring(0, place.indexOf('.')));
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

  /** The package itself, without those nested in it. The topmost is its layer's folder itself. */
  private static String pattern(String name) {
    String layer = LAYER_OF.get(name);
    return BASE + "." + (name.equals(layer) ? layer : layer + "." + name);
  }

  @Test
  void layersImportOnlyWhatIsBelow() {
    Architectures.LayeredArchitecture layers =
        layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String layer : LAYERS) {
      layers = layers.layer(layer).definedBy(BASE + "." + layer + "..");
    }
    for (int i = 0; i < LAYERS.size() - 1; i++) {
      layers =
          layers
              .whereLayer(LAYERS.get(i))
              .mayOnlyBeAccessedByLayers(
                  LAYERS.subList(i + 1, LAYERS.size()).toArray(String[]::new));
    }
    layers.whereLayer("node").mayNotBeAccessedByAnyLayer().check(classes);
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
        .matching(BASE + ".(**)")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void onlyTheEdgeAndTheCodecsOfControlMessagesKnowTheWireLibraries() {
    DescribedPredicate<JavaClass> codecs =
        resideInAnyPackage(patterns(CONTROL_MESSAGES))
            .and(nameMatching(".*Codec(\\$\\d+)?"))
            .as("codecs of control messages");
    onlyIn(
        List.of("rpc", "platform", "telemetry", "node"),
        codecs.or(type(MessageParser.class)),
        "com.google.protobuf..",
        "dev.colonnade.internode..");
    onlyIn(
        List.of("rpc", "platform", "telemetry", "node", "tls", "authority"),
        "io.grpc..",
        "com.google.rpc..",
        "dev.colonnade.v1..",
        "dev.colonnade.admin.v1..",
        "dev.colonnade.search.v1..");
  }

  @Test
  void onlySearchKnowsLucene() {
    onlyIn(List.of("search"), "org.apache.lucene..");
  }

  @Test
  void onlyThePlatformKnowsChronicle() {
    onlyIn(List.of("platform", "node"), "net.openhft..");
  }

  @Test
  void nothingIsReadByJavaSerialisation() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.io.ObjectInputStream")
        .because("bytes from elsewhere would then choose the classes that are run")
        .check(classes);
  }

  @Test
  void onlyTheExportOfTracesKnowsOpenTelemetry() {
    onlyIn(List.of("telemetry"), "io.opentelemetry..");
  }

  @Test
  void onlyTheLocalAuthorityMakesCertificates() {
    onlyIn(List.of("authority"), "org.bouncycastle..");
  }

  @Test
  void onlyWhatMeasuresAndTheExporterKnowPrometheus() {
    onlyIn(List.of("metrics", "engine", "net", "tls", "platform", "node"), "io.prometheus..");
  }

  /** What a metric is called and how it is shown is decided where all are registered. */
  @Test
  void onlyTheExporterWritesMetrics() {
    onlyIn(List.of("platform"), "io.prometheus.metrics.expositionformats..");
  }

  private static void onlyIn(List<String> names, String... libraries) {
    onlyIn(names, alwaysFalse(), libraries);
  }

  private static void onlyIn(
      List<String> names, DescribedPredicate<JavaClass> others, String... libraries) {
    noClasses()
        .that()
        .resideOutsideOfPackages(patterns(names))
        .and(not(others))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(libraries)
        .because("only " + names + " may know them, and " + others.getDescription())
        .check(classes);
  }

  private static String[] patterns(List<String> names) {
    return names.stream().map(ArchitectureTest::pattern).toArray(String[]::new);
  }
}
