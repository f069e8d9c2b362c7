package dev.colonnade.cli.local.restore;

import dev.colonnade.client.AccountField;
import dev.colonnade.client.Colonnade;
import dev.colonnade.server.storage.snapshot.SnapshotAccountField;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The accounts that snapshots have: of each field the later change of all nodes. For one thread;
 * blocks.
 */
final class SnapshotAccounts {

  private static final int FIELDS_PER_CALL = 20_000;
  private static final String SUPERUSER = "superuser";

  /** By account, then by field. */
  private final Map<String, Map<String, SnapshotAccountField>> accounts = new TreeMap<>();

  private SnapshotAccounts() {}

  /**
   * Merges those of all snapshots.
   *
   * @throws RestoreException if they have none
   */
  static SnapshotAccounts of(List<SnapshotManifest> manifests) throws RestoreException {
    SnapshotAccounts merged = new SnapshotAccounts();
    for (SnapshotManifest manifest : manifests) {
      for (SnapshotAccountField field : manifest.accounts()) {
        merged
            .accounts
            .computeIfAbsent(field.account(), name -> new TreeMap<>())
            .merge(field.field(), field, SnapshotAccounts::later);
      }
    }
    if (merged.accounts.isEmpty()) {
      throw new RestoreException(
          "the snapshots have no accounts; nothing was restored. The cluster had none, or its nodes"
              + " were of a release before snapshots had them");
    }
    return merged;
  }

  private static SnapshotAccountField later(SnapshotAccountField one, SnapshotAccountField other) {
    return one.changedMicros() >= other.changedMicros() ? one : other;
  }

  /** Sends them; superusers first, so that the cluster is never without one. */
  void restore(Colonnade client, Consumer<String> progress) {
    List<Map<String, SnapshotAccountField>> ordered = new ArrayList<>(accounts.values());
    ordered.sort(Comparator.comparing(fields -> fields.containsKey(SUPERUSER) ? 0 : 1));
    TreeSet<String> missing = new TreeSet<>();
    List<AccountField> waiting = new ArrayList<>();
    for (Map<String, SnapshotAccountField> account : ordered) {
      if (waiting.size() + account.size() > FIELDS_PER_CALL && !waiting.isEmpty()) {
        missing.addAll(client.accounts().restore(waiting));
        waiting.clear();
      }
      for (SnapshotAccountField each : account.values()) {
        waiting.add(
            new AccountField(each.account(), each.field(), each.changedMicros(), each.value()));
      }
    }
    missing.addAll(client.accounts().restore(waiting));
    progress.accept(
        "Restored accounts: "
            + accounts.size()
            + " users and roles, those included that had been dropped."
            + (missing.isEmpty()
                ? ""
                : " Nodes that learn of them later: " + String.join(", ", missing) + "."));
  }
}
