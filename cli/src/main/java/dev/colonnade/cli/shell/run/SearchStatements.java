package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.ShownEntry;
import dev.colonnade.cli.shell.output.ShownRow;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Column;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.Document;
import dev.colonnade.client.Hit;
import dev.colonnade.client.SearchIndex;
import dev.colonnade.client.SearchQuery;
import dev.colonnade.client.Serializers;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/** The statements of search indexes. A hit is shown as a column: its id, and its payload. */
final class SearchStatements {

  private final Session session;
  private final Families families;

  SearchStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  void index(Statement.IndexDocument index, Calls calls) throws StatementFailure {
    Family family = indexOf(index.document());
    Document<byte[]> document =
        Document.of(
                family.columnName(index.document().names().get(0)),
                index.texts().toArray(String[]::new))
            .with(index.participants().toArray(String[]::new));
    if (!index.payload().isEmpty()) {
      document = document.withPayload(index.payload().getBytes(StandardCharsets.UTF_8));
    }
    byte[] user = family.key(ReadStatements.rowOf(index.document()));
    boolean stands = open(family, calls.writes()).index(user, document);
    session
        .output()
        .done(stands ? "Document indexed." : "The index has a newer version of the document.");
  }

  void delete(Statement.DeleteDocument delete, Calls calls) throws StatementFailure {
    Family family = indexOf(delete.document());
    byte[] user = family.key(ReadStatements.rowOf(delete.document()));
    open(family, calls.writes()).delete(user, family.columnName(delete.document().names().get(0)));
    session.output().done("Document removed.");
  }

  void terms(Statement.SearchTerms search, Calls calls) throws StatementFailure {
    Family family = indexOf(search.row());
    byte[] user = family.key(ReadStatements.rowOf(search.row()));
    SearchQuery query =
        SearchQuery.allOf(search.allOf())
            .andAnyOf(search.anyOf())
            .andPhrase(search.phrase())
            .andPrefix(search.prefix())
            .inOrder(
                search.bestFirst() ? SearchQuery.Order.BEST_FIRST : SearchQuery.Order.NEWEST_FIRST);
    for (String participant : search.participants()) {
      query = query.with(participant);
    }
    show(family, user, search.limit(), open(family, calls.reads()).stream(user, query));
  }

  void with(Statement.SearchWith search, Calls calls) throws StatementFailure {
    Family family = indexOf(search.row());
    byte[] user = family.key(ReadStatements.rowOf(search.row()));
    show(
        family,
        user,
        search.limit(),
        open(family, calls.reads()).streamInteractions(user, search.participant()));
  }

  private void show(Family family, byte[] user, OptionalInt asked, Cursor<Hit<byte[]>> found) {
    int limit = asked.orElse(ReadStatements.DEFAULT_LIMIT);
    try (found) {
      Limited<Hit<byte[]>> limited = new Limited<>(found, limit);
      session
          .output()
          .row(
              family.place(),
              new ShownRow(
                  family.show(user),
                  false,
                  new Mapped<Hit<byte[]>, ShownEntry>(limited, hit -> shown(family, hit)),
                  limited::more));
      if (asked.isEmpty() && limited.more()) {
        session
            .output()
            .note(
                "Using default limit of "
                    + ReadStatements.DEFAULT_LIMIT
                    + "; there are more: say limit n.");
      }
    }
  }

  private static ShownEntry shown(Family family, Hit<byte[]> hit) {
    return family.shown(Column.of(hit.id(), hit.payload()).withTimestamp(hit.timestampMicros()));
  }

  private Family indexOf(Path path) throws StatementFailure {
    Family family = families.of(path);
    if (!family.isSuper()) {
      throw StatementFailure.refused(
          family.name()
              + " is no search index: `create column family NAME with column_type = Super and"
              + " analyzer = english;` makes one");
    }
    return family;
  }

  private SearchIndex<byte[], byte[]> open(Family family, CallOptions options) {
    return session
        .client()
        .keyspace(family.keyspace())
        .with(options)
        .searchIndex(family.name(), Serializers.BYTES, Serializers.BYTES);
  }
}
