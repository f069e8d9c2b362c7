package dev.colonnade.cli.shell.grammar;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The words of the language: for the parser, the completion and the help. */
public final class Vocabulary {

  /**
   * The first word of a statement.
   *
   * @param word in lower case
   * @param following words that may directly follow it, each perhaps of several parts
   * @param clauses words that may follow later, each with what it needs
   * @param takesFamily whether the name of a column family may directly follow it
   * @param takesKeyspace whether the name of a keyspace may, alone
   */
  public record Verb(
      String word,
      List<String> following,
      List<String> clauses,
      boolean takesFamily,
      boolean takesKeyspace) {}

  /**
   * A setting of a keyspace or a column family.
   *
   * @param name in lower case; what an {@code Attribute} is named
   * @param aliases other names for the same, of other versions
   * @param values the usual ones; empty if anything may stand there
   */
  public record Setting(String name, List<String> aliases, List<String> values) {}

  private static final List<String> NONE = List.of();

  /** The comparators that every node has. */
  public static final List<String> COMPARATORS =
      List.of(
          "BytesType",
          "AsciiType",
          "UTF8Type",
          "LongType",
          "IntegerType",
          "LexicalUUIDType",
          "TimeUUIDType");

  /** The types that keys and values of a family can have, for people. */
  public static final List<String> VALUE_TYPES =
      Stream.concat(
              COMPARATORS.stream(),
              Stream.of("Int32Type", "DoubleType", "BooleanType", "InstantType"))
          .toList();

  /** Types that values and keys may be shown in and written in, and functions of that name. */
  public static final List<String> TYPES =
      List.of(
          "bytes",
          "ascii",
          "utf8",
          "long",
          "integer",
          "lexicaluuid",
          "timeuuid",
          "int",
          "double",
          "boolean",
          "instant");

  /** Consistency levels. */
  public static final List<String> CONSISTENCY_LEVELS =
      List.of("ZERO", "ANY", "ONE", "TWO", "THREE", "QUORUM", "LOCAL_QUORUM", "EACH_QUORUM", "ALL");

  /** Forms of answers. */
  public static final List<String> OUTPUTS = List.of("classic", "table", "json");

  /** On and off. */
  public static final List<String> SWITCH = List.of("on", "off");

  /** What {@code assume} can be about. */
  public static final List<String> ASSUMED =
      List.of("comparator", "sub_comparator", "validator", "keys");

  /** What {@code search} can do. */
  public static final List<String> SEARCHES = List.of("index", "delete", "terms", "with");

  /** Analyzers that every node has. */
  public static final List<String> ANALYZERS =
      List.of(
          "standard",
          "english",
          "german",
          "french",
          "spanish",
          "italian",
          "portuguese",
          "dutch",
          "swedish",
          "russian",
          "simple",
          "whitespace",
          "keyword");

  /** The two ways of {@code copy}. */
  public static final List<String> COPY_DIRECTIONS = List.of("to", "from");

  /** Settings of {@code copy}. */
  public static final List<Setting> COPY_SETTINGS =
      List.of(
          new Setting("format", List.of(), List.of("csv", "json")),
          new Setting("skip", List.of(), List.of()),
          new Setting("bad_rows", List.of(), List.of()));

  /** Permissions, and all of them that can be granted on something. */
  public static final List<String> PERMISSIONS =
      List.of("READ", "WRITE", "SCHEMA", "TRUNCATE", "MONITOR", "ADMIN", "AUTHORIZE", "ALL");

  /** What permissions can be granted on. */
  public static final List<String> RESOURCES = List.of("cluster", "keyspace", "column family");

  /** What is listed of accounts. */
  public static final List<String> ACCOUNT_ASPECTS = List.of("users", "roles", "permissions");

  /** Settings of users. */
  public static final List<Setting> USER_SETTINGS =
      List.of(
          new Setting("password_file", List.of(), List.of()),
          new Setting("password", List.of(), List.of("none")),
          new Setting("superuser", List.of(), List.of("true", "false")),
          new Setting("locked", List.of(), List.of("true", "false")));

  /** Clauses of {@code multiget} and {@code count} after the brackets. */
  public static final List<String> SLICE_CLAUSES =
      List.of("from", "after", "to", "before", "since", "reversed", "limit");

