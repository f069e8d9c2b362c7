package dev.colonnade.it.history;

import static dev.colonnade.it.history.Workloads.CALL_SECONDS;
import static dev.colonnade.it.history.Workloads.all;
import static dev.colonnade.it.history.Workloads.bytes;
import static dev.colonnade.it.history.Workloads.data;
import static dev.colonnade.it.history.Workloads.page;
import static dev.colonnade.it.history.Workloads.parent;
import static dev.colonnade.it.history.Workloads.reading;
import static dev.colonnade.it.history.Workloads.writing;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.colonnade.client.Batch;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.it.LocalNode;
import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Change;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Promise;
import dev.colonnade.server.history.Seen;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rows of four columns, each overwritten by one batch, with 20 kB and with 12 bytes a column, so
 * that an answer is now one page and now several; read as wholes in every way that there is.
 */
final class BatchRows implements Workloads.Client {

  static final String FAMILY = "Rows";
  private static final List<String> COLUMNS = List.of("a", "b", "c", "d");
  private static final int LARGE = 20_000;
  private static final int SMALL = 12;

  /** More than there are rows. */
  private static final int HITS = 100;

  private final BrokenCluster cluster;
  private final Recorder recorder;
  private final Colonnade client;
  private final String keyspace;

  /** Whether an answer must be as new as what was acknowledged before. */
  private final boolean quorum;

  private final int rows;
  private @Nullable RawSession session;

  BatchRows(
      BrokenCluster cluster, Recorder recorder, Colonnade client, String keyspace, boolean quorum) {
    this.cluster = cluster;
    this.recorder = recorder;
    this.client = client;
    this.keyspace = keyspace;
    this.quorum = quorum;
    this.rows = keyspace.equals(Workloads.SINGLE) ? 3 : 6;
  }

  private Promise promise() {
    if (quorum || keyspace.equals(Workloads.SINGLE)) {
      return Promise.FRESH_AND_WHOLE;
    }
    return cluster.hasWholeReplicas() ? Promise.WHOLE : Promise.WEAK;
  }

  /** What a row is called in the history. */
  private String name(String key) {
    return keyspace + "/" + key;
  }

  private String key(int number) {
    return "row" + number;
  }

  @Override
  public void step(Random random) {
    String key = key(random.nextInt(rows));
    LocalNode node = cluster.anyNode(random);
    switch (random.nextInt(12)) {
      case 0, 1 -> write("batch", key, at -> batch(node, key, at));
      case 2 -> write("batch in a session", key, at -> sessionBatch(node, key, at));
      case 3, 4 -> write("batch of client-java", key, at -> clientBatch(key, at));
      case 5 -> {
        if (random.nextInt(4) == 0) {
          remove(node, key);
        } else {
          stream(node, key);
        }
      }
      case 6, 7 -> read("GetSlice", key, () -> of(data(node).getSlice(slice(key, all()))));
      case 8 ->
          read(
              "GetSlice in a session",
              key,
              () ->
                  of(
                      inSession(
                          node,
                          SessionCall.newBuilder().setGetSlice(slice(key, all())),
                          SessionAnswer::getGetSlice,
                          GetSliceResponse.parser())));
      case 9 ->
          read("GetSlice by names", key, () -> of(data(node).getSlice(slice(key, byNames()))));
      case 10 -> many(node, random);
      default -> read("slice of client-java", key, () -> clientSlice(key));
    }
  }

  /** Reads every row, through any node. */
  void readAll(LocalNode node) {
    for (int i = 0; i < rows; i++) {
      String key = key(i);
      read("last GetSlice", key, () -> of(data(node).getSlice(slice(key, all()))));
    }
  }

  private void read(String kind, String key, Supplier<Answer> call) {
    recorder.read(kind, name(key), promise(), call);
  }

  private void write(String kind, String key, LongConsumer call) {
    recorder.write(kind, name(key), promise().equals(Promise.FRESH_AND_WHOLE), this::change, call);
  }

