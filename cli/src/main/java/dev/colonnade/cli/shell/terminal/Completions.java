package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.grammar.Vocabulary;
import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.help.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What could stand at the cursor, by what stands before it in the statement. Only what is known
 * already is suggested; no node is asked.
 */
final class Completions {

  private static final Set<String> BEHIND_LIMIT =
      Set.of("limit", "columns", "since", "ttl", "timestamp");
  private static final Set<String> BEFORE_NAMES = Set.of("from", "after", "to", "before");
  private static final Set<String> TAKES_KEY =
      Set.of("get", "multiget", "count", "set", "del", "touch");

  private final Names names;
  private final RecentKeys recentKeys;
  private final Manual manual;

  Completions(Names names, RecentKeys recentKeys, Manual manual) {
    this.names = names;
    this.recentKeys = recentKeys;
    this.manual = manual;
  }

  /**
   * Suggestions, not yet narrowed to those that begin like the word at the cursor.
   *
   * @param pieces of the statement before the cursor, without the word that the cursor stands in
   */
  List<Suggestion> behind(List<Piece> pieces) {
    if (pieces.isEmpty()) {
      return words("statements", Vocabulary.verbs());
    }
    String verb = pieces.get(0).lower();
    List<Piece> rest = pieces.subList(1, pieces.size());
    return switch (verb) {
      case "use", "endpoints" -> rest.isEmpty() ? words("keyspaces", names.keyspaces()) : List.of();
      case "help", "?" -> topics(rest);
      case "alter" -> user(rest.isEmpty() ? rest : rest.subList(1, rest.size()), rest.isEmpty());
      case "grant", "revoke" -> granted(verb, rest);
      case "create", "update", "drop" -> definition(verb, rest);
      case "describe" -> describe(rest);
      case "show" -> show(rest);
      case "consistencylevel" -> setting(rest, "as", "levels", Vocabulary.CONSISTENCY_LEVELS);
      case "stats", "timing", "trace" -> once(rest, "", Vocabulary.SWITCH);
      case "output" -> once(rest, "forms", Vocabulary.OUTPUTS);
      case "flush", "compact", "repair", "truncate" -> families(rest, "");
      case "assume" -> assume(rest);
      default ->
          Vocabulary.verb(verb).filter(Vocabulary.Verb::takesFamily).isPresent()
              ? onFamily(verb, rest)
              : List.of();
    };
  }

  private List<Suggestion> onFamily(String verb, List<Piece> rest) {
    Reference path = Reference.of(rest);
    if (!path.named()) {
      return families(rest, TAKES_KEY.contains(verb) ? "[" : "");
    }
    if (path.inBrackets()) {
      return inBrackets(verb, path, rest);
    }
    List<Piece> tail = rest.subList(path.end(), rest.size());
    Piece last = tail.isEmpty() ? null : tail.get(tail.size() - 1);
    String before = last == null ? "" : last.lower();
    if (BEFORE_NAMES.contains(before)) {
      return functions();
    }
    if (BEHIND_LIMIT.contains(before)) {
      return List.of();
    }
    return switch (verb) {
      case "get" -> before.equals("as") ? types() : clauses(tail, Vocabulary.SLICE_CLAUSES, "as");
      case "multiget", "count" -> clauses(tail, Vocabulary.SLICE_CLAUSES);
      case "list" -> clauses(tail, Vocabulary.LIST_CLAUSES);
      case "keys" -> clauses(tail, List.of("limit"));
      case "set" -> behindColumn(tail, before);
      case "del" -> behindDeleted(tail, before);
      default -> List.of();
    };
  }

  private List<Suggestion> inBrackets(String verb, Reference path, List<Piece> rest) {
    List<Suggestion> suggestions = new ArrayList<>();
    if (path.opened() == 1 && rest.get(rest.size() - 1).is("[")) {
      String closing = verb.equals("multiget") || verb.equals("touch") ? "" : "]";
      for (String key : recentKeys.of(path.family())) {
        String quoted = "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'";
        suggestions.add(Suggestion.openedBy("recent keys", quoted, closing));
      }
    }
    suggestions.addAll(functions());
    return suggestions;
  }

  private static List<Suggestion> behindColumn(List<Piece> tail, String before) {
    if (tail.isEmpty()) {
      return words("", List.of("="));
    }
    return switch (before) {
      case "=" -> has(tail, "with") ? List.of() : functions();
      case "with", "and" -> without(tail, List.of("ttl = ", "timestamp = "));
      default -> words("", List.of(has(tail, "with") ? "and" : "with"));
    };
  }

