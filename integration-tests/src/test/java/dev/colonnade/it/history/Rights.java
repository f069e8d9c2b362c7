package dev.colonnade.it.history;

import static dev.colonnade.it.history.Workloads.CALL_SECONDS;
import static dev.colonnade.it.history.Workloads.KEYSPACE;
import static dev.colonnade.it.history.Workloads.bytes;
import static dev.colonnade.it.history.Workloads.parent;
import static dev.colonnade.it.history.Workloads.reading;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.Grant;
import dev.colonnade.admin.v1.GrantRequest;
import dev.colonnade.admin.v1.Permission;
import dev.colonnade.admin.v1.RevokeRequest;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.cluster.CallFailure;
import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Change;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Promise;
import dev.colonnade.server.history.Seen;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetCountRequest;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * An administrator grants and revokes rights of users, one change after another; users try whether
 * they have them. A node that could be reached all the time knows of each change that was
 * acknowledged.
 */
final class Rights implements Workloads.Client {

  static final List<String> USERS = List.of("ann", "bob");
  static final String PASSWORD = "a password of the user";
  private static final List<String> FAMILIES = List.of(BatchRows.FAMILY, ElementSets.FAMILY);
  private static final String GRANTED = "granted";

  private final BrokenCluster cluster;
  private final Recorder recorder;

  /** Only one client changes rights, so that their order is known. */
  private final boolean administers;

  Rights(BrokenCluster cluster, Recorder recorder, boolean administers) {
    this.cluster = cluster;
    this.recorder = recorder;
    this.administers = administers;
  }

  @Override
  public void step(Random random) {
    LocalNode node = cluster.anyNode(random);
    String user = USERS.get(random.nextInt(USERS.size()));
    String family = FAMILIES.get(random.nextInt(FAMILIES.size()));
    if (administers) {
      change(node, user, family, random.nextBoolean());
    } else {
      attempt(node, user, family);
    }
  }

  private void change(LocalNode node, String user, String family, boolean grants) {
    Grant grant =
        Grant.newBuilder()
            .setPermission(Permission.PERMISSION_READ)
            .setKeyspace(KEYSPACE)
            .setColumnFamily(family)
            .build();
    recorder.write(
        grants ? "Grant" : "Revoke",
        "rights of " + user,
        true,
        at -> grants ? Change.at(at).put(family, GRANTED) : Change.at(at).remove(family),
        at -> {
          AccountServiceGrpc.AccountServiceBlockingStub accounts =
              AccountServiceGrpc.newBlockingStub(node.channel())
                  .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
          Object unused =
              grants
                  ? accounts.grant(
                      GrantRequest.newBuilder().setAccount(user).setGrant(grant).build())
                  : accounts.revoke(
                      RevokeRequest.newBuilder().setAccount(user).setGrant(grant).build());
        });
  }

  private void attempt(LocalNode node, String user, String family) {
    boolean calm = cluster.isCalm();
    History.Read read = recorder.begin("rights of " + user, calm ? Promise.CURRENT : Promise.WEAK);
    recorder.attempt(
        "attempt of a user",
        () -> {
          boolean allowed = isAllowed(node, user, family);
          if (!cluster.isCalm()) {
            recorder.history().weaken(read, Promise.WEAK);
          }
          recorder
              .history()
              .end(
                  read,
                  Answer.ofColumns(List.of(family))
                      .saw(family, allowed ? Seen.value(GRANTED) : Seen.nothing()));
        });
  }

  private static boolean isAllowed(LocalNode node, String user, String family) {
    try {
      Object unused =
          ColumnStoreServiceGrpc.newBlockingStub(node.channelOf(user, PASSWORD))
              .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
              .getCount(
                  GetCountRequest.newBuilder()
                      .setKeyspace(KEYSPACE)
                      .setKey(bytes("none"))
                      .setColumnParent(parent(family))
                      .setPredicate(Workloads.all())
                      .setOptions(reading(false))
                      .build());
      return true;
    } catch (StatusRuntimeException e) {
      if (CallFailure.of(e).reason().equals("PERMISSION_DENIED")) {
        return false;
      }
      throw e;
    }
  }
}
