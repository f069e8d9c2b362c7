package dev.colonnade.it.history;

import static dev.colonnade.it.history.Workloads.CALL_SECONDS;
import static dev.colonnade.it.history.Workloads.KEYSPACE;
import static dev.colonnade.it.history.Workloads.bytes;
import static dev.colonnade.it.history.Workloads.reading;
import static dev.colonnade.it.history.Workloads.writing;

import com.google.protobuf.ByteString;
import dev.colonnade.it.LocalNode;
import dev.colonnade.search.v1.DeleteDocumentRequest;
import dev.colonnade.search.v1.Hit;
import dev.colonnade.search.v1.IndexDocumentRequest;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.search.v1.SearchTermsResponse;
import dev.colonnade.search.v1.TermQuery;
import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Change;
import dev.colonnade.server.history.Promise;
import dev.colonnade.server.history.Seen;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Documents that are indexed again and again and deleted, and searches for a term that all have, at
 * QUORUM: each finds every document once, as it was or as it is.
 */
final class Inbox implements Workloads.Client {

  static final String INDEX = "Inbox";
  private static final int USERS = 3;
  private static final int DOCUMENTS = 8;
  private static final int HITS = 100;

  private final BrokenCluster cluster;
  private final Recorder recorder;

  Inbox(BrokenCluster cluster, Recorder recorder) {
    this.cluster = cluster;
    this.recorder = recorder;
  }

  private static SearchServiceGrpc.SearchServiceBlockingStub search(LocalNode node) {
    return SearchServiceGrpc.newBlockingStub(node.channel())
        .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void step(Random random) {
    LocalNode node = cluster.anyNode(random);
    String user = "user" + random.nextInt(USERS);
    String id = "document" + random.nextInt(DOCUMENTS);
    switch (random.nextInt(8)) {
      case 0, 1, 2 ->
          recorder.write(
              "IndexDocument",
              user,
              true,
              at -> Change.at(at).put(id, Tagged.name(at)),
              at -> {
                Object unused =
                    search(node)
                        .indexDocument(
                            IndexDocumentRequest.newBuilder()
                                .setKeyspace(KEYSPACE)
                                .setIndex(INDEX)
                                .setUser(bytes(user))
                                .setDocumentId(bytes(id))
                                .addTexts("mail number " + at)
                                .setPayload(Tagged.value(at, (int) (at % 100)))
                                .setTimestamp(at)
                                .setOptions(writing(true))
                                .build());
              });
      case 3 ->
          recorder.write(
              "DeleteDocument",
              user,
              true,
              at -> Change.at(at).remove(id),
              at -> {
                Object unused =
                    search(node)
                        .deleteDocument(
                            DeleteDocumentRequest.newBuilder()
                                .setKeyspace(KEYSPACE)
                                .setIndex(INDEX)
                                .setUser(bytes(user))
                                .setDocumentId(bytes(id))
                                .setTimestamp(at)
                                .setOptions(writing(true))
                                .build());
              });
      default -> recorder.read("SearchTerms", user, Promise.FRESH, () -> found(node, user));
    }
  }

  private static Answer found(LocalNode node, String user) {
    SearchTermsResponse answer =
        search(node)
            .searchTerms(
                SearchTermsRequest.newBuilder()
                    .setKeyspace(KEYSPACE)
                    .setIndex(INDEX)
                    .setUser(bytes(user))
                    .setQuery(TermQuery.newBuilder().setAllOf("mail"))
                    .setPageSize(HITS)
                    .setOptions(reading(true))
                    .build());
    Answer all =
        answer.getNextPageToken().isEmpty()
            ? Answer.ofRow()
            : Answer.ofColumns(
                answer.getHitsList().stream()
                    .map(hit -> hit.getDocumentId().toStringUtf8())
                    .toList());
    for (Hit hit : answer.getHitsList()) {
      ByteString payload = hit.getPayload();
      all.saw(
          hit.getDocumentId().toStringUtf8(),
          Seen.version(hit.getTimestamp(), Tagged.name(payload)));
    }
    return all;
  }
}