  private Change change(long timestamp) {
    Change change = Change.at(timestamp);
    COLUMNS.forEach(column -> change.put(column, Tagged.name(timestamp)));
    return change;
  }

  private static ByteString value(long timestamp) {
    return Tagged.value(timestamp, isLarge(timestamp) ? LARGE : SMALL);
  }

  private static boolean isLarge(long timestamp) {
    return timestamp % 2 == 0;
  }

  private BatchMutateRequest batch(String key, long timestamp) {
    RowMutation.Builder row = RowMutation.newBuilder().setKey(bytes(key)).setColumnFamily(FAMILY);
    for (String column : COLUMNS) {
      row.addMutations(
          Mutation.newBuilder()
              .setColumnOrSuperColumn(
                  ColumnOrSuperColumn.newBuilder()
                      .setColumn(
                          Column.newBuilder()
                              .setName(bytes(column))
                              .setValue(value(timestamp))
                              .setTimestamp(timestamp))));
    }
    return BatchMutateRequest.newBuilder()
        .setKeyspace(keyspace)
        .addRows(row)
        .setOptions(writing(quorum))
        .build();
  }

  private void batch(LocalNode node, String key, long timestamp) {
    Object unused = data(node).batchMutate(batch(key, timestamp));
  }

  /** Messages of a session have no room for a large batch. */
  private void sessionBatch(LocalNode node, String key, long timestamp) {
    if (isLarge(timestamp)) {
      batch(node, key, timestamp);
      return;
    }
    Object unused =
        inSession(
            node,
            SessionCall.newBuilder().setBatchMutate(batch(key, timestamp)),
            SessionAnswer::getBatchMutate,
            BatchMutateResponse.parser());
  }

  private GetSliceRequest slice(String key, SlicePredicate predicate) {
    return GetSliceRequest.newBuilder()
        .setKeyspace(keyspace)
        .setKey(bytes(key))
        .setColumnParent(parent(FAMILY))
        .setPredicate(predicate)
        .setOptions(reading(quorum))
        .build();
  }

  private static SlicePredicate byNames() {
    return SlicePredicate.newBuilder()
        .setColumnNames(
            ColumnNames.newBuilder().addAllNames(COLUMNS.stream().map(Workloads::bytes).toList()))
        .build();
  }

  private static Answer of(GetSliceResponse answer) {
    return page(answer.getColumnsList(), true, answer.getNextPageToken().isEmpty());
  }

  private void remove(LocalNode node, String key) {
    recorder.write(
        "Remove of a row",
        name(key),
        promise().equals(Promise.FRESH_AND_WHOLE),
        at -> {
          Change change = Change.at(at).removeRow();
          COLUMNS.forEach(change::remove);
          return change;
        },
        at -> {
          Object unused =
              data(node)
                  .remove(
                      RemoveRequest.newBuilder()
                          .setKeyspace(keyspace)
                          .setKey(bytes(key))
                          .setColumnPath(ColumnPath.newBuilder().setColumnFamily(FAMILY))
                          .setTimestamp(at)
                          .setOptions(writing(quorum))
                          .build());
        });
  }

  private CallOptions calls() {
    Consistency level = quorum ? Consistency.QUORUM : Consistency.ONE;
    return CallOptions.defaults().withReadConsistency(level).withWriteConsistency(level);
  }

  private ColumnFamily<String, String, byte[]> family(CallOptions calls) {
    return client
        .keyspace(keyspace)
        .columnFamily(FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.BYTES)
        .with(calls);
  }

  private void clientBatch(String key, long timestamp) {
    CallOptions calls = calls().withTimestamp(timestamp);
    Batch batch = client.keyspace(keyspace).with(calls).batch();
    for (String column : COLUMNS) {
      batch.insert(family(calls), key, column, value(timestamp).toByteArray());
    }
    batch.apply();
  }

