package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Facts;
import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.output.Facts.Group;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.ClusterDescription;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.RingNode;
import dev.colonnade.client.SchemaVersions;
import java.util.List;
import java.util.Optional;

/** The statements that show what exists: describe and show. */
final class DescribeStatements {

  private static final String SYSTEM = "system";

  private final Session session;
  private final Families families;
  private final ColumnTypes types;

  DescribeStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
    this.types = new ColumnTypes(session.types());
  }

  void describe(Statement.Describe describe) throws StatementFailure {
    session.schema().forget();
    session.output().facts(facts(describe));
  }

  private Facts facts(Statement.Describe describe) throws StatementFailure {
    return switch (describe.what()) {
      case CLUSTER -> cluster();
      case KEYSPACE -> keyspace(families.keyspaceDefinition(families.keyspace(describe.name())));
      case FAMILY -> family(families.keyspace(describe.keyspace()), name(describe));
      case EITHER -> either(describe);
    };
  }

  private Facts either(Statement.Describe describe) throws StatementFailure {
    if (describe.keyspace().isPresent()) {
      return family(describe.keyspace().get(), name(describe));
    }
    String name = name(describe);
    Optional<String> inUse = session.keyspaceInUse();
    if (inUse.isPresent() && session.schema().family(inUse.get(), name).isPresent()) {
      return family(inUse.get(), name);
    }
    Optional<KeyspaceDefinition> keyspace = session.schema().keyspace(name);
    if (keyspace.isPresent()) {
      return keyspace(keyspace.get());
    }
    throw StatementFailure.of(
        ExitStatus.STATEMENT_FAILED,
        "KEYSPACE_NOT_FOUND",
        "there is neither a keyspace "
            + name
            + inUse.map(each -> " nor a column family of that name in " + each).orElse("")
            + ". Case matters in names",
        null);
  }

  private static String name(Statement.Describe describe) throws StatementFailure {
    return describe
        .name()
        .orElseThrow(
            () -> StatementFailure.refused("a name is missing: what should be described?"));
  }

  void show(Statement.Show show) throws StatementFailure {
    switch (show.what()) {
      case KEYSPACES -> {
        for (KeyspaceDefinition keyspace : session.schema().refresh()) {
          session.output().facts(keyspace(keyspace));
        }
      }
      case CLUSTER_NAME -> session.output().value("cluster_name", description().name());
      case API_VERSION -> session.output().value("api_version", description().apiVersion());
      case SCHEMA ->
          session.output().text("schema", SchemaScript.of(shown(show.keyspace()), types));
    }
  }

  private List<KeyspaceDefinition> shown(Optional<String> only) throws StatementFailure {
    session.schema().forget();
    if (only.isPresent()) {
      return List.of(families.keyspaceDefinition(only.get()));
    }
    return session.schema().refresh().stream()
        .filter(keyspace -> !keyspace.name().equals(SYSTEM))
        .toList();
  }

  private ClusterDescription description() {
    return session.client().cluster().describe();
  }

  private Facts cluster() {
    ClusterDescription cluster = description();
    SchemaVersions versions = session.client().cluster().schemaVersions();
    List<Facts> nodes =
        session.client().cluster().ring("").nodes().stream().map(DescribeStatements::node).toList();
    return new Facts(
        "cluster",
        cluster.name(),
        "Cluster: " + cluster.name(),
        List.of(
            new Fact("partitioner", "Partitioner", cluster.partitioner()),
            new Fact("snitch", "Snitch", cluster.snitch()),
            new Fact("api_version", "API version", cluster.apiVersion()),
            new Fact("server_version", "Server version", cluster.serverVersion()),
            new Fact(
                "schema_agreed",
                "Schema",
                versions.agreed() ? "all nodes agree" : "nodes know different versions")),
        List.of(new Group("nodes", "Nodes", nodes)));
  }

  private static Facts node(RingNode node) {
    return new Facts(
        "node",
        node.endpoint().nodeId(),
        "Node: " + node.endpoint().address() + ":" + node.endpoint().clientPort(),
        List.of(
            new Fact("address", "Address", node.endpoint().address()),
            new Fact("client_port", "Port", Integer.toString(node.endpoint().clientPort())),
            new Fact("datacenter", "Data centre", node.endpoint().datacenter()),
            new Fact("rack", "Rack", node.endpoint().rack()),
            new Fact("state", "State", node.state().name()),
            new Fact("liveness", "Liveness", node.liveness().name()),
            new Fact("load_bytes", "Bytes of data files", Long.toString(node.loadBytes())),
            new Fact("schema_version", "Schema version", node.schemaVersion())),
        List.of());
  }

  private Facts keyspace(KeyspaceDefinition keyspace) {
    List<Facts> parts = keyspace.columnFamilies().stream().map(this::family).toList();
    return new Facts(
        "keyspace",
        keyspace.name(),
        "Keyspace: " + keyspace.name() + ":",
        KeyspaceAttributes.facts(keyspace),
        List.of(new Group("column_families", "Column Families", parts)));
  }

  private Facts family(String keyspace, String name) throws StatementFailure {
    return family(families.definition(keyspace, name));
  }

  private Facts family(ColumnFamilyDefinition family) {
    return new Facts(
        "column_family",
        family.name(),
        "ColumnFamily: " + family.name() + (family.isSuper() ? " (Super)" : ""),
        SchemaScript.facts(family, types),
        List.of());
  }
}
