package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.SliceClause;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.cli.shell.statement.Statement.Described;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes statements as text that reads as the same statements. */
public final class Statements {

  private static final String NEXT_LINE = "\n  ";

  private Statements() {}

  /** The text of a statement, with its {@code ;}. */
  public static String print(Statement statement) {
    return text(statement) + ";";
  }

  private static String text(Statement statement) {
    if (statement instanceof Statement.Put put) {
      return put(put);
    } else if (statement instanceof Statement.Delete delete) {
      String timestamp =
          delete.timestamp().isPresent()
              ? " with timestamp = " + delete.timestamp().getAsLong()
              : "";
      return "del " + path(delete.path()) + slice(delete.slice(), "limit") + timestamp;
    } else if (statement instanceof Statement.Batch batch) {
      return batch.changes().stream()
          .map(change -> NEXT_LINE + print(change))
          .collect(Collectors.joining("", "batch;", "\nend"));
    } else if (statement instanceof Statement.Get get) {
      String as = get.as().map(type -> " as " + Names.run(type)).orElse("");
      return "get " + path(get.path()) + slice(get.slice(), "limit") + as;
    } else if (statement instanceof Statement.Multiget get) {
      return "multiget "
          + family(get.family())
          + keys(get.keys())
          + names(get.family())
          + slice(get.slice(), "limit");
    } else if (statement instanceof Statement.Count count) {
      return "count " + path(count.path()) + slice(count.slice(), "limit");
    } else if (statement instanceof Statement.ListRows list) {
      return list(list);
    } else if (statement instanceof Statement.Touch touch) {
      return "touch " + family(touch.family()) + keys(touch.keys());
    } else if (statement instanceof Statement.Truncate truncate) {
      return "truncate " + family(truncate.family());
    }
    return ofSearch(statement)
        .or(() -> AccountStatements.print(statement))
        .or(() -> ofSchema(statement))
        .or(() -> ofSession(statement))
        .orElseThrow();
  }

  private static Optional<String> ofSearch(Statement statement) {
    if (statement instanceof Statement.IndexDocument index) {
      return Optional.of("search index " + path(index.document()) + SearchStatements.print(index));
    } else if (statement instanceof Statement.DeleteDocument delete) {
      return Optional.of("search delete " + path(delete.document()));
    } else if (statement instanceof Statement.SearchTerms search) {
      return Optional.of("search terms " + path(search.row()) + SearchStatements.print(search));
    } else if (statement instanceof Statement.SearchWith search) {
      return Optional.of("search with " + path(search.row()) + SearchStatements.print(search));
    }
    return Optional.empty();
  }

  private static String put(Statement.Put put) {
    StringBuilder text = new StringBuilder("set ").append(path(put.path())).append(" = ");
    text.append(Names.literal(put.value()));
    put.ttlSeconds().ifPresent(ttl -> text.append(" with ttl = ").append(ttl));
    put.timestamp()
        .ifPresent(
            timestamp ->
                text.append(put.ttlSeconds().isPresent() ? " and" : " with")
                    .append(" timestamp = ")
                    .append(timestamp));
    return text.toString();
  }

  private static String list(Statement.ListRows list) {
    StringBuilder text = new StringBuilder(list.keysOnly() ? "keys " : "list ");
    text.append(family(list.family()));
    if (list.from().isPresent() || list.to().isPresent() || !list.family().names().isEmpty()) {
      text.append('[').append(list.from().map(Names::literal).orElse("")).append(':');
      text.append(list.to().map(Names::literal).orElse("")).append(']');
    }
    text.append(names(list.family()));
    list.limit().ifPresent(limit -> text.append(" limit ").append(limit));
    return text.append(slice(list.columns(), "columns")).toString();
  }

  private static Optional<String> ofSchema(Statement statement) {
    if (statement instanceof Statement.DefineKeyspace define) {
      return Optional.of(
          (define.create() ? "create" : "update")
              + " keyspace "
              + Names.name(define.keyspace())
              + attributes(define.attributes()));
    } else if (statement instanceof Statement.DefineFamily define) {
      return Optional.of(
          (define.create() ? "create" : "update")
              + " column family "
              + family(define.family())
              + attributes(define.attributes()));
    } else if (statement instanceof Statement.DropKeyspace drop) {
      return Optional.of("drop keyspace " + Names.name(drop.keyspace()));
    } else if (statement instanceof Statement.DropFamily drop) {
      return Optional.of("drop column family " + family(drop.family()));
    } else if (statement instanceof Statement.Describe describe) {
      return Optional.of("describe" + described(describe));
    } else if (statement instanceof Statement.Show show) {
      String what = show.what().name().toLowerCase(Locale.ROOT).replace('_', ' ');
      return Optional.of("show " + what + show.keyspace().map(k -> " " + Names.name(k)).orElse(""));
    } else if (statement instanceof Statement.Assume assume) {
      return Optional.of(
          "assume "
              + assume.family().map(family -> family(family) + " ").orElse("")
              + assume.attribute()
              + " as "
              + Names.run(assume.type()));
    }
    return Optional.empty();
  }

  private static String described(Statement.Describe describe) {
    String kind =
        switch (describe.what()) {
          case CLUSTER -> " cluster";
          case KEYSPACE -> " keyspace";
          case FAMILY -> " column family";
          case EITHER -> "";
        };
    if (describe.what() == Described.CLUSTER || describe.name().isEmpty()) {
      return kind;
    }
    String keyspace = describe.keyspace().map(name -> Names.name(name) + ".").orElse("");
    return kind + " " + keyspace + Names.name(describe.name().get());
  }

