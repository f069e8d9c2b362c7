package dev.colonnade.it.conformance;

import static dev.colonnade.it.conformance.TraceRequests.text;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnType;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The schema in the header of a recording. */
record TraceSchema(List<KeyspaceDef> keyspaces, Set<String> indexedFamilies) {

  static TraceSchema of(Trace trace) {
    List<KeyspaceDef> keyspaces = new ArrayList<>();
    Set<String> indexed = new HashSet<>();
    for (JsonElement element :
        trace.header().getAsJsonObject("schema").getAsJsonArray("keyspaces")) {
      JsonObject keyspace = element.getAsJsonObject();
      KeyspaceDef.Builder definition = KeyspaceDef.newBuilder().setName(text(keyspace, "name"));
      for (JsonElement member : keyspace.getAsJsonArray("cfs")) {
        JsonObject family = member.getAsJsonObject();
        if (family.has("indexes")) {
          indexed.add(text(family, "name"));
        } else {
          definition.addColumnFamilies(family(text(keyspace, "name"), family));
        }
      }
      keyspaces.add(definition.build());
    }
    return new TraceSchema(List.copyOf(keyspaces), Set.copyOf(indexed));
  }

  /** Creates every keyspace empty; what another recording left under its name is dropped. */
  void createOn(Channel channel) {
    SchemaServiceGrpc.SchemaServiceBlockingStub schema = SchemaServiceGrpc.newBlockingStub(channel);
    Set<String> there = new HashSet<>();
    schema
        .listKeyspaces(ListKeyspacesRequest.getDefaultInstance())
        .getKeyspacesList()
        .forEach(keyspace -> there.add(keyspace.getName()));
    for (KeyspaceDef keyspace : keyspaces) {
      if (there.contains(keyspace.getName())) {
        schema.dropKeyspace(DropKeyspaceRequest.newBuilder().setName(keyspace.getName()).build());
      }
      schema.createKeyspace(CreateKeyspaceRequest.newBuilder().setKeyspace(keyspace).build());
    }
  }

  private static ColumnFamilyDef family(String keyspace, JsonObject recorded) {
    ColumnFamilyDef.Builder family =
        ColumnFamilyDef.newBuilder()
            .setKeyspace(keyspace)
            .setName(text(recorded, "name"))
            .setColumnType(
                text(recorded, "type").equals("Super")
                    ? ColumnType.COLUMN_TYPE_SUPER
                    : ColumnType.COLUMN_TYPE_STANDARD)
            .setCompareWith(text(recorded, "comparator"));
    if (recorded.has("subcomparator")) {
      family.setCompareSubcolumnsWith(text(recorded, "subcomparator"));
    }
    return family.build();
  }
}