  private static List<Suggestion> behindDeleted(List<Piece> tail, String before) {
    return switch (before) {
      case "with" -> words("", List.of("timestamp = "));
      case "=" -> List.of();
      default -> clauses(tail, List.of("from", "to", "with"));
    };
  }

  private List<Suggestion> assume(List<Piece> rest) {
    Reference path = Reference.of(rest);
    if (!path.named()) {
      return families(rest, "");
    }
    return switch (rest.size() - path.end()) {
      case 0 -> words("", Vocabulary.ASSUMED);
      case 1 -> words("", List.of("as"));
      case 2 -> types();
      default -> List.of();
    };
  }

  private List<Suggestion> definition(String verb, List<Piece> rest) {
    if (rest.isEmpty()) {
      return words("", definable(verb));
    }
    if (rest.get(0).lower().equals("role")) {
      return List.of();
    }
    if (rest.get(0).lower().equals("user")) {
      return verb.equals("create") ? user(rest.subList(1, rest.size()), false) : List.of();
    }
    boolean ofKeyspace = rest.get(0).lower().equals("keyspace");
    int behind = ofKeyspace ? 1 : 2;
    if (rest.size() < behind) {
      return words("", List.of("family"));
    }
    List<Piece> named = rest.subList(behind, rest.size());
    if (named.isEmpty() || (!ofKeyspace && !Reference.of(named).named())) {
      if (verb.equals("create")) {
        return List.of();
      }
      return ofKeyspace ? words("keyspaces", names.keyspaces()) : families(named, "");
    }
    if (verb.equals("drop")) {
      return List.of();
    }
    List<Piece> tail = named.subList(ofKeyspace ? 1 : Reference.of(named).end(), named.size());
    return attributes(tail, ofKeyspace ? Vocabulary.KEYSPACE_SETTINGS : Vocabulary.FAMILY_SETTINGS);
  }

  private static List<String> definable(String verb) {
    return verb.equals("update")
        ? List.of("keyspace", "column family")
        : List.of("keyspace", "column family", "user", "role");
  }

  /** Behind {@code create user} and {@code alter user}: a name, and settings. */
  private static List<Suggestion> user(List<Piece> rest, boolean wordMissing) {
    if (wordMissing) {
      return words("", List.of("user"));
    }
    return rest.isEmpty()
        ? List.of()
        : attributes(rest.subList(1, rest.size()), Vocabulary.USER_SETTINGS);
  }

  private List<Suggestion> granted(String verb, List<Piece> rest) {
    String toward = verb.equals("grant") ? "to" : "from";
    if (rest.isEmpty()) {
      List<String> first = new ArrayList<>(Vocabulary.PERMISSIONS);
      first.add("role");
      return words("permissions", first);
    }
    Piece last = rest.get(rest.size() - 1);
    if (rest.get(0).lower().equals("role")) {
      return rest.size() == 2 ? words("", List.of(toward)) : List.of();
    }
    if (last.is(",")) {
      return words("permissions", Vocabulary.PERMISSIONS);
    }
    if (!has(rest, "on")) {
      return words("", List.of("on"));
    }
    return switch (last.lower()) {
      case "on" -> {
        List<Suggestion> suggestions = new ArrayList<>(words("", Vocabulary.RESOURCES));
        suggestions.addAll(words("keyspaces", names.keyspaces()));
        yield suggestions;
      }
      case "keyspace" -> words("keyspaces", names.keyspaces());
      case "column" -> words("", List.of("family"));
      case "family" -> families(List.of(), "");
      case "to", "from" -> List.of();
      default -> has(rest, toward) ? List.of() : words("", List.of(toward));
    };
  }

  private static List<Suggestion> attributes(List<Piece> tail, List<Vocabulary.Setting> settings) {
    if (tail.isEmpty()) {
      return words("", List.of("with"));
    }
    String before = tail.get(tail.size() - 1).lower();
    if (before.equals("with") || before.equals("and")) {
      return settings.stream()
          .filter(setting -> !has(tail, setting.name()))
          .map(setting -> Suggestion.openedBy("attributes", setting.name(), " = "))
          .toList();
    }
    if (before.equals("=")) {
      String name = tail.size() < 2 ? "" : tail.get(tail.size() - 2).lower();
      return settings.stream()
          .filter(setting -> setting.name().equals(name) || setting.aliases().contains(name))
          .flatMap(setting -> words("values", setting.values()).stream())
          .toList();
    }
    boolean valueStands = tail.size() > 1 && tail.get(tail.size() - 2).is("=");
    return words("", List.of(valueStands ? "and" : "="));
  }

