package dev.colonnade.it.history;

import static dev.colonnade.it.history.Workloads.CALL_SECONDS;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.DropColumnFamilyRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc.SchemaServiceBlockingStub;
import dev.colonnade.it.LocalNode;
import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Change;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Promise;
import dev.colonnade.server.history.Seen;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Families that one client creates and drops, and the schema as each node describes it. */
final class Families implements Workloads.Client {

  static final String KEYSPACE = "Changing";
  private static final int FAMILIES = 3;

  private final BrokenCluster cluster;
  private final Recorder recorder;

  /** Only one client changes the schema, so that the order of changes is known. */
  private final boolean administers;

  Families(BrokenCluster cluster, Recorder recorder, boolean administers) {
    this.cluster = cluster;
    this.recorder = recorder;
    this.administers = administers;
  }

  private static SchemaServiceBlockingStub schema(LocalNode node) {
    return node.schema().withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void step(Random random) {
    LocalNode node = cluster.anyNode(random);
    String family = "F" + random.nextInt(FAMILIES);
    if (!administers) {
      describe(node);
    } else if (random.nextBoolean()) {
      recorder.write(
          "CreateColumnFamily",
          KEYSPACE,
          true,
          at -> Change.at(at).put(family, Tagged.name(at)),
          at -> {
            Object unused =
                schema(node)
                    .createColumnFamily(
                        CreateColumnFamilyRequest.newBuilder()
                            .setColumnFamily(
                                ColumnFamilyDef.newBuilder()
                                    .setKeyspace(KEYSPACE)
                                    .setName(family)
                                    .setComment(Tagged.name(at)))
                            .build());
          });
    } else {
      recorder.write(
          "DropColumnFamily",
          KEYSPACE,
          true,
          at -> Change.at(at).remove(family),
          at -> {
            Object unused =
                schema(node)
                    .dropColumnFamily(
                        DropColumnFamilyRequest.newBuilder()
                            .setKeyspace(KEYSPACE)
                            .setName(family)
                            .build());
          });
    }
  }

  private void describe(LocalNode node) {
    boolean calm = cluster.isCalm();
    History.Read read = recorder.begin(KEYSPACE, calm ? Promise.CURRENT : Promise.WEAK);
    recorder.attempt(
        "GetKeyspace",
        () -> {
          Answer answer = Answer.ofRow();
          schema(node)
              .getKeyspace(GetKeyspaceRequest.newBuilder().setName(KEYSPACE).build())
              .getKeyspace()
              .getColumnFamiliesList()
              .forEach(family -> answer.saw(family.getName(), Seen.value(family.getComment())));
          if (!cluster.isCalm()) {
            recorder.history().weaken(read, Promise.WEAK);
          }
          recorder.history().end(read, answer);
        });
  }
}
