package dev.colonnade.it.history;

import static dev.colonnade.it.history.Workloads.KEYSPACE;
import static dev.colonnade.it.history.Workloads.all;
import static dev.colonnade.it.history.Workloads.bytes;
import static dev.colonnade.it.history.Workloads.data;
import static dev.colonnade.it.history.Workloads.parent;
import static dev.colonnade.it.history.Workloads.reading;
import static dev.colonnade.it.history.Workloads.writing;

import dev.colonnade.it.LocalNode;
import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Change;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Promise;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.RemoveRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Sets as rows with a column for each element, which are added, removed, listed in pages, and
 * counted at QUORUM.
 */
final class ElementSets implements Workloads.Client {

  static final String FAMILY = "Sets";
  private static final int SETS = 4;
  private static final int PAGE_BYTES = 3_000;

  /** A set that has had so many elements is left alone, and another one begun. */
  private static final int ELEMENTS = 120;

  private static final int LARGE = 2_000;
  private static final int SMALL = 20;

  private final BrokenCluster cluster;
  private final Recorder recorder;
  private final String client = Thread.currentThread().getName();
  private final List<String> mine = new ArrayList<>();
  private int set;
  private int added;

  ElementSets(BrokenCluster cluster, Recorder recorder) {
    this.cluster = cluster;
    this.recorder = recorder;
  }

  @Override
  public void step(Random random) {
    LocalNode node = cluster.anyNode(random);
    String row = "set" + (set * SETS + random.nextInt(SETS));
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> add(node, row, random);
      case 3 -> {
        if (!mine.isEmpty()) {
          String[] element = mine.remove(random.nextInt(mine.size())).split("/");
          remove(node, element[0], element[1]);
        }
      }
      case 4 -> list(node, row);
      default -> count(node, row);
    }
  }

  private void add(LocalNode node, String row, Random random) {
    added++;
    if (added % ELEMENTS == 0) {
      set++;
      mine.clear();
    }
    String element = client + "-" + random.nextInt(10) + "-" + added;
    mine.add(row + "/" + element);
    recorder.write(
        "Insert into a set",
        row,
        true,
        at -> Change.at(at).put(element, Tagged.name(at)),
        at -> {
          Object unused =
              data(node)
                  .insert(
                      InsertRequest.newBuilder()
                          .setKeyspace(KEYSPACE)
                          .setKey(bytes(row))
                          .setColumnParent(parent(FAMILY))
                          .setColumn(
                              Column.newBuilder()
                                  .setName(bytes(element))
                                  .setValue(Tagged.value(at, at % 5 == 0 ? LARGE : SMALL))
                                  .setTimestamp(at))
                          .setOptions(writing(true))
                          .build());
        });
  }

  private void remove(LocalNode node, String row, String element) {
    recorder.write(
        "Remove from a set",
        row,
        true,
        at -> Change.at(at).remove(element),
        at -> {
          Object unused =
              data(node)
                  .remove(
                      RemoveRequest.newBuilder()
                          .setKeyspace(KEYSPACE)
                          .setKey(bytes(row))
                          .setColumnPath(
                              ColumnPath.newBuilder()
                                  .setColumnFamily(FAMILY)
                                  .setColumn(bytes(element)))
                          .setTimestamp(at)
                          .setOptions(writing(true))
                          .build());
        });
  }

  /** Page by page; each is an answer of its own. */
  private void list(LocalNode node, String row) {
    recorder.attempt(
        "GetSlice of a set in pages",
        () -> {
          String token = "";
          boolean first = true;
          do {
            History.Read read = recorder.begin(row, Promise.FRESH);
            GetSliceResponse page =
                data(node)
                    .getSlice(
                        GetSliceRequest.newBuilder()
                            .setKeyspace(KEYSPACE)
                            .setKey(bytes(row))
                            .setColumnParent(parent(FAMILY))
                            .setPredicate(all())
                            .setPageBytes(PAGE_BYTES)
                            .setPageToken(token)
                            .setOptions(reading(true))
                            .build());
            token = page.getNextPageToken();
            recorder
                .history()
                .end(read, Workloads.page(page.getColumnsList(), first, token.isEmpty()));
            first = false;
          } while (!token.isEmpty());
        });
  }

  private void count(LocalNode node, String row) {
    History.Read read = recorder.begin(row, Promise.FRESH);
    recorder.attempt(
        "GetCount of a set",
        () ->
            recorder
                .history()
                .end(
                    read,
                    Answer.ofRow(),
                    data(node)
                        .getCount(
                            GetCountRequest.newBuilder()
                                .setKeyspace(KEYSPACE)
                                .setKey(bytes(row))
                                .setColumnParent(parent(FAMILY))
                                .setPredicate(all())
                                .setOptions(reading(true))
                                .build())
                        .getCount()));
  }
}