  private Answer clientSlice(String key) {
    Answer answer = Answer.ofRow();
    for (var column : family(calls()).slice(key, Slice.all())) {
      answer.saw(
          column.name(),
          Seen.version(
              column.timestampMicros().orElseThrow(),
              Tagged.name(ByteString.copyFrom(column.value()))));
    }
    return answer;
  }

  private <A extends MessageLite> A inSession(
      LocalNode node,
      SessionCall.Builder call,
      Function<SessionAnswer, A> answer,
      Parser<A> parser) {
    if (session == null || session.isBroken()) {
      session = new RawSession(node.channel());
    }
    return session.call(call, CALL_SECONDS, answer, parser);
  }

  /** Several rows in one answer. */
  private void many(LocalNode node, Random random) {
    List<History.Read> reads = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      reads.add(recorder.begin(name(key(i)), promise()));
    }
    if (random.nextBoolean()) {
      MultigetSliceRequest.Builder request =
          MultigetSliceRequest.newBuilder()
              .setKeyspace(keyspace)
              .setColumnParent(parent(FAMILY))
              .setPredicate(all())
              .setOptions(reading(quorum));
      for (int i = 0; i < rows; i++) {
        request.addKeys(bytes(key(i)));
      }
      recorder.attempt(
          "MultigetSlice",
          () -> {
            MultigetSliceResponse answer = data(node).multigetSlice(request.build());
            ended(reads, answer.getRowsList(), !answer.getNextPageToken().isEmpty());
          });
    } else {
      GetRangeSlicesRequest request =
          GetRangeSlicesRequest.newBuilder()
              .setKeyspace(keyspace)
              .setColumnParent(parent(FAMILY))
              .setPredicate(all())
              .setRange(
                  KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()).setCount(HITS))
              .setOptions(reading(quorum))
              .build();
      recorder.attempt(
          "GetRangeSlices",
          () -> {
            GetRangeSlicesResponse answer = data(node).getRangeSlices(request);
            ended(reads, answer.getRowsList(), !answer.getNextPageToken().isEmpty());
          });
    }
  }

  /** Ends the reads of the rows that an answer shows; without a further page, of all. */
  private void ended(List<History.Read> reads, List<KeySlice> shownRows, boolean continues) {
    for (int i = 0; i < reads.size(); i++) {
      ByteString key = bytes(key(i));
      boolean shown = false;
      for (int at = 0; at < shownRows.size(); at++) {
        KeySlice row = shownRows.get(at);
        if (row.getKey().equals(key)) {
          shown = true;
          boolean last = at == shownRows.size() - 1;
          recorder
              .history()
              .end(reads.get(i), page(row.getColumnsList(), true, !(continues && last)));
        }
      }
      if (!shown && !continues) {
        recorder.history().end(reads.get(i), Answer.ofRow());
      }
    }
  }

  /** Each message of a stream is an answer of its own. */
  private void stream(LocalNode node, String key) {
    History.Read first = recorder.begin(name(key), promise());
    recorder.attempt(
        "StreamSlice",
        () -> {
          Iterator<StreamSliceResponse> messages =
              data(node)
                  .streamSlice(
                      StreamSliceRequest.newBuilder()
                          .setKeyspace(keyspace)
                          .setKey(bytes(key))
                          .setColumnParent(parent(FAMILY))
                          .setPredicate(all())
                          .setOptions(reading(quorum))
                          .build());
          List<History.Read> reads = new ArrayList<>();
          while (messages.hasNext()) {
            History.Read read =
                reads.isEmpty() ? first : recorder.history().another(first, name(key));
            List<ColumnOrSuperColumn> columns = messages.next().getColumnsList();
            recorder.history().end(read, page(columns, reads.isEmpty(), !messages.hasNext()));
            reads.add(read);
          }
          if (reads.isEmpty()) {
            recorder.history().end(first, Answer.ofRow());
          }
          if (reads.size() > 1 && !keyspace.equals(Workloads.SINGLE)) {
            // Replicas were made equal part by part.
            reads.forEach(read -> recorder.history().weaken(read, Promise.WHOLE));
          }
        });
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
    }
  }
}
