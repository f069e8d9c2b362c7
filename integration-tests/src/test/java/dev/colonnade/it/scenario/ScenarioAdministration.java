package dev.colonnade.it.scenario;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnType;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DrainRequest;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.RemoveTokenRequest;
import dev.colonnade.admin.v1.UpdateColumnFamilyRequest;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;

/** The schema, and what is done to nodes. */
final class ScenarioAdministration {

  private final ScenarioNodes nodes;

  ScenarioAdministration(ScenarioNodes nodes) {
    this.nodes = nodes;
  }

  JsonObject play(Step step) {
    JsonObject nothing = new JsonObject();
    switch (step.text("op")) {
      case "create_keyspace" -> {
        KeyspaceDef.Builder keyspace =
            KeyspaceDef.newBuilder()
                .setName(step.keyspace())
                .setReplicationFactor((int) step.number("replication_factor", 1));
        step.steps("families")
            .forEach(family -> keyspace.addColumnFamilies(family(step.keyspace(), family)));
        CreateKeyspaceRequest request =
            CreateKeyspaceRequest.newBuilder().setKeyspace(keyspace).build();
        nodes.call(step, node -> node.schema().createKeyspace(request));
        return nothing;
      }
      case "drop_keyspace" -> {
        DropKeyspaceRequest request =
            DropKeyspaceRequest.newBuilder().setName(step.keyspace()).build();
        nodes.call(step, node -> node.schema().dropKeyspace(request));
        return nothing;
      }
      case "create_family" -> {
        CreateColumnFamilyRequest request =
            CreateColumnFamilyRequest.newBuilder().setColumnFamily(onlyFamily(step)).build();
        nodes.call(step, node -> node.schema().createColumnFamily(request));
        return nothing;
      }
      case "update_comparator" -> {
        UpdateColumnFamilyRequest request =
            UpdateColumnFamilyRequest.newBuilder().setColumnFamily(onlyFamily(step)).build();
        nodes.call(step, node -> node.schema().updateColumnFamily(request));
        return nothing;
      }
      case "health" -> {
        HealthCheckRequest request =
            HealthCheckRequest.newBuilder().setService(step.text("service")).build();
        String status =
            nodes
                .call(step, node -> HealthGrpc.newBlockingStub(node.channel()).check(request))
                .getStatus()
                .name();
        return ScenarioCalls.object("status", new JsonPrimitive(status));
      }
      case "drain" -> {
        nodes.call(step, node -> node.node().drain(DrainRequest.getDefaultInstance()));
        return nothing;
      }
      case "remove_node" -> {
        nodes.call(step, ScenarioAdministration::removeItself);
        return nothing;
      }
      case "signal" -> {
        nodes.signal((int) step.number("node", 1), step.text("signal"));
        return nothing;
      }
      default -> throw new IllegalArgumentException("unknown op " + step.text("op"));
    }
  }

  /** Which a node refuses. */
  private static boolean removeItself(ScenarioNodes.Node node) {
    String id =
        node.node()
            .getInfo(GetInfoRequest.getDefaultInstance())
            .getNode()
            .getEndpoint()
            .getNodeId();
    node.node()
        .removeToken(RemoveTokenRequest.newBuilder().setNodeId(id).build())
        .forEachRemaining(progress -> {});
    return true;
  }

  private static ColumnFamilyDef onlyFamily(Step step) {
    return family(step.keyspace(), new Step(step.json().getAsJsonObject("family")));
  }

  private static ColumnFamilyDef family(String keyspace, Step family) {
    boolean nested = family.has("compare_subcolumns_with");
    return ColumnFamilyDef.newBuilder()
        .setKeyspace(keyspace)
        .setName(family.text("name"))
        .setColumnType(nested ? ColumnType.COLUMN_TYPE_SUPER : ColumnType.COLUMN_TYPE_STANDARD)
        .setCompareWith(family.text("compare_with"))
        .setCompareSubcolumnsWith(family.text("compare_subcolumns_with"))
        .build();
  }
}
