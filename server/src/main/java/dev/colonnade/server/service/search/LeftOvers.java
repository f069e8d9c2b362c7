package dev.colonnade.server.service.search;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.write.RowMutation;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries of versions that were replaced, which writers of one document at one time have left. A
 * search that meets them removes them in the background, so that the next one does not read them.
 *
 * @param removals each at the timestamp of its entry
 */
record LeftOvers(UserRow row, List<Cell> removals) {

  private static final Logger LOG = LoggerFactory.getLogger(LeftOvers.class);

  /** Removes them; the search does not wait, and a later one tries again. */
  void remove(RowStore rows, boolean durable, long deadlineNanos) {
    RowUpdate.Builder update = RowUpdate.builder(row.family().order());
    removals.forEach(update::add);
    Then.whenDone(
        Then.called(
            () ->
                rows.write(
                    List.of(
                        new RowMutation(
                            row.key(),
                            List.of(new RowMutation.FamilyUpdate(row.family(), update.build())))),
                    durable,
                    Consistency.ONE,
                    deadlineNanos)),
        (asked, failure) -> {
          if (failure != null) {
            LOG.debug("left-over entries of an index could not be removed", failure);
          }
        });
  }
}