  /** Clauses of {@code get} after the brackets. */
  public static final List<String> GET_CLAUSES =
      List.of("from", "after", "to", "before", "since", "reversed", "limit", "as");

  /** Clauses of {@code del} after the brackets. */
  public static final List<String> DEL_CLAUSES = List.of("from", "after", "to", "before");

  /** Clauses of {@code keys} after the brackets. */
  public static final List<String> KEYS_CLAUSES = List.of("limit");

  /** Clauses of {@code list} after the brackets. */
  public static final List<String> LIST_CLAUSES =
      List.of("limit", "columns", "from", "after", "to", "before", "since", "reversed");

  /** Settings of keyspaces. */
  public static final List<Setting> KEYSPACE_SETTINGS =
      List.of(
          new Setting(
              "strategy_class",
              List.of("placement_strategy", "replica_placement_strategy"),
              List.of("SimpleStrategy", "OldNetworkTopologyStrategy", "NetworkTopologyStrategy")),
          new Setting("replication_factor", List.of(), List.of()),
          new Setting("strategy_options", List.of(), List.of()),
          new Setting("durable_writes", List.of(), List.of("true", "false")),
          new Setting("force", List.of(), List.of("true", "false")));

  /** Settings of column families. */
  public static final List<Setting> FAMILY_SETTINGS =
      List.of(
          new Setting("column_type", List.of(), List.of("Standard", "Super")),
          new Setting("comparator", List.of("compare_with"), COMPARATORS),
          new Setting(
              "subcomparator", List.of("sub_comparator", "compare_subcolumns_with"), COMPARATORS),
          new Setting("comment", List.of(), List.of()),
          new Setting("rows_cached", List.of(), List.of()),
          new Setting("keys_cached", List.of(), List.of()),
          new Setting("read_repair_chance", List.of(), List.of()),
          new Setting("gc_grace", List.of("gc_grace_seconds"), List.of()),
          new Setting("default_ttl", List.of("default_time_to_live"), List.of()),
          new Setting("min_compaction_threshold", List.of(), List.of()),
          new Setting("max_compaction_threshold", List.of(), List.of()),
          new Setting("memtable_throughput", List.of("memtable_throughput_in_mb"), List.of()),
          new Setting("memtable_operations", List.of("memtable_operations_in_millions"), List.of()),
          new Setting("memtable_flush_after", List.of("memtable_flush_after_mins"), List.of()),
          new Setting("key_type", List.of("key_validation_class"), VALUE_TYPES),
          new Setting("value_type", List.of("default_validation_class"), VALUE_TYPES),
          new Setting("column_value_types", List.of(), List.of()),
          new Setting("analyzer", List.of(), ANALYZERS));

