package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checker of the kill test reports every fault and nothing else. */
final class ExpectedRowTest {

  private final ExpectedRow row = new ExpectedRow(ByteString.copyFromUtf8("r"), 1);

  @Test
  void anAcknowledgedVersionAndALaterOneThatWasBegunAreBothRight() {
    acknowledge(1, 2);
    row.begin();
    row.verify(found(2));
    row.verify(found(3));
  }

  @Test
  void whatARestartHasShownMayNotGoAwayAgain() {
    acknowledge(1);
    row.begin();
    row.verify(found(2));
    assertThrows(AssertionError.class, () -> row.verify(found(1)));
  }

  @Test
  void anOlderVersionIsALoss() {
    acknowledge(1, 2);
    assertThrows(AssertionError.class, () -> row.verify(found(1)));
    assertThrows(AssertionError.class, () -> row.verify(List.of()));
  }

  @Test
  void aVersionThatWasNeverWrittenIsWrong() {
    acknowledge(1);
    assertThrows(AssertionError.class, () -> row.verify(found(2)));
  }

  @Test
  void halfABatchIsWrong() {
    acknowledge(1);
    row.begin();
    List<ColumnOrSuperColumn> half = new ArrayList<>(found(1).subList(0, 8));
    half.addAll(found(2).subList(8, 16));
    assertThrows(AssertionError.class, () -> row.verify(half));
    assertThrows(AssertionError.class, () -> row.verify(found(1).subList(0, 15)));
  }

  @Test
  void aRowMayBeGoneWhenADeletionWasBegun() {
    acknowledge(1, 2, 3, 4, 5, 6, 7, 8);
    assertThrows(AssertionError.class, () -> row.verify(List.of()));
    row.begin();
    row.verify(List.of());
  }

  private void acknowledge(long... versions) {
    for (long version : versions) {
      row.begin();
      row.acknowledge(version);
    }
  }

  private List<ColumnOrSuperColumn> found(long version) {
    List<ColumnOrSuperColumn> found = new ArrayList<>();
    for (Column column : row.columns(version)) {
      found.add(ColumnOrSuperColumn.newBuilder().setColumn(column).build());
    }
    return found;
  }
}