  private static Optional<String> ofSession(Statement statement) {
    if (statement instanceof Statement.Use use) {
      return Optional.of("use " + Names.name(use.keyspace()));
    } else if (statement instanceof Statement.Connect connect) {
      return Optional.of("connect " + Names.quoted(connect.host() + "/" + connect.port()));
    } else if (statement instanceof Statement.SetConsistency consistency) {
      return Optional.of("consistencylevel as " + consistency.level());
    } else if (statement instanceof Statement.Setting setting) {
      return Optional.of(setting.name() + " " + setting.value());
    } else if (statement instanceof Statement.Maintain maintain) {
      String verb = maintain.compact() ? "compact" : "flush";
      return Optional.of(verb + families(maintain.keyspace(), maintain.families()));
    } else if (statement instanceof Statement.Repair repair) {
      return Optional.of("repair" + families(repair.keyspace(), repair.families()));
    } else if (statement instanceof Statement.Cleanup cleanup) {
      return Optional.of("cleanup" + families(cleanup.keyspace(), cleanup.families()));
    } else if (statement instanceof Statement.Scrub scrub) {
      return Optional.of("scrub" + families(scrub.keyspace(), scrub.families()));
    } else if (statement instanceof Statement.Snapshot snapshot) {
      return Optional.of(SnapshotStatements.text(snapshot));
    } else if (statement instanceof Statement.LoadBalance) {
      return Optional.of("loadbalance");
    } else if (statement instanceof Statement.Decommission decommission) {
      return Optional.of(decommission.force() ? "decommission force" : "decommission");
    } else if (statement instanceof Statement.Move move) {
      return Optional.of("move " + Names.quoted(move.token()));
    } else if (statement instanceof Statement.Remove remove) {
      return Optional.of(
          "remove " + Names.quoted(remove.nodeId()) + (remove.force() ? " force" : ""));
    } else if (statement instanceof Statement.Look look) {
      return Optional.of(look.aspect().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    } else if (statement instanceof Statement.Endpoints endpoints) {
      String keyspace = endpoints.keyspace().map(name -> Names.name(name) + " ").orElse("");
      return Optional.of("endpoints " + keyspace + Names.literal(endpoints.key()));
    } else if (statement instanceof Statement.Drain) {
      return Optional.of("drain");
    } else if (statement instanceof Statement.Copy copy) {
      return Optional.of(
          "copy "
              + family(copy.family())
              + (copy.toFile() ? " to " : " from ")
              + Names.quoted(copy.file())
              + attributes(copy.attributes()));
    } else if (statement instanceof Statement.Capture capture) {
      return Optional.of(
          "capture " + (capture.file().isEmpty() ? "off" : Names.quoted(capture.file())));
    } else if (statement instanceof Statement.Source source) {
      return Optional.of("source " + Names.quoted(source.file()));
    } else if (statement instanceof Statement.Help help) {
      return Optional.of(("help " + help.topic()).strip());
    } else if (statement instanceof Statement.Exit) {
      return Optional.of("exit");
    }
    return Optional.empty();
  }

  private static String families(Optional<String> keyspace, List<String> families) {
    String before = keyspace.map(name -> Names.name(name) + ".").orElse("");
    return families.stream()
        .map(family -> " " + before + Names.name(family))
        .collect(Collectors.joining(","));
  }

  private static String family(Path path) {
    return path.keyspace().map(name -> Names.name(name) + ".").orElse("")
        + Names.name(path.family());
  }

  private static String path(Path path) {
    return family(path)
        + path.key().map(key -> "[" + Names.literal(key) + "]").orElse("")
        + names(path);
  }

  private static String names(Path path) {
    return path.names().stream()
        .map(name -> "[" + Names.literal(name) + "]")
        .collect(Collectors.joining());
  }

  private static String keys(List<Literal> keys) {
    return keys.stream().map(Names::literal).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String slice(SliceClause slice, String limitWord) {
    StringBuilder text = new StringBuilder();
    slice
        .from()
        .ifPresent(
            from ->
                text.append(slice.fromExclusive() ? " after " : " from ")
                    .append(Names.literal(from)));
    slice
        .to()
        .ifPresent(
            to -> text.append(slice.toExclusive() ? " before " : " to ").append(Names.literal(to)));
    slice.since().ifPresent(since -> text.append(" since ").append(Names.literal(since)));
    if (slice.reversed()) {
      text.append(" reversed");
    }
    slice.limit().ifPresent(limit -> text.append(' ').append(limitWord).append(' ').append(limit));
    return text.toString();
  }

  static String attributes(List<Attribute> attributes) {
    StringBuilder text = new StringBuilder();
    for (Attribute attribute : attributes) {
      text.append(NEXT_LINE).append(text.length() == NEXT_LINE.length() ? "with " : "and ");
      text.append(attribute.name()).append(" = ");
      text.append(
          attribute.options().isEmpty()
              ? Names.run(attribute.value())
              : options(attribute.options()));
    }
    return text.toString();
  }

  /** What a map, or a list of maps, is written as. */
  static String options(Map<String, String> options) {
    return options.entrySet().stream()
        .map(option -> Names.option(option.getKey()) + ": " + Names.option(option.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }
}