  /** The verbs, in the order in which help lists them. */
  public static final List<Verb> VERBS =
      List.of(
          onFamily("get", GET_CLAUSES),
          onFamily("multiget", SLICE_CLAUSES),
          onFamily("list", LIST_CLAUSES),
          onFamily("keys", KEYS_CLAUSES),
          onFamily("count", SLICE_CLAUSES),
          onFamily("set", List.of("with", "ttl", "timestamp", "and")),
          onFamily("del", DEL_CLAUSES),
          onFamily("touch", NONE),
          onFamily("truncate", NONE),
          onFamily("copy", List.of("to", "from", "with", "and")),
          new Verb(
              "search",
              SEARCHES,
              List.of("all", "any", "phrase", "prefix", "with", "best", "payload", "limit"),
              false,
              false),
          new Verb("batch", NONE, NONE, false, false),
          new Verb("end", NONE, NONE, false, false),
          new Verb("use", NONE, NONE, false, true),
          new Verb("describe", List.of("cluster", "keyspace", "column family"), NONE, true, true),
          new Verb(
              "show",
              List.of(
                  "keyspaces",
                  "cluster name",
                  "api version",
                  "schema",
                  "users",
                  "roles",
                  "permissions"),
              NONE,
              false,
              false),
          new Verb(
              "create",
              List.of("keyspace", "column family", "user", "role"),
              List.of("with", "and"),
              false,
              false),
          new Verb(
              "update", List.of("keyspace", "column family"), List.of("with", "and"), false, false),
          new Verb(
              "drop", List.of("keyspace", "column family", "user", "role"), NONE, false, false),
          new Verb("alter", List.of("user"), List.of("password", "with", "and"), false, false),
          new Verb("grant", PERMISSIONS, List.of("on", "to"), false, false),
          new Verb("revoke", PERMISSIONS, List.of("on", "from"), false, false),
          alone("whoami"),
          alone("login"),
          alone("logout"),
          onFamily("assume", ASSUMED),
          new Verb("consistencylevel", List.of("as"), NONE, false, false),
          new Verb("stats", List.of("on", "off"), NONE, false, false),
          new Verb("timing", List.of("on", "off"), NONE, false, false),
          new Verb("trace", List.of("on", "off"), NONE, false, false),
          new Verb("output", List.of("classic", "table", "json"), NONE, false, false),
          onFamily("flush", NONE),
          onFamily("compact", NONE),
          new Verb("ring", List.of("tokens"), NONE, false, false),
          alone("info"),
          alone("stages"),
          alone("gossip"),
          alone("hints"),
          new Verb("endpoints", NONE, NONE, false, true),
          alone("drain"),
          onFamily("repair", NONE),
          onFamily("cleanup", NONE),
          onFamily("scrub", NONE),
          new Verb("snapshot", List.of("take", "list", "clear"), NONE, false, false),
          alone("loadbalance"),
          new Verb("decommission", List.of("force"), NONE, false, false),
          alone("move"),
          new Verb("remove", List.of("force"), NONE, false, false),
          new Verb("capture", List.of("off"), NONE, false, false),
          new Verb("source", NONE, NONE, false, false),
          new Verb("connect", NONE, NONE, false, false),
          new Verb("help", NONE, NONE, false, false),
          new Verb("exit", NONE, NONE, false, false),
          new Verb("quit", NONE, NONE, false, false));

  /** Settings of the original that have no meaning here, and why. */
  static final Map<String, String> REFUSED_SETTINGS =
      Map.ofEntries(
          Map.entry(
              "column_metadata",
              "columns have no indexes here; for their types there is"
                  + " column_value_types = {NAME: TYPE, ...}"),
          Map.entry("row_cache_save_period", "caches are not saved"),
          Map.entry("key_cache_save_period", "caches are not saved"),
          Map.entry("replicate_on_write", "there are no counters here"));

  /** First words of statements of other tools, or of the original where it does more. */
  static final Map<String, String> REFUSED_VERBS =
      Map.ofEntries(
          Map.entry("incr", "there are no counters here"),
          Map.entry("decr", "there are no counters here"),
          Map.entry("select", instead("get")),
          Map.entry("insert", instead("set")),
          Map.entry("put", instead("set")),
          Map.entry("delete", instead("del")),
          Map.entry("removetoken", instead("remove")),
          Map.entry("scan", instead("list")),
          Map.entry(
              "slice",
              "a slice is a get with its ends: get CF['key'] from 'a' to 'b'; see: help get"),
          Map.entry("cfstats", instead("stats")),
          Map.entry("tpstats", instead("stages")),
          Map.entry("gossipinfo", instead("gossip")),
          Map.entry("getendpoints", instead("endpoints")),
          Map.entry("status", instead("ring")));

  private static final List<String> VERB_WORDS = VERBS.stream().map(Verb::word).toList();

  private Vocabulary() {}

  /** The first words of statements, in lower case. */
  public static List<String> verbs() {
    return VERB_WORDS;
  }

  /** A verb by its word, in any case. */
  public static Optional<Verb> verb(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return VERBS.stream().filter(verb -> verb.word().equals(lower)).findFirst();
  }

  /** A setting by its name or another name for it, in any case. */
  static Optional<Setting> setting(List<Setting> settings, String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return settings.stream()
        .filter(setting -> setting.name().equals(lower) || setting.aliases().contains(lower))
        .findFirst();
  }

  private static String instead(String verb) {
    return "the statement here is " + verb + "; see: help " + verb;
  }

  private static Verb alone(String word) {
    return new Verb(word, NONE, NONE, false, false);
  }

  private static Verb onFamily(String word, List<String> clauses) {
    return new Verb(word, NONE, clauses, true, false);
  }
}