  private List<Suggestion> describe(List<Piece> rest) {
    List<Suggestion> suggestions = new ArrayList<>();
    if (rest.isEmpty()) {
      suggestions.addAll(words("", List.of("cluster", "keyspace", "column family")));
      suggestions.addAll(words("keyspaces", names.keyspaces()));
      suggestions.addAll(families(rest, ""));
      return suggestions.stream().distinct().toList();
    }
    return switch (rest.get(0).lower()) {
      case "keyspace" -> rest.size() == 1 ? words("keyspaces", names.keyspaces()) : List.of();
      case "column" ->
          rest.size() == 1
              ? words("", List.of("family"))
              : families(rest.subList(2, rest.size()), "");
      case "cluster" -> List.of();
      default -> families(rest, "");
    };
  }

  private List<Suggestion> show(List<Piece> rest) {
    if (rest.isEmpty()) {
      return words("", Vocabulary.verb("show").orElseThrow().following());
    }
    return switch (rest.get(0).lower()) {
      case "users", "roles", "permissions" -> once(rest.subList(1, rest.size()), "", List.of("of"));
      case "schema" -> rest.size() == 1 ? words("keyspaces", names.keyspaces()) : List.of();
      case "cluster" -> once(rest.subList(1, rest.size()), "", List.of("name"));
      case "api" -> once(rest.subList(1, rest.size()), "", List.of("version"));
      default -> List.of();
    };
  }

  /** Topics whose first words stand already: what is left of their names. */
  private List<Suggestion> topics(List<Piece> rest) {
    StringBuilder typed = new StringBuilder();
    rest.forEach(piece -> typed.append(piece.lower()).append(' '));
    return manual.topics().stream()
        .map(Topic::name)
        .filter(name -> name.startsWith(typed.toString()))
        .map(name -> Suggestion.word("pages", name.substring(typed.length())))
        .toList();
  }

  /** The families of the keyspace in use and all keyspaces, or those of the one before the dot. */
  private List<Suggestion> families(List<Piece> rest, String opening) {
    if (rest.size() == 2 && rest.get(1).is(".")) {
      return families(rest.get(0).text(), opening);
    }
    if (!rest.isEmpty()) {
      return List.of();
    }
    List<Suggestion> suggestions = new ArrayList<>();
    names.keyspace().ifPresent(used -> suggestions.addAll(families(used, opening)));
    for (String keyspace : names.keyspaces()) {
      suggestions.add(Suggestion.openedBy("keyspaces", keyspace, "."));
    }
    return suggestions;
  }

  private List<Suggestion> families(String keyspace, String opening) {
    return names.families(keyspace).stream()
        .map(dev.colonnade.cli.shell.grammar.Names::name)
        .map(
            family ->
                opening.isEmpty()
                    ? Suggestion.word("column families", family)
                    : Suggestion.openedBy("column families", family, opening))
        .toList();
  }

  private static List<Suggestion> clauses(List<Piece> tail, List<String> clauses, String... more) {
    List<String> all = new ArrayList<>(clauses);
    all.addAll(List.of(more));
    return without(tail, all);
  }

  /** What was not said yet. */
  private static List<Suggestion> without(List<Piece> tail, List<String> clauses) {
    return words(
        "", clauses.stream().filter(clause -> !has(tail, clause.split(" ", 2)[0])).toList());
  }

  private static boolean has(List<Piece> tail, String word) {
    return tail.stream().anyMatch(piece -> piece.isWord() && piece.lower().equals(word));
  }

  private static List<Suggestion> setting(
      List<Piece> rest, String word, String group, List<String> values) {
    return rest.isEmpty()
        ? words("", List.of(word))
        : once(rest.subList(1, rest.size()), group, values);
  }

  private static List<Suggestion> once(List<Piece> rest, String group, List<String> values) {
    return rest.isEmpty() ? words(group, values) : List.of();
  }

  private static List<Suggestion> functions() {
    return Vocabulary.TYPES.stream()
        .map(type -> Suggestion.openedBy("functions", type.toLowerCase(Locale.ROOT), "("))
        .toList();
  }

  private static List<Suggestion> types() {
    return words("types", Vocabulary.TYPES);
  }

  private static List<Suggestion> words(String group, List<String> words) {
    return words.stream()
        .map(
            word ->
                word.endsWith(" ")
                    ? new Suggestion(word, word.strip(), group, false)
                    : Suggestion.word(group, word))
        .toList();
  }
}
